"""The search for the best recipe for one's own questions, and whether it is one."""
