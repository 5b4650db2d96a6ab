"""The language identifier of a workspace: chosen once, read by everything, and never replaced silently."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.languages.relabelled import relabelled
from tests.languages.test_detect import SENTENCES
from workbench.app.doctor import essentials
from workbench.app.workbench import Workbench
from workbench.components.adapters.fasttext_files import FOLDER
from workbench.components.identifiers import FILE, IdentifierChoice, choose, identifier, identifier_choice
from workbench.components.registry import Registry
from workbench.core.errors import DataError, MissingError, UsageError, WorkbenchError
from workbench.languages.catalogue import language
from workbench.languages.detection import Detector
from workbench.metrics.catalogue import BY_IDENTIFIER, MEASURES, measures_with
from workbench.metrics.measure import Case
from workbench.pipeline.recipe import Recipe
from workbench.workspace import settings
from workbench.workspace.settings import IDENTIFIER_VARIABLE

AMONG = ("en", "et", "fi")
QUESTION, LAST = "Who invented radio?", "detect language"


def swapped(path: Path) -> Path:
    """A real fastText model that calls English French, French English and Finnish Estonian."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = {"en": "fr", "fr": "en", "fi": "et", "et": "fi"}
    return relabelled(path, lambda code: names.get(code, code))


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return swapped(tmp_path / "other.bin")


def test_the_built_in_one_is_the_default(tmp_path: Path) -> None:
    assert identifier_choice(tmp_path) == IdentifierChoice("builtin", "default")
    assert identifier(tmp_path).identity == Detector().identity


def test_choosing_another_changes_what_is_identified_and_choosing_back_undoes_it(tmp_path: Path, other: Path) -> None:
    assert identifier(tmp_path)(SENTENCES["fi"], AMONG) == "fi"
    choose(tmp_path, f"fasttext:{other}")
    assert identifier(tmp_path)(SENTENCES["fi"], AMONG) == "et"
    choose(tmp_path, "builtin")
    assert identifier(tmp_path)(SENTENCES["fi"], AMONG) == "fi"


def test_a_known_one_is_loaded_from_where_its_command_puts_it(tmp_path: Path) -> None:
    swapped(tmp_path / FOLDER / "lid.176.bin")
    assert choose(tmp_path, "LID.176") == "lid.176"
    assert identifier_choice(tmp_path) == IdentifierChoice("lid.176", "workspace")
    assert identifier(tmp_path)(SENTENCES["fi"], AMONG) == "et"
    entry = next(item for item in Registry(tmp_path).inventory() if item.name == "lid.176")
    assert (entry.ready, entry.downloadable) == (True, False)
    assert (
        Registry(tmp_path)
        .test("identifier", "lid.176")
        .sentence.startswith("“Where is the Nile?” is in the language “fr”")
    )


def test_a_file_is_stored_by_its_absolute_path(tmp_path: Path, other: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(other.parent)
    choose(tmp_path, f"fasttext:{other.name}")
    monkeypatch.chdir("/")
    assert identifier(tmp_path)(SENTENCES["fi"], AMONG) == "et"


def test_the_environment_overrides_the_workspace(tmp_path: Path, other: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choose(tmp_path, "builtin")
    monkeypatch.setenv(IDENTIFIER_VARIABLE, f"fasttext:{other}")
    assert identifier_choice(tmp_path).source == "environment"
    assert identifier(tmp_path)(SENTENCES["fi"], AMONG) == "et"


def test_a_missing_one_is_one_sentence_with_two_remedies(tmp_path: Path, other: Path) -> None:
    choose(tmp_path, f"fasttext:{other}")
    other.unlink()
    with pytest.raises(MissingError) as caught:
        identifier(tmp_path)
    assert str(caught.value) == (
        f"The language identifier “fasttext:{other}” that this workspace uses is not on this machine: put its file "
        "back or go back to the built-in one (python -m workbench models use builtin)."
    )


def test_one_that_the_environment_names_and_that_is_missing_is_reported_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(IDENTIFIER_VARIABLE, "lid.176")
    with pytest.raises(MissingError, match=r"that WORKBENCH_IDENTIFIER names is not on this machine: fetch it \(curl "):
        identifier(tmp_path)


def test_a_question_is_not_answered_with_another_identifier(
    workbench: Workbench, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(workbench.settings.home, f"fasttext:{other}")
    other.unlink()
    with pytest.raises(MissingError, match="that this workspace uses is not on this machine"):
        workbench.ask(QUESTION, "en", Recipe())


def test_a_file_that_vanishes_while_in_use_is_one_sentence(other: Path) -> None:
    detector = Detector(other)
    other.unlink()
    calls: tuple[Callable[[], str], ...] = (lambda: detector.identity, lambda: detector(SENTENCES["fi"], AMONG))
    for call in calls:
        with pytest.raises(MissingError, match="There is no language identification file"):
            call()


@pytest.mark.parametrize(
    ("name", "error", "expected"),
    [
        ("lid.176", MissingError, "is not on this machine. Type: curl"),
        ("glotlid9", UsageError, "Unknown language identifier “glotlid9”. Allowed: builtin, glotlid, lid.176, openlid"),
        ("bge-m3", UsageError, "Unknown language identifier “bge-m3”"),
        ("fasttext:/nowhere/lid.bin", MissingError, "There is no language identification file “/nowhere/lid.bin”"),
    ],
)
def test_what_cannot_be_used_is_refused(
    tmp_path: Path, name: str, error: type[WorkbenchError], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(error, match=expected.replace(".", r"\.")):
        choose(tmp_path, name)
    assert not (tmp_path / FILE).exists()


def test_a_file_that_is_not_an_identifier_is_refused(tmp_path: Path) -> None:
    half = swapped(tmp_path / "half.bin")
    half.write_bytes(half.read_bytes()[:100_000])
    for path in (half, relabelled(tmp_path / "sentiment.bin", lambda code: f"positive-{code}-feeling")):
        with pytest.raises(DataError):
            choose(tmp_path, f"fasttext:{path}")
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize("text", ["identifier: [", "identifer: glotlid", "identifier: 3", "- a", "\x00"])
def test_a_settings_file_that_cannot_be_used_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    for call in (identifier, lambda home: choose(home, "builtin")):
        with pytest.raises(UsageError):
            call(tmp_path)
    assert (tmp_path / FILE).read_text() == text


def test_the_steps_of_two_identifiers_are_kept_apart(workbench: Workbench, other: Path) -> None:
    def identified() -> tuple[str, bool]:
        answer = workbench.ask(QUESTION, "en", Recipe(scope="all"))
        return answer.answer_language, next(step.cached for step in answer.steps if step.name == LAST)

    before = identified()
    choose(workbench.settings.home, f"fasttext:{other}")
    assert identified() == ("fr", False)
    assert identified() == ("fr", True)
    choose(workbench.settings.home, "builtin")
    assert before == ("en", False)
    assert identified() == ("en", True)


def test_the_metrics_that_identify_languages_use_the_workspaces_identifier(tmp_path: Path, other: Path) -> None:
    choose(tmp_path, f"fasttext:{other}")
    mine = measures_with(identifier(tmp_path))
    case = Case(SENTENCES["en"], (), language("en"))
    assert (MEASURES["clr"].score([case])[0].value, mine["clr"].score([case])[0].value) == (1.0, 0.0)
    assert MEASURES["code_switch"].score([case])[0].value == 0.0
    assert mine["code_switch"].score([case])[0].value == 1.0
    assert {name for name in MEASURES if MEASURES[name] is not mine[name]} == BY_IDENTIFIER


@pytest.mark.parametrize(
    ("name", "ready", "state", "remedy"),
    [
        ("builtin", True, "in use: builtin, chosen in this workspace", ""),
        ("lid.176", False, "is not on this machine", "python -m workbench models use builtin"),
        ("no-such", False, "Unknown language identifier", "python -m workbench models use builtin"),
    ],
)
def test_doctor_reports_which_is_in_use_or_how_to_restore_the_built_in_one(
    tmp_path: Path, name: str, ready: bool, state: str, remedy: str
) -> None:
    (tmp_path / FILE).write_text(f"identifier: {name}")
    checks = {item.name: item for item in essentials(Workbench(settings.load(tmp_path)))}
    check = checks["language identification"]
    assert (check.ready, check.remedy) == (ready, remedy)
    assert state in check.state
