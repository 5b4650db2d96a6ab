"""Imported by the fork server alone: loads the models that the processes of a service share, before it forks them."""

import base64
import gc
import os
import pickle

from workbench.server.worker_processes import SERVED_VARIABLE

pickle.loads(base64.b64decode(os.environ[SERVED_VARIABLE])).load()  # noqa: S301 - the service's own recipe
gc.freeze()  # what is shared is not copied for the sake of a collector's marks
