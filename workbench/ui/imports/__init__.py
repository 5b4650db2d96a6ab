"""The forms of the Data screen that import datasets and Wikipedia."""
