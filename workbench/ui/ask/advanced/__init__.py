"""The Ask screen's choices for those who tune a recipe, a part of the pipeline per module."""
