"""The Runs screen: the form of a matrix, its pilot, its jobs, and the export of results."""
