"""D-RAG outputs without a labelled answer are wrong in every figure, and counted; the well-formed ones stand apart."""

from __future__ import annotations

import json
from pathlib import Path

from tests.experiments.experiments import small, stored
from tests.servers.misbehaving import misbehaving
from workbench.app.workbench import Workbench
from workbench.experiments.replays.change import Change
from workbench.experiments.replays.replay import replay
from workbench.experiments.result_files import export
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.run_pairs import run_deltas
from workbench.experiments.results.summaries.findings import standings
from workbench.metrics.judged.judge import judged_name

FAILURES = 15
"""Of the 24 outputs that lack the label “#Answer”; each of them contains the gold answer."""


def test_format_failures_are_in_every_figure_and_pair(workbench: Workbench, tmp_path: Path) -> None:
    with misbehaving() as server:
        model = f"openai-like:m@{server.url('says')}"
        experiment_id, runner = stored(
            workbench,
            small(
                modes=["drag", "multirag"],
                prompts="reply-short-en",
                models=model,
                questions=12,
                metrics=["flexible_em", "clr", "hallucination", "instruction_following", "mrr"],
                judge=model,
                judge_language="en",
            ),
        )
        questions = [item for code in ("en", "fi") for item in runner.inputs.questions("sample", code)]
        labelled = {item.text for item in questions[FAILURES:]}

        def script(user: str) -> str:
            if user.startswith("Does the answer do everything"):
                return f"Verdict: {int('<<<#Extraction' in user)}"
            question = next(item for item in questions if item.text in user)
            answer = question.answers[0] if question.answers else "I don't know."
            return f"#Extraction: [1].\n#Answer: {answer}" if question.text in labelled else answer

        server.script = script
        runner.run()
    view = ResultStore.at(workbench.settings.database_url).of(experiment_id)
    drag, multirag = sorted(view.runs(), key=lambda run: run.mode)
    figures = {item.metric: item for item in view.means(view.metrics(), ["run"]) if item.key == (drag.id,)}
    answerable = [item for item in questions if not item.unanswerable]
    right = sum(item.text in labelled for item in answerable)
    judged = judged_name("instruction_following", model)

    assert (figures["format_failure"].mean, figures["format_failure"].n) == (FAILURES / 24, 24)
    assert (figures[judged].mean, figures[judged].n) == (9 / 24, 24)
    assert (figures["flexible_em"].mean, figures["flexible_em"].n) == (right / len(answerable), len(answerable))
    assert figures["flexible_em"].unscored == 24 - len(answerable)
    assert (figures["flexible_em_well_formed"].mean, figures["flexible_em_well_formed"].n) == (1.0, right)
    assert "clr_well_formed" not in figures and "mrr_well_formed" not in figures

    (delta,) = run_deltas(view, "flexible_em", [[(drag.id, multirag.id)]])
    assert delta.n == len(answerable)
    ranked, _ = standings(view, "flexible_em", 2)
    assert [(row.run, row.rank, row.n) for row in ranked] == [
        (run.id, rank, len(answerable)) for rank, run in enumerate((multirag, drag), start=1)
    ]

    failures = [cell for cell in view.all_instances() if cell.is_format_failure]
    assert len(failures) == FAILURES
    cell = next(item for item in failures if item.golds)
    assert cell.scored["flexible_em"].value == 0.0 and cell.reasons["flexible_em"].startswith("The output has none of")
    file = tmp_path / "results.jsonl"
    export(workbench, view, "jsonl", file)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert (
        sum("flexible_em_well_formed" in row["unscored"] and "flexible_em" not in row["unscored"] for row in rows) > 0
    )

    again = replay(workbench, cell, Change()).scores
    assert {name: again[name] for name in ("flexible_em", "flexible_em_well_formed", "format_failure")} == {
        name: cell.scored[name] for name in ("flexible_em", "flexible_em_well_formed", "format_failure")
    }
