"""Adapters: the ways in which a model, a service or a built-in part serves as a component.

A recipe names a component by a known model's name (`bge-m3`), by an adapter and a model
(`cross-encoder:/models/mine`), or by an adapter alone where it takes no model (`builtin`, `google`). An `Adapter` is
one frozen value that holds everything the workbench has to know about such a way: the roles it serves, how a
component is made, what it needs and where its texts are sent. Every module in `components/adapters` lists its own as
`ADAPTERS`; the registry finds them there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.core import Encoder, Generator, Reranker, Retriever, Role, Translator
from workbench.languages import Detector
from workbench.models import LocalModel, Model, TokenLimits, Value, find_model

if TYPE_CHECKING:
    from workbench.data import Corpus
    from workbench.retrieval import LateInteraction, SparseEncoder

Component = TypeVar("Component")


@dataclass(frozen=True, slots=True)
class Reference:
    """What a recipe's word for a component refers to. `model` is "" where the adapter takes none.

    `known` is the model's entry among the known models, None where it has none.
    """

    adapter: str
    model: str = ""
    revision: str | None = None
    parameters: Mapping[str, Value] = field(default_factory=dict)
    known: Model | None = None

    @property
    def facts(self) -> str:
        """Size and licence in words, "" where they are unknown: for a message that the model is missing."""
        return ", ".join(self.known.facts) if self.known else ""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a component is made with besides its reference.

    `home` is the workspace folder. `generator` makes the generator that a nested adapter calls, within its limits;
    `translator` is the recipe's translator, for a reader that answers in another language than its evidence; `meaning`
    that by which it compares texts of different languages, None where its package is not installed. `limits` are
    those of new tokens for a generator.
    """

    home: Path
    generator: Callable[[str, TokenLimits], Generator]
    translator: Callable[[], Translator]
    meaning: Callable[[], LateInteraction | None]
    limits: TokenLimits = field(default_factory=TokenLimits)


Maker = Callable[[Reference, Surroundings], Component]
"""Makes a component; nothing heavy is loaded before the component is first used."""


@dataclass(frozen=True, slots=True)
class Package:
    """A Python package: the `module` that is imported, and the name by which `pip` installs it."""

    module: str
    distribution: str


def is_installed(module: str) -> bool:
    """Whether a module can be found, without running any of its code beyond its namespace.

    >>> is_installed("llama_index.embeddings.no_such_service")
    False
    """
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class Listing:
    """The facts that are shown of a component without a model of its own; "" where a fact does not apply."""

    title: str
    size: str = "nothing to download"
    licence: str = ""
    languages: str = ""
    memory: str = ""
    source: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class DenseOptions:
    """How the vectors of a dense encoder are used; each can be changed in a recipe, under the same name."""

    centring: float = 0.0
    levelling: float = 0.0
    sentence_share: float = 0.0
    builtin_view: bool = False


def every_language(_code: str) -> bool:
    """For an encoder of which it is not stated which languages it knows."""
    return True


def no_packages(_reference: Reference, _role: Role) -> tuple[Package, ...]:
    """The packages of an adapter that needs none beyond those of the workbench."""
    return ()


def needs(*packages: Package) -> Callable[[Reference, Role], tuple[Package, ...]]:
    """The same packages for every model and role."""

    def packages_of(_reference: Reference, _role: Role) -> tuple[Package, ...]:
        return packages

    return packages_of


HOSTS = ", "
"""What separates the hosts of a component that sends its texts to one of several."""


def no_host(_reference: Reference, _home: Path) -> str:
    """The host of an adapter whose texts stay on this machine."""
    return ""


def no_keys(_reference: Reference, _home: Path) -> tuple[str, ...]:
    """The keys of an adapter that needs none."""
    return ()


def no_version(_reference: Reference, _home: Path) -> str:
    """The version of a component whose files nobody replaces while it is in use."""
    return ""


def any_model(_reference: Reference, _role: Role) -> None:
    """Accepts every model: whether it exists shows when it is used."""


def find_local(reference: Reference) -> LocalModel:
    """The model on this machine. Raises MissingError with the command that fetches it, UsageError for a bad name."""
    return find_model(reference.model, revision=reference.revision or "main", facts=reference.facts)


def parameters_of(reference: Reference, *names: str) -> dict[str, Any]:
    """Those of the reference's parameters that a maker takes, by name."""
    return {name: reference.parameters[name] for name in names if name in reference.parameters}


def download_command(model: Model, _home: Path) -> str:
    """The command that downloads a known model from the hub."""
    return f"python -m workbench models download {model.name}"


@dataclass(frozen=True, slots=True)
class Adapter:
    """One way of using a model, a service or a built-in part. Names are unique per role.

    What it provides: `encoder` (dense vectors), `sparse_encoder`, `reranker`, `generator` (within the limits of its
    surroundings), `translator`, `identifier`; None for what it cannot serve as.
    `corpus_retriever` is for an encoder whose index is part of every corpus. Of other dense encoders, `dense_options`
    are the defaults of a recipe, `language_means` is the file with their means where they have one (others' are
    computed from the sample), and `knows_language` is False for a code of a language that they were not trained on.
    `indexes_on_demand`: a new corpus is indexed by it unasked, an experiment that lacks the index builds it,
    and until it is there the built-in encoder serves in its place.

    What it takes: `takes_model`, whether a model follows the colon; `parameters`, the names that a known model may
    set; `nested`, whether that model is itself the name of a generator (`llm:openai-like:NAME`); `check` raises
    UsageError for a model that cannot be one.

    What it needs: `packages`; `keys`, the variables that hold secrets; `local`, whether the model's files must lie on
    this machine; `is_here` and `fetch_command`, whether they do and what fetches them, where the hub's cache does not
    decide. `host` is where texts are sent, several hosts separated by HOSTS, "" where they stay on this machine. A
    component is made anew where its `version` changes.

    What people see: `explanation` in a few words, an `example` to type, and a `listing` for an adapter without a model.
    `trial` is the sentence shown instead of a test where there is nothing to call.
    """

    name: str
    explanation: str
    encoder: Maker[Encoder] | None = None
    sparse_encoder: Maker[SparseEncoder] | None = None
    reranker: Maker[Reranker] | None = None
    generator: Maker[Generator] | None = None
    translator: Maker[Translator] | None = None
    identifier: Maker[Detector] | None = None
    corpus_retriever: Callable[[Corpus], Retriever] | None = None
    dense_options: DenseOptions = DenseOptions()
    language_means: Path | None = None
    knows_language: Callable[[str], bool] = every_language
    indexes_on_demand: bool = False
    parameters: tuple[str, ...] = ()
    takes_model: bool = True
    nested: bool = False
    local: bool = True
    packages: Callable[[Reference, Role], Sequence[Package]] = no_packages
    keys: Callable[[Reference, Path], tuple[str, ...]] = no_keys
    host: Callable[[Reference, Path], str] = no_host
    check: Callable[[Reference, Role], None] = any_model
    is_here: Callable[[Reference, Path], bool] | None = None
    fetch_command: Callable[[Model, Path], str] = download_command
    version: Callable[[Reference, Path], str] = no_version
    example: str = ""
    listing: Listing | None = None
    trial: str = ""

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles that it serves, in the order of `protocols.Role`."""
        serves: dict[Role, bool] = {
            "encoder": any((self.encoder, self.sparse_encoder, self.corpus_retriever)),
            "reranker": self.reranker is not None,
            "generator": self.generator is not None,
            "translator": self.translator is not None,
            "identifier": self.identifier is not None,
        }
        return tuple(role for role, is_served in serves.items() if is_served)
