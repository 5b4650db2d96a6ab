"""How proposals of what went wrong are drawn: for one answer, and for all that the filters let through."""
