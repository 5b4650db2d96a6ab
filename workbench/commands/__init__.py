"""The command line's verbs, one family per file; `workbench.cli` assembles them."""
