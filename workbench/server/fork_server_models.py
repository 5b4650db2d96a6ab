"""Imported by the fork server: loads the models that the processes of a service share, before it forks them."""

import gc
import json
import os
from pathlib import Path

from workbench.app import Workbench
from workbench.pipeline import make_recipe
from workbench.server.answer_run import ServedRecipe
from workbench.server.worker_processes import SERVED_VARIABLE
from workbench.workspace import settings

if text := os.environ.get(SERVED_VARIABLE):
    home, recipe = json.loads(text)
    ServedRecipe(Workbench(settings.load(Path(home))), make_recipe(recipe), "").load()
    gc.freeze()  # what is shared is not copied for the sake of a collector's marks
