"""The process in which files are read: requests come on stdin, the parts of documents go out on stdout, as JSON lines.

Its memory is limited, since it runs C++ and XML parsers over files of strangers; whatever happens to it, the workbench
goes on (`isolated_reading`).
"""

from __future__ import annotations

import json
import os
import resource
import sys
from base64 import b64encode
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from workbench.core import WorkbenchError
from workbench.data.documents.document_parts import FileRequest, OcrRequest
from workbench.data.documents.file_kinds import read_file
from workbench.data.documents.pdf.page_boxes import shown_page

SECONDS_LIMIT = 7_200
"""Seconds of a processor, so that a process whose parent was killed while it hung ends, too."""
WRITTEN_LIMIT = 2 << 30
"""Bytes of one file that this process may write: a member of a zip file, an image for Tesseract."""


def main() -> None:
    """Answers requests until stdin ends. The arguments are the most memory in bytes."""
    memory = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_LIMIT, SECONDS_LIMIT))
    resource.setrlimit(resource.RLIMIT_FSIZE, (WRITTEN_LIMIT, WRITTEN_LIMIT))
    # What libraries print must not get between the lines.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        answer(json.loads(line), output)


def answer(request: dict[str, Any], output: BinaryIO) -> None:
    """Writes the parts of the requested file and `end` or `error`; where it has a `sentence`, its page and boxes."""
    ocr = OcrRequest(request["pages"], tuple(request["languages"]))
    file = FileRequest(Path(request["path"]), request["name"], ocr, request["first_page"])
    try:
        if request["sentence"] is not None:
            shown = shown_page(file, file.first_page, request["sentence"])
            _write(output, {"image": b64encode(shown.image).decode("ascii"), "boxes": shown.boxes})
            return
        for part in read_file(file):
            _write(output, {"part": type(part).__name__, **asdict(part)})
        _write(output, {"end": True})
    except WorkbenchError as error:
        _write(output, {"error": str(error)})
    except MemoryError:
        _write(output, {"error": str(file.error("needs more memory than one file may have", "split it"))})
    except RecursionError:
        _write(output, {"error": str(file.error("is nested too deeply"))})
    except Exception as error:  # a parser met what its authors did not expect
        _write(output, {"error": str(file.error(f"cannot be read ({type(error).__name__})", "save it again"))})


def _write(output: BinaryIO, value: dict[str, Any]) -> None:
    # Half characters (lone surrogates) cannot be stored: they become the sign for an unreadable one.
    text = json.dumps(value, ensure_ascii=False)
    output.write(text.encode("utf-8", "replace").replace(b"\0", b" ") + b"\n")
    output.flush()


if __name__ == "__main__":
    main()
