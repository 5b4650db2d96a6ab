"""Whether an experiment may go on: what it stores and what it would add must belong together.

Asked before failed cells are forgotten, and by each job before its first batch.
"""

from __future__ import annotations

from sqlalchemy import Engine, select

from workbench.core import UsageError
from workbench.experiments.experiment import row_of
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.results.queries.experiment_list import stored_experiment
from workbench.workspace import result_tables as t

ANEW = "so its results would not belong together: run it anew."
INPUTS_CHANGED = (
    "The questions, the corpus, the language identifier or the ranking metrics changed since this experiment began, "
    f"{ANEW}"
)
RUNS_CHANGED = f"This version of the workbench makes other runs of its matrix than when this experiment began, {ANEW}"


def check_resumable(engine: Engine, experiment_id: str, inputs: ExperimentInputs) -> None:
    """Checks that an experiment's stored results are about these inputs, by these metrics and for these runs.

    Raises UsageError where they are not, and as `ExperimentInputs.fingerprint` does.
    """
    with engine.connect() as connection:
        material = stored_experiment(connection, experiment_id).material
        columns = (t.runs.c.number, t.runs.c.dataset, t.runs.c.perturbation, t.runs.c.fingerprint)
        statement = select(*columns).where(t.runs.c.experiment_id == experiment_id).order_by(t.runs.c.number)
        stored = [tuple(row) for row in connection.execute(statement)]
    # The questions first: other inputs often have other runs as well, and are what a person can see.
    if material != inputs.fingerprint:
        raise UsageError(INPUTS_CHANGED)
    rows = map(row_of, inputs.runs)
    if stored != [(row.number, row.dataset, row.perturbation, row.fingerprint) for row in rows]:
        raise UsageError(RUNS_CHANGED)
