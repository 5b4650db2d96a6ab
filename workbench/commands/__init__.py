"""The command line's verbs, one family a file; `workbench.cli` puts them together."""
