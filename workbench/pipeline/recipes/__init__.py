"""The papers' configurations as recipes, one file each; read by `workbench.pipeline.recipes.shipped`."""
