"""The table of jobs: work of any kind in a process of its own, how it stands and what became of it."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, Integer, String, Table, Text

from workbench.workspace.tables import metadata

jobs = Table(
    "jobs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("kind", String(24), nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("state", String(12), nullable=False),
    Column("stop", Boolean, nullable=False),
    Column("phase", Text, nullable=False),
    Column("done", BigInteger, nullable=False),
    Column("total", BigInteger, nullable=False),
    Column("created", Float, nullable=False),
    Column("started", Float, nullable=False),
    Column("heartbeat", Float, nullable=False),
    Column("ended", Float),
    Column("pid", Integer),
    Column("error", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("parameters", Text, nullable=False),
    Column("result", Text, nullable=False),
)
"""One row per job, however often it is resumed. A job that works on something stored has its id, as an experiment's.

`kind`: a name of `jobs.kinds`; `state`: one of `jobs.job.State`; `stop`: it shall stop. `done` of
`total` are finished in the present `phase`. `heartbeat`: when its process last wrote the row. `actor`: who started it.
`parameters`, `result`: JSON, as the kind has them."""
