"""The papers' configurations as recipes, a file each; read by `workbench.recipes.shipped`."""
