"""Tunings as jobs, and what comes of them: a component with a card, used, exported and deleted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, terminal
from tests.jobs.tuning.material import material
from tests.jobs.waiting import ended, kill, until, work_on
from workbench.components.inventory import entries, unready
from workbench.components.registry import Registry
from workbench.core.errors import MissingError, UsageError
from workbench.core.records import Prompt, Question, Task
from workbench.data.datasets.dataset_library import DatasetLibrary, DatasetMetadata
from workbench.jobs.tuning.training import CHECKPOINTS
from workbench.jobs.tuning.tuning_jobs import TuningJobs, demonstrations_at
from workbench.jobs.tuning.tuning_spec import TuningSpec, spec_to_yaml
from workbench.pipeline.recipe import Recipe
from workbench.workspace.jobs import jobs as job_service
from workbench.workspace.jobs.job import Job
from workbench.workspace.jobs.jobs import Jobs
from workbench.workspace.settings import Settings, load

PROMPT = Prompt("Answer.", "Who invented radio 3?", Task("Who invented radio 3?", "en"))
REFERENCE = "tuned:mine"


@pytest.fixture(scope="module")
def tuned_workspace(tmp_path_factory: pytest.TempPathFactory) -> tuple[Settings, TuningSpec, Path]:
    """A workspace in which a model was tuned, with the spec and the file."""
    folder = tmp_path_factory.mktemp("jobs")
    choice, path = material(folder)
    settings = load(folder / "home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Jobs, "spawn", lambda jobs, job_id, _number: work_on(jobs.settings, job_id))
        job_id = TuningJobs(settings).start(choice, path)
    job = TuningJobs(settings).job(job_id)
    assert job is not None and job.state == "done", job
    return settings, choice, path


@pytest.fixture
def workspace(
    tuned_workspace: tuple[Settings, TuningSpec, Path], tmp_path: Path
) -> Iterator[tuple[Settings, TuningSpec, Path]]:
    """A copy of that workspace, to be changed."""
    settings, choice, path = tuned_workspace
    shutil.copytree(settings.home, tmp_path / "home")
    yield load(tmp_path / "home"), choice, path


def test_the_card_says_what_the_model_was_made_of(tuned_workspace: tuple[Settings, TuningSpec, Path]) -> None:
    settings, choice, path = tuned_workspace
    card = Registry(settings.home).tuned.card("mine")
    assert (card.base, card.method, card.data.count, card.data.holdout) == (choice.base, "lora", 18, 2)
    assert card.settings["demonstrations"] == path.name
    assert "Batch size: 8; the paper's is 32." in card.departures
    assert len(card.training) == 6 and card.holdout[-1].loss < card.holdout[0].loss
    assert card.author and card.created.startswith("20") and "trl" in card.packages
    assert "CPU" in card.machine and str(settings.home) not in card.model_dump_json()
    (job,) = TuningJobs(settings).all()
    assert job.result["training"][-1][0] == 6 and len(job.result["foresight"]) == 3
    assert not (settings.home / "jobs" / job.id / CHECKPOINTS).exists()


@pytest.mark.parametrize("text", ["WHO invented radio 4", "Kuka keksi radion?"])
def test_what_is_kept_for_evaluation_is_not_tuned_on(tmp_path: Path, text: str) -> None:
    choice, path = material(tmp_path)
    settings = load(tmp_path / "home")
    library, question = DatasetLibrary(settings.datasets), Question("g2", "fi", text)
    library.add("ours", "", [question], aligned=False, metadata=DatasetMetadata(parallel=True, evaluation=True))
    with pytest.raises(UsageError, match=r"evaluation dataset.* “ours”.* nothing was tuned"):
        TuningJobs(settings).start(choice, path)
    with pytest.raises(UsageError, match="take them out of the file"), demonstrations_at(settings, choice):
        pass
    assert TuningJobs(settings).all() == []


def test_it_is_a_generator_like_any_other(tuned_workspace: tuple[Settings, TuningSpec, Path]) -> None:
    settings, choice, _ = tuned_workspace
    registry = Registry(settings.home)
    entry = next(item for item in entries(settings.home, ["generator"]) if item.name == REFERENCE)
    assert entry.ready and entry.state == "tuned here" and entry.licence == "CC BY 4.0"
    assert unready(Recipe(mode="baseline", generator=REFERENCE), settings.home) == ()
    tuned, base = registry.generator(REFERENCE), registry.generator(choice.base)
    assert tuned.identity != base.identity and "adapter" in tuned.identity
    texts = [generator.generate([PROMPT])[0].text for generator in (tuned, base)]
    assert texts[0] and texts[0] != texts[1]
    assert registry.test("generator", REFERENCE).ok


def test_a_name_that_no_model_has_is_a_sentence(tuned_workspace: tuple[Settings, TuningSpec, Path]) -> None:
    registry = Registry(tuned_workspace[0].home)
    (entry,) = unready(Recipe(mode="baseline", generator="tuned:other"), tuned_workspace[0].home)
    assert entry.state == "not in this workspace"
    with pytest.raises(UsageError, match="Unknown tuned model “other”"):
        registry.generator("tuned:other")
    for name in ("tuned:../mine", "tuned:/etc", "tuned:.."):
        with pytest.raises(UsageError, match="cannot name a model"):
            registry.check(Recipe(mode="baseline", generator=name))


def test_merged_it_answers_as_base_and_adapter_do(
    tuned_workspace: tuple[Settings, TuningSpec, Path], tmp_path: Path
) -> None:
    registry = Registry(tuned_workspace[0].home)
    registry.tuned.export("mine", tmp_path / "merged", merged=True)
    registry.tuned.export("mine", tmp_path / "adapter", merged=False)
    merged = registry.generator(f"huggingface:{tmp_path / 'merged'}")
    assert merged.generate([PROMPT])[0].text == registry.generator(REFERENCE).generate([PROMPT])[0].text
    assert (tmp_path / "adapter" / "adapter_model.safetensors").is_file() and (tmp_path / "merged/card.json").is_file()
    with pytest.raises(UsageError, match="exists already"):
        registry.tuned.export("mine", tmp_path / "merged", merged=True)
    with pytest.raises(UsageError, match="cannot be tuned"):
        registry.tuned.base(REFERENCE)
    (tmp_path / "small.gguf").touch()
    with pytest.raises(UsageError, match="is a GGUF file"):
        registry.tuned.base(f"huggingface:{tmp_path / 'small.gguf'}")


def test_another_base_is_noticed(workspace: tuple[Settings, TuningSpec, Path], tmp_path: Path) -> None:
    settings, _, _ = workspace
    card = settings.home / "tuned" / "mine" / "card.json"
    values = json.loads(card.read_text(encoding="utf-8"))
    values["base_files"]["model.safetensors"] = "1 00000000 0123456789abcdef"
    card.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(MissingError, match="is not as it was when it was tuned"):
        Registry(settings.home).generator(REFERENCE)
    (settings.home / "tuned" / "mine" / "adapter_model.safetensors").write_bytes(b"x")
    with pytest.raises(MissingError, match="is damaged"):
        Registry(settings.home).generator(REFERENCE)
    card.write_text("{", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be read: delete the model"):
        Registry(settings.home).tuned.card("mine")
    assert Registry(settings.home).tuned.cards() == []
    Registry(settings.home).tuned.delete("mine")


def test_a_name_is_used_once(workspace: tuple[Settings, TuningSpec, Path]) -> None:
    settings, choice, path = workspace
    with pytest.raises(UsageError, match="There is a tuned model “mine” already"):
        TuningJobs(settings).start(choice, path)
    other = choice.model_copy(update={"name": "other"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Jobs, "spawn", lambda *_: None)
        TuningJobs(settings).start(other, path)
    with pytest.raises(UsageError, match="A tuning “other” was begun already"):
        TuningJobs(settings).start(other, path)
    with pytest.raises(UsageError, match="no file"):
        TuningJobs(settings).start(choice.model_copy(update={"name": "third"}), path.with_name("missing.jsonl"))


def test_the_commands_plan_list_show_export_and_delete(
    workspace: tuple[Settings, TuningSpec, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings, choice, _ = workspace
    run: Terminal = terminal(settings.home, capsys, monkeypatch)
    path = tmp_path / "spec.yaml"
    path.write_text(spec_to_yaml(choice), encoding="utf-8")
    planned = run("tune", str(path), "--set", "share=0.5", "--set", "name=half", "--plan")
    assert planned.code == 0 and "9 left out by the share" in planned.err and "the paper's is 32" in planned.err
    assert "sets no field" in run("tune", str(path), "--set", "share").err
    assert "There is a tuned model “mine” already" in run("tune", str(path)).err
    assert REFERENCE in run("tuned", "list").out and run("tuned", "list", "--json").json[0]["model"] == REFERENCE
    assert run("tuned", "show", "mine").json["method"] == "lora"
    assert run("tuned", "export", "mine", str(tmp_path / "out")).code == 0
    assert run("tuned", "fields").out.startswith("| field |")
    assert "Add --yes" in run("tuned", "delete", "mine").err
    assert run("tuned", "delete", "mine", "--yes").code == 0 and "no tuned models yet" in run("tuned", "list").err
    assert "Unknown tuned model" in run("tuned", "show", "mine").err


@pytest.mark.slow
def test_killed_at_five_moments_it_ends_with_the_same_curve(
    tuned_workspace: tuple[Settings, TuningSpec, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_service, "WORKER", "tests.jobs.tuning.eager_worker")
    settings, choice, path = tuned_workspace
    jobs = TuningJobs(load(tmp_path / "home"))
    job_id = jobs.start(choice, path)
    for step in range(5):

        def is_there(job: Job, least: int = step) -> bool:
            return bool(job.result.get("holdout")) and job.done >= least

        until(jobs, job_id, "running", having=is_there)
        kill(jobs, job_id)
        job = jobs.job(job_id)
        assert job is not None and job.state == "interrupted"
        jobs.resume(job_id)
    assert ended(jobs, job_id).state == "done"
    cards = [Registry(home).tuned.card("mine") for home in (settings.home, jobs.settings.home)]
    curves = [[(point.step, point.loss) for point in (*card.training, *card.holdout)] for card in cards]
    weights = [card.files["adapter_model.safetensors"] for card in cards]
    assert curves[0] == curves[1] and weights[0] == weights[1]
