"""The last resort: an error that nobody expected becomes one sentence, its details a file of the workspace."""

from __future__ import annotations

import tempfile
import time
import traceback
from pathlib import Path

from workbench.core import WorkbenchError, shorten
from workbench.workspace import settings

FILE = "errors.log"
SIZE_LIMIT = 1 << 20
"""Bytes after which the file begins anew."""


def sentence(error: BaseException) -> str:
    """The sentence for an error of any kind; writes the details of one that is neither ours nor the system's."""
    if isinstance(error, WorkbenchError):
        return str(error)
    if isinstance(error, OSError):
        place = f"“{shorten(error.filename)}”" if error.filename else "A file"
        return (
            f"{place} cannot be used ({error.strerror or shorten(error)}). Fix this, or set WORKBENCH_HOME to "
            "another folder."
        )
    if _is_half_a_character(error):
        return "The text contains an invalid character (an unpaired surrogate): type it again without that."
    if isinstance(error, MemoryError):
        return "The memory of this machine is not enough for this. Try again with fewer or smaller files."
    name = type(error).__name__
    details = f": {text}" if (text := shorten(error, 120)) else ""
    log = record(error)
    place = f"The details are in {log}" if log else "The details could not be written"
    return f"An unexpected {name} occurred{details.rstrip('.')}. {place}; finished work is kept."


def exit_code(error: BaseException) -> int:
    """2 for wrong input, 1 for a failure."""
    if isinstance(error, WorkbenchError):
        return error.exit_code
    return 2 if _is_half_a_character(error) else 1


def _is_half_a_character(error: BaseException) -> bool:
    return isinstance(error, UnicodeEncodeError) and "surrogates" in error.reason


def record(error: BaseException) -> Path | None:
    """Appends the error's traceback to the workspace's log, or to one in the system's temporary folder."""
    text = "".join(traceback.format_exception(error))
    entry = f"{time.strftime('%Y-%m-%d %H:%M:%S')}\n{text}\n".encode("utf-8", "backslashreplace")
    for folder in (_home(), Path(tempfile.gettempdir())):
        if folder is None:
            continue
        try:
            folder.mkdir(parents=True, exist_ok=True)
            log = folder / FILE
            fresh = not log.exists() or log.stat().st_size > SIZE_LIMIT
            with log.open("wb" if fresh else "ab") as file:
                file.write(entry)
        except OSError:
            continue
        return log
    return None


def _home() -> Path | None:
    try:
        return settings.load().home
    except WorkbenchError:
        return None
