"""Work in the background: each job a folder and a process of its own, seen, stopped and gone on with from any tab."""
