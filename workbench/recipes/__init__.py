"""The papers' configurations as recipes, one file each; read by `workbench.recipes.shipped`."""
