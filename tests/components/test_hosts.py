"""Where a LlamaIndex class sends texts, as far as it states it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from pydantic import BaseModel

from workbench.components.adapters import services
from workbench.components.adapters.services import llama_index_host
from workbench.components.registry import Registry

REMOTE, LOCAL = "https://api.far.example/v1", "http://localhost:11434"


class InConstructor(BaseModel):
    def __init__(self, model: str = "m", api_base: str = REMOTE) -> None:
        super().__init__()


class InField(BaseModel):
    base_url: str = REMOTE


class InAttribute:
    base_url = REMOTE


class OnThisMachine(BaseModel):
    base_url: str = LOCAL


class FromTheEnvironment(BaseModel):
    """The constructor's None overrides the field: the class looks elsewhere."""

    api_base: str = REMOTE

    def __init__(self, api_base: str | None = None) -> None:
        super().__init__()


class NoAddress(BaseModel):
    api_base: str = "not an address"


class StatesNothing:
    pass


CLASSES = (InConstructor, InField, InAttribute, OnThisMachine, FromTheEnvironment, NoAddress, StatesNothing)
MODULE = "llama_index.llms.stand_in"


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """A LlamaIndex package with these classes."""
    module = ModuleType(MODULE)
    for kind in CLASSES:
        setattr(module, kind.__name__, kind)
    monkeypatch.setitem(sys.modules, MODULE, module)
    monkeypatch.setattr(services, "is_installed", lambda name: name == MODULE)


@pytest.mark.parametrize("kind", [InConstructor, InField, InAttribute])
def test_the_host_is_the_one_that_the_class_states(kind: type) -> None:
    assert llama_index_host(f"{MODULE}:{kind.__name__}") == "api.far.example"


def test_texts_stay_where_the_class_calls_this_machine() -> None:
    assert llama_index_host(f"{MODULE}:OnThisMachine") == ""


@pytest.mark.parametrize("name", ["FromTheEnvironment", "NoAddress", "StatesNothing", "Missing"])
def test_where_none_is_stated_the_words_name_the_class(name: str) -> None:
    assert llama_index_host(f"{MODULE}:{name}") == f"an unknown host ({MODULE}:{name} does not state it)"


def test_a_package_that_is_not_installed_states_nothing() -> None:
    assert llama_index_host("llama_index.llms.absent:X").startswith("an unknown host")


@pytest.mark.parametrize(
    "name",
    [
        "this:s",
        "os.path:join",
        "llama_indexx.llms.a:B",
        "llama_index.llms_of_mine.a:B",
        "llama_index.core.llmsx:B",
        "llama_index.llms:B",
        "",
    ],
)
def test_no_module_outside_llama_indexs_packages_is_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "is_installed", lambda _: True)
    monkeypatch.setattr(services, "import_module", lambda module: pytest.fail(f"{module} was imported"))
    assert llama_index_host(name).startswith("an unknown host")


def test_a_recipes_name_for_it_gives_the_same(tmp_path: Path) -> None:
    assert Registry(tmp_path).host(f"llama-index:{MODULE}:InField") == "api.far.example"
