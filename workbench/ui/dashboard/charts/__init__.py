"""Charts: each a function from tidy frames to a Plotly figure, with a title, units and n in it.

A frame of measured figures has one figure per row: whatever it is grouped by (`mode`, `language` …), `mean`, `low` and
`high` (a 95 % interval, empty where there is none), `n`, `unscored`, and `mark`: the URL query of the instances behind
it, which a click opens. Published figures come from `workbench.metrics` and are hollow, grey, and named in legend and
title.
"""
