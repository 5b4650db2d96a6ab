"""Whether results have changed since they were last looked at: a short value that every write of results changes."""

from __future__ import annotations

from sqlalchemy import Engine, func, select

from workbench.storage import study_tables as t


def state_of_results(engine: Engine) -> tuple[float, ...]:
    """Equal before and after means that what is drawn is still so. Reads no answers."""
    counts = [select(func.count()).select_from(table).scalar_subquery() for table in (t.batches, t.experiments, t.runs)]
    latest = select(func.max(t.jobs.c.heartbeat)).scalar_subquery()
    newest = select(func.max(t.experiments.c.created)).scalar_subquery()
    with engine.connect() as connection:
        row = connection.execute(select(*counts, latest, newest)).one()
    return tuple(float(value or 0.0) for value in row)
