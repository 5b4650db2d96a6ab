"""Starting a module of ours as a process that neither a closed tab nor the end of its parent stops.

It is handed a lock that is acquired already (`lock`), so from the first moment to the last it can be seen whether it is
at work.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from workbench.workspace.settings import Settings

FOLDER = "jobs"
"""The folder of a workspace with the locks and logs of its processes."""
ROOT = Path(__file__).parents[2]
"""Where the process finds the workbench, whatever folder it is started from."""
NICE = 5
"""How far a process in the background stands back: on one core, who asks has three quarters of it."""
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
AUTOGROUP = Path("/proc/self/autogroup")
"""Linux shares a processor among sessions first and among their processes second; this is the session's priority."""


def start(
    module: str,
    words: Sequence[str],
    settings: Settings,
    *,
    lock_number: int,
    log: Path,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Starts `python -m module words… lock_number` over a workspace; what it prints goes to `log`.

    `environment` is added to this process's.
    """
    python_path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    with log.open("wb") as output:
        # In a session of its own: what ends the terminal, the server or the tab does not reach it.
        subprocess.Popen(  # noqa: S603 - our interpreter and module, and words of ours
            [sys.executable, "-m", module, *words, str(lock_number)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            close_fds=True,
            pass_fds=(lock_number,),
            env={
                **os.environ,
                **(environment or {}),
                "WORKBENCH_HOME": str(settings.home),
                "WORKBENCH_DATABASE_URL": settings.database_url,
                "PYTHONPATH": os.pathsep.join(python_path),
            },
        )


def background_environment() -> dict[str, str]:
    """The variables that keep libraries to half of the processors, at least one; those that are set stay."""
    threads = str(max(1, (os.cpu_count() or 1) // 2))
    return {name: os.environ.get(name, threads) for name in THREAD_VARIABLES}


def stand_back() -> None:
    """Lowers the priority of this process, which must be in a session of its own, so that others stay quick."""
    os.nice(NICE)
    with suppress(OSError):
        AUTOGROUP.write_text(str(NICE), encoding="utf-8")
