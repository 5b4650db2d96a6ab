"""The workspace's language identifier serves runs and imported predictions, and one identifier serves one run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import String

from tests.experiments.experiments import small, stored
from tests.jobs.waiting import work_on
from tests.languages.relabelled import relabelled
from workbench.app.workbench import Workbench
from workbench.components.identifiers import choose, identifier_in_use
from workbench.core.errors import MissingError
from workbench.experiments.jobs.control import ExperimentJobs
from workbench.experiments.results.predictions import import_predictions
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.scoring import stored_name
from workbench.metrics.catalogue import BY_IDENTIFIER
from workbench.workspace import result_tables as t

ANSWER = "It was Guglielmo Marconi who invented the radio."


@pytest.fixture
def french(tmp_path: Path) -> Path:
    """A real fastText model that takes English for French, and French for English."""
    return relabelled(tmp_path / "french.bin", lambda code: {"en": "fr", "fr": "en"}.get(code, code))


def cells(workbench: Workbench, experiment: str) -> list[Instance]:
    return ResultStore.at(workbench.settings.database_url).of(experiment).instances(failed=False)


def imported(workbench: Workbench, folder: Path, metric: str = "clr") -> Instance:
    path = folder / "mine.jsonl"
    path.write_text(json.dumps({"id": "q01", "answer": ANSWER}), encoding="utf-8")
    done = import_predictions(workbench, path, "sample", title="Mine", language="en", metrics=[metric])
    return cells(workbench, done.experiment_id)[0]


def test_predictions_are_identified_and_scored_by_the_selected_one(
    workbench: Workbench, tmp_path: Path, french: Path
) -> None:
    before = imported(workbench, tmp_path)
    choose(workbench.settings.home, f"fasttext:{french}")
    after = imported(workbench, tmp_path)
    assert (before.answer_language, before.scores) == ("en", {"clr": 1.0})
    assert after.scores == {f"clr@{identifier_in_use(workbench.settings.home).mark}": 0.0}


def test_figures_of_two_identifiers_are_two_metrics(workbench: Workbench, tmp_path: Path, french: Path) -> None:
    imported(workbench, tmp_path)
    choose(workbench.settings.home, f"fasttext:{french}")
    imported(workbench, tmp_path)
    mark = identifier_in_use(workbench.settings.home).mark
    assert mark.startswith("french.bin~")
    results = ResultStore.at(workbench.settings.database_url).of()
    means = {item.metric: item for item in results.means(["clr", f"clr@{mark}"], ("dataset",))}
    assert {name: (item.mean, item.n) for name, item in means.items()} == {"clr": (1.0, 1), f"clr@{mark}": (0.0, 1)}


def test_a_metric_without_an_identifier_keeps_its_name(workbench: Workbench, tmp_path: Path, french: Path) -> None:
    choose(workbench.settings.home, f"fasttext:{french}")
    assert imported(workbench, tmp_path, "flexible_em").scores.keys() == {"flexible_em"}


def test_the_longest_name_fits_the_database_and_a_list_parted_by_commas(workbench: Workbench, french: Path) -> None:
    odd = french.rename(french.with_name(f"mine, {'x' * 80}.bin"))
    choose(workbench.settings.home, f"fasttext:{odd}")
    names = [stored_name(name, identifier_in_use(workbench.settings.home).mark) for name in BY_IDENTIFIER]
    column = t.metrics.c.name.type
    assert isinstance(column, String) and column.length is not None
    assert max(map(len, names)) <= column.length
    assert not any("," in name for name in names)


def test_a_file_that_was_exchanged_is_another_identifier(workbench: Workbench, french: Path) -> None:
    choose(workbench.settings.home, f"fasttext:{french}")
    before = identifier_in_use(workbench.settings.home).mark
    relabelled(french, lambda code: {"en": "fi", "fi": "en"}.get(code, code))
    after = identifier_in_use(workbench.settings.home).mark
    assert before != after and after.startswith("french.bin~")


def test_a_run_keeps_its_figures_under_its_identifiers_name(workbench: Workbench, french: Path) -> None:
    choose(workbench.settings.home, f"fasttext:{french}")
    metrics = sorted((*BY_IDENTIFIER, "rouge_l"))
    experiment, runner = stored(workbench, small(modes=["baseline"], languages=["en"], metrics=metrics))
    runner.run()
    mark = identifier_in_use(workbench.settings.home).mark
    assert set(cells(workbench, experiment)[0].scores) == {"rouge_l", *(f"{name}@{mark}" for name in BY_IDENTIFIER)}


def test_a_run_is_identified_and_scored_by_the_selected_one(workbench: Workbench, french: Path) -> None:
    choice = {"modes": ["multirag"], "prompts": ["reply-short-en"], "languages": ["en"], "questions": 4}
    languages = []
    for name in ("builtin", f"fasttext:{french}"):
        choose(workbench.settings.home, name)
        experiment, runner = stored(workbench, small(scopes=["all"], metrics=["clr_script"], **choice))
        runner.run()
        languages.append([cell.answer_language for cell in cells(workbench, experiment)])
    assert "en" in languages[0]
    assert "fr" in languages[1]


def test_a_run_whose_identifier_is_gone_stops_with_one_sentence(workbench: Workbench, french: Path) -> None:
    choose(workbench.settings.home, f"fasttext:{french}")
    french.unlink()
    with pytest.raises(MissingError, match="that this workspace uses is not on this machine"):
        stored(workbench, small())


def test_an_experiment_does_not_go_on_with_another_identifier(
    workbench: Workbench, french: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ExperimentJobs, "spawn", lambda self, job_id, _number: work_on(self.settings, job_id))
    jobs = ExperimentJobs(workbench.settings)
    experiment = jobs.create(workbench, small())
    choose(workbench.settings.home, f"fasttext:{french}")
    jobs.start(experiment)
    *_, last = jobs.watch(experiment)
    assert last.state == "failed"
    assert "the language identifier or the ranking metrics changed since this experiment began" in last.error
