"""The process that ends a local Ray with the one that started it.

`python -m workbench.components.ray.ray_keeper FOLDER` starts it.

Linux kills most of Ray's processes with their parent, but not its agents, which look for a cluster that was killed for
a minute. This one waits until its standard input ends, which a kill of its parent cannot prevent; then it kills every
process whose environment has the mark of this Ray, and removes its folder.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

MARK = "WORKBENCH_RAY_FOLDER"
"""The variable that all processes of a local Ray have, with its folder."""
PROCESSES = Path("/proc")
END_LIMIT = 10.0
"""Seconds that a keeper may take to end what it keeps."""


def start_keeper(folder: Path) -> subprocess.Popen[bytes]:
    """Starts a keeper of the Ray in `folder`; `end` ends both."""
    # In a session of its own: an interrupt from the keyboard does not reach it.
    return subprocess.Popen(  # noqa: S603 (our interpreter and module)
        [sys.executable, "-m", __name__, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def end(keeper: subprocess.Popen[bytes]) -> None:
    """Has a keeper end what is left of its Ray, and waits for it."""
    with suppress(OSError, subprocess.TimeoutExpired):
        keeper.communicate(timeout=END_LIMIT)


def marked(folder: Path) -> list[int]:
    """The numbers of the processes that belong to the Ray in `folder`; none where the system does not list them."""
    mark = f"{MARK}={folder}".encode()
    numbers = []
    for place in PROCESSES.glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile, or is another user's
            if mark in (place / "environ").read_bytes().split(b"\0") and int(place.name) != os.getpid():
                numbers.append(int(place.name))
    return numbers


def main() -> None:
    """Waits for the end of whoever started it, then ends its Ray."""
    folder = Path(sys.argv[1])
    sys.stdin.buffer.read()
    for number in marked(folder):
        with suppress(OSError):
            os.kill(number, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
