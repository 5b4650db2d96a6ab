"""Search spaces that ship with the workbench, one YAML file each."""
