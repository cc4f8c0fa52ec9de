"""The most memory that this process has had, in MB."""

import resource
import sys
from pathlib import Path


def peak() -> float:
    """From the kernel's own account where there is one: `ru_maxrss` starts with what the parent process had."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)
