"""Tuned models on the Settings screen: the form, what it takes, a tuning under way and ended, and the cards."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import FakeWorkbench
from tests.jobs.tuning.material import demonstration, material
from tests.jobs.waiting import work_on
from tests.screens.conftest import html, open_page
from workbench.jobs.demonstrations.demonstration_file import write_demonstrations
from workbench.jobs.tuning.tuning_jobs import TuningJobs
from workbench.jobs.tuning.tuning_spec import TuningSpec
from workbench.ui.settings import tuned_models
from workbench.workspace.jobs.jobs import Jobs

SECTION = "Tuned models"


def page() -> AppTest:
    return open_page("settings", section=SECTION)


def test_the_form_has_every_field_of_the_spec_and_says_what_is_needed(fake: FakeWorkbench) -> None:
    app = page()
    titles = {item.label for kind in (app.text_input, app.selectbox, app.number_input) for item in kind}
    assert {item.title for item in TuningSpec.model_fields.values()} <= titles
    helps = [item.help for kind in (app.text_input, app.selectbox, app.number_input) for item in kind]
    assert all(helps)
    assert "Still needed: Name, Base model, Demonstrations." in [item.value for item in app.caption]
    assert "Data screen" in " ".join(item.value for item in app.markdown)


def test_the_form_opens_no_path_of_the_server(
    fake: FakeWorkbench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(write_demonstrations([demonstration(1)]), encoding="utf-8")
    monkeypatch.setattr(tuned_models, "_bases", lambda: ["smollm2"])
    values = {name: item.default for name, item in TuningSpec.model_fields.items()}
    values |= {"name": "x", "base": "smollm2", "demonstrations": str(path)}
    monkeypatch.setattr(tuned_models, "_control", values.__getitem__)
    app = page()
    app.button(key="tune_see").click().run()
    assert not app.exception and "Select a set of demonstrations, or a file of them." in html(app)


def test_what_is_not_allowed_is_one_sentence(fake: FakeWorkbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuned_models, "_sets", lambda: ["set"])
    monkeypatch.setattr(tuned_models, "_bases", lambda: ["smollm2"])
    app = page()
    app.text_input(key="tune_name").set_value("../x")
    app.selectbox(key="tune_base").set_value("smollm2")
    app.selectbox(key="tune_demonstrations").set_value("set").run()
    app.button(key="tune_see").click().run()
    assert not app.exception and "cannot name a model" in html(app)
    app.text_input(key="tune_name").set_value("x")
    app.number_input(key="tune_epochs").set_value(0).run()
    app.button(key="tune_see").click().run()
    assert "epochs is “0”" in html(app)


def test_a_tuned_model_has_a_card_is_tested_and_deleted(fake: FakeWorkbench, tmp_path: Path) -> None:
    choice, path = material(tmp_path, epochs=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Jobs, "spawn", lambda jobs, job_id, _number: work_on(jobs.settings, job_id))
        TuningJobs(fake.settings).start(choice, path)
    app = open_page("settings", "tuned_more_mine", section=SECTION)
    assert "tuned on 18 demonstrations (LoRA); held-out loss" in html(app)
    assert "Batch size: 8" in html(app)
    assert not app.exception
    app.button(key="test_generator_tuned:mine").click().run()
    assert "It works" in html(app)
    assert "Recipes that name tuned:mine can then not run" in html(app)
    app.button(key="tuned_delete_mine_now").click().run()
    assert "The tuned model “mine” was deleted." in html(app) and fake.registry.tuned.names() == []


def test_a_tuning_at_work_shows_its_losses_and_one_that_failed_the_reason(fake: FakeWorkbench, tmp_path: Path) -> None:
    choice, path = material(tmp_path, max_length=32)
    path.write_text(write_demonstrations([demonstration(1, answer="word " * 99)]), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Jobs, "spawn", lambda jobs, job_id, _number: work_on(jobs.settings, job_id))
        TuningJobs(fake.settings).start(choice, path)
    app = page()
    assert "Tuning of a model “mine” failed: None of the 1 demonstrations is left to train on" in html(app)
    assert any(button.label == "Resume" for button in app.button)


def test_the_curves_are_rows_and_lines() -> None:
    frame = tuned_models.loss_frame({"training": [(1, 2.0), (2, 1.0)], "holdout": [(0, 3.0)]})
    assert frame["loss"].tolist() == [2.0, 1.0, 3.0]
    figure = tuned_models.loss_figure(frame, "n = 18 demonstrations")
    assert [trace.name.replace("<br>", " ") for trace in figure.data] == list(tuned_models.SERIES.values())
    assert "n = 18" in figure.layout.title.text
