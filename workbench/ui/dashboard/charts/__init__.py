"""Charts: each a function from tidy frames to a Plotly figure, with a title, units and n in it.

A frame of measured figures has one figure a row: whatever it is grouped by (`mode`, `language` …), `mean`, `low` and
`high` (a 95 % interval, empty where there is none), `n`, `unscored`, and `mark`: the address of the instances behind
it, which a click leads to.  Published figures come from `workbench.published` and are drawn by `reference` alone:
hollow or hatched, grey, and named in legend and title.
"""
