"""What a process has used so far: processor time and memory, as Linux tells them."""

from __future__ import annotations

import os
from pathlib import Path


def processor_seconds(pid: int) -> tuple[float, float]:
    """The seconds that processors have worked for one process, and for all of the machine."""
    ticks = os.sysconf("SC_CLK_TCK")
    # After the name, which may have blanks, the 12th and 13th fields are the time in the program and in the system.
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    user, nice, system, *_ = Path("/proc/stat").read_text(encoding="utf-8").splitlines()[0].split()[1:]
    return (int(fields[11]) + int(fields[12])) / ticks, (int(user) + int(nice) + int(system)) / ticks


def resident_mb(pid: int) -> float:
    """Megabytes of memory that a process holds."""
    fields = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").split()
    return int(fields[fields.index("VmRSS:") + 1]) / 1024
