"""The tests. This module is read before numpy and torch are, which count their threads once."""

import os

# Workers of one run share the cores: threads of each, and of the processes that it starts, would wait for the others'.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
