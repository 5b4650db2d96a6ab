from .app import Workbench as Workbench
from .pipeline import Recipe as Recipe
