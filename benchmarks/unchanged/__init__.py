"""Whether a change of the code changed what the workbench answers: the same requests before and after, compared."""
