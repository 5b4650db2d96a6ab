"""Language models between question and answer: what is searched with, and what is read in place of the documents."""
