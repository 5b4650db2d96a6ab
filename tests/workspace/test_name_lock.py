"""One change at a time to what has a name: between threads, between processes, and never against oneself."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workbench.workspace.lock import name_lock

ADD_ONE = """
import sys, time
from pathlib import Path
from workbench.workspace.lock import name_lock
folder = Path(sys.argv[1])
for _ in range(20):
    with name_lock(folder, "mine"):
        count = int((folder / "count").read_text())
        time.sleep(0.002)
        (folder / "count").write_text(str(count + 1))
"""


def add_one(folder: Path) -> None:
    with name_lock(folder, "mine"), name_lock(folder, "mine"):
        count = int((folder / "count").read_text())
        time.sleep(0.005)
        (folder / "count").write_text(str(count + 1))


def test_no_change_of_a_thread_is_lost(tmp_path: Path) -> None:
    (tmp_path / "count").write_text("0")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add_one, [tmp_path] * 24))
    assert (tmp_path / "count").read_text() == "24"


def test_no_change_of_a_process_is_lost_and_a_killed_one_locks_nobody_out(tmp_path: Path) -> None:
    (tmp_path / "count").write_text("0")
    processes = [subprocess.Popen([sys.executable, "-c", ADD_ONE, str(tmp_path)]) for _ in range(2)]
    assert [process.wait(60) for process in processes] == [0, 0]
    assert (tmp_path / "count").read_text() == "40"
    hold = ADD_ONE.replace("time.sleep(0.002)", "print(flush=True); time.sleep(60)")
    killed = subprocess.Popen([sys.executable, "-c", hold, str(tmp_path)], stdout=subprocess.PIPE)
    assert killed.stdout is not None and killed.stdout.readline()
    killed.kill()
    killed.wait()
    add_one(tmp_path)
    assert (tmp_path / "count").read_text() == "41"


def test_another_name_waits_for_nobody(tmp_path: Path) -> None:
    def take() -> bool:
        with name_lock(tmp_path, "yours"):
            return True

    with name_lock(tmp_path, "mine"), ThreadPoolExecutor(1) as pool:
        assert pool.submit(take).result(timeout=10)
