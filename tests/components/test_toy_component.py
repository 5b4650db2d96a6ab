"""A component is added by one module: everything that lists, checks or makes components then knows it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.trees import copy_sample
from workbench.app.doctor import examine
from workbench.app.workbench import Workbench
from workbench.components import adapters, references
from workbench.components.inventory import adapter_words
from workbench.components.references import adapter
from workbench.components.registry import Registry
from workbench.core.errors import DataError, UsageError
from workbench.experiments.experiment import make_experiment
from workbench.experiments.planning import hosts_of
from workbench.pipeline.recipe import make_recipe
from workbench.workspace import settings

MODULE = '''
"""A toy: a generator that answers with the question, and any model behind it."""

from workbench.components.adapter import Adapter, Listing, Package, needs
from workbench.core import Generation


class Echo:
    def __init__(self, model=""):
        self.identity = f"echo {model}"

    def generate(self, prompts):
        return [Generation(prompt.task.question) for prompt in prompts]


ADAPTERS = (
    Adapter(
        "echo",
        "repeats the question",
        generator=lambda reference, surroundings: Echo(),
        takes_model=False,
        local=False,
        packages=needs(Package("no_such_toy_module", "toy-package")),
        keys=lambda reference, home: ("TOY_KEY",),
        host=lambda reference, home: "toys.example",
        listing=Listing("Echo", licence="MIT", source="a test"),
    ),
    Adapter(
        "echo-model",
        "repeats the question with a model's name",
        generator=lambda reference, surroundings: Echo(reference.model),
        check=lambda reference, role: reference.model.index("toy"),
        example="echo-model:toy-1",
    ),
)
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package of adapters with one more module."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "toy_component.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.setattr(adapters, "__path__", [*adapters.__path__, str(folder)])
    monkeypatch.delenv("TOY_KEY", raising=False)
    references.forget()
    yield
    sys.modules.pop(f"{adapters.__name__}.toy_component", None)
    references.forget()


@pytest.fixture
def registry(toy: None, tmp_path: Path) -> Registry:
    return Registry(tmp_path / "home")


def test_it_is_valid_in_a_recipe_and_in_no_other_role(registry: Registry) -> None:
    assert registry.check(make_recipe({"generator": "echo"})) == ("toys.example",)
    assert registry.check(make_recipe({"generator": "echo-model:toy-1"})) == ()
    with pytest.raises(UsageError, match="cannot be used as translator"):
        registry.check(make_recipe({"translator": "echo-model:toy-1"}))


def test_its_check_of_the_model_runs(registry: Registry) -> None:
    with pytest.raises(ValueError, match="substring not found"):
        registry.check(make_recipe({"generator": "echo-model:another"}))


def test_its_host_is_named_before_an_experiment_runs(registry: Registry) -> None:
    experiment = make_experiment({"models": ["extractive", "echo"]})
    assert hosts_of(experiment, registry.home) == ("toys.example",)


def test_its_missing_package_and_key_are_named_with_their_commands(registry: Registry) -> None:
    assert registry.missing_packages("echo", "generator") == ("toy-package",)
    entry = next(item for item in registry.inventory() if item.name == "echo")
    assert (entry.ready, entry.state) == (False, "package not installed: toy-package; not set: TOY_KEY")
    assert entry.remedy == "pip install toy-package\nexport TOY_KEY=…"
    assert "TOY_KEY" in {key.name for key in registry.secrets()}


def test_settings_and_the_forms_list_it(registry: Registry) -> None:
    # Settings draws the entries and `adapter_words`; the forms of Ask and Runs draw the entries.
    assert ("generator", "echo", "toys.example") in {
        (item.role, item.name, item.sends_to) for item in registry.inventory()
    }
    assert adapter_words("generator")["echo-model:MODEL"] == "repeats the question with a model's name"


def test_doctor_lists_it_with_the_command_that_is_missing(registry: Registry) -> None:
    check = next(item for item in examine(Workbench(settings.load(registry.home))) if item.name == "generator echo")
    assert not check.ready and check.remedy == "pip install toy-package && export TOY_KEY=…"


def test_it_answers(registry: Registry, sample_home: Path) -> None:
    copy_sample(sample_home, registry.home)
    answer = Workbench(settings.load(registry.home)).ask(
        "Who invented radio?", "en", make_recipe({"mode": "baseline", "generator": "echo-model:toy-1"})
    )
    assert answer.text == "Who invented radio?"
    assert registry.test("generator", "echo-model:toy-1").ok


@pytest.mark.usefixtures("toy")
def test_two_of_one_name_in_one_role_are_refused(tmp_path: Path) -> None:
    (tmp_path / "modules" / "toy_twin.py").write_text(MODULE, encoding="utf-8")
    references.adapters.cache_clear()
    with pytest.raises(DataError, match="Two adapters are called “echo”"):
        references.adapters()
    sys.modules.pop(f"{adapters.__name__}.toy_twin", None)


def test_without_its_module_nobody_knows_it(tmp_path: Path) -> None:
    assert "echo" not in {item.name for item in Registry(tmp_path).inventory()}
    with pytest.raises(KeyError):
        adapter("echo")
