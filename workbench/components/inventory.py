"""Everything that a recipe can name, role by role: what it is, whether it can be used now, and what it still needs.

What is ready comes first: your own models, built-in parts, known models, services; then what is not, in the same order.
Nothing is loaded and the network is not used, unless a component is tested by one real small call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from workbench.components import factory, identifiers
from workbench.components.adapter import Adapter, Reference
from workbench.components.adapters.services import GeneratorCompleter
from workbench.components.endpoint_file import endpoints
from workbench.components.model_servers import ServerModel, server_models
from workbench.components.references import (
    adapter,
    adapter_of,
    adapters,
    adapters_for,
    host_of,
    install_command,
    known_models,
    missing_packages,
    reference,
)
from workbench.components.tuned_models import TUNED, TunedCard, tuned_cards
from workbench.core import Hit, MissingError, Passage, Query, Role, UsageError, WorkbenchError, unknown_name
from workbench.languages import ENGLISH, known_languages, language
from workbench.models import GIGA, Model, key_policy
from workbench.pipeline import Recipe
from workbench.workspace import settings

QUESTION = "Where is the Nile?"
PASSAGES = (
    Passage("a", "a", "Nile", ENGLISH, "The Nile flows through Egypt to the Mediterranean Sea."),
    Passage("b", "b", "Bread", ENGLISH, "Bread is baked from flour and water."),
)


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one real small call: whether it worked, one sentence, and seconds on the clock."""

    ok: bool
    sentence: str
    seconds: float


def is_here(model: Model, home: Path) -> bool:
    """Whether a known model's files are on this machine; a service counts, since there is nothing to fetch."""
    from workbench.models import find_model

    match = adapter(model.adapter, model.role)
    if not match.local:
        return True
    if match.is_here is not None:
        return match.is_here(Reference(model.adapter, model.model, model.revision, model.defaults, model), home)
    try:
        find_model(model.model, revision=model.revision or "main")
    except (MissingError, UsageError):
        return False
    return True


def test(role: str, name: str, home: Path) -> Trial:
    """One real small call to the component `name`. Raises UsageError for an unknown role only."""
    calls: dict[Role, Callable[[str, Path], str]] = {
        "encoder": _encode,
        "reranker": _rerank,
        "translator": _translate,
        "generator": _generate,
        "identifier": _identify,
    }
    call = next((call for known, call in calls.items() if known == role), None)
    if call is None:
        raise unknown_name("role", role, calls, "For example: models check encoder bge-m3")
    began = time.monotonic()
    try:
        sentence = call(name, home)
    except WorkbenchError as error:
        return Trial(False, str(error), time.monotonic() - began)
    return Trial(True, sentence, time.monotonic() - began)


def _instead(name: str, role: Role) -> str:
    """The sentence shown instead of a call, "" where there is something to call."""
    return adapter_of(reference(name, role), role).trial


def _encode(name: str, home: Path) -> str:
    if sentence := _instead(name, "encoder"):
        return sentence
    encoder = factory.dense_encoder(name, home)
    passages = encoder.encode_passages(PASSAGES)
    question = encoder.encode_queries([Query(QUESTION, ENGLISH, (ENGLISH,))])
    similarity = (question @ passages.T)[0]
    return (
        f"{encoder.dimensions} dimensions; similarity {similarity[0]:.3f} to a relevant passage, "
        f"{similarity[1]:.3f} to an irrelevant one."
    )


def _rerank(name: str, home: Path) -> str:
    hits = [Hit(passage.id, row, ENGLISH, 0.0) for row, passage in enumerate(PASSAGES)]
    ranking = factory.reranker(name, home).rerank(Query(QUESTION, ENGLISH, (ENGLISH,)), hits, PASSAGES)
    scores = ", ".join(f"{hit.id} {hit.score:.3f}" for hit in ranking)
    return f"Ranked two passages (a is relevant, b is not): {scores}."


def _translate(name: str, home: Path) -> str:
    translation = factory.translator(name, home).translate(["Tea"], ENGLISH, "fr")[0]
    return f"“Tea” in French: “{translation.text}” ({translation.kind})."


def _generate(name: str, home: Path) -> str:
    if sentence := _instead(name, "generator"):
        return sentence
    generator = factory.generator(name, home)
    check = getattr(generator, "check", None)
    if check is None:
        return GeneratorCompleter(generator).complete("", "Say hello.").text
    health = check()
    if not health.ok:
        raise MissingError(health.sentence)
    return str(health.sentence)


def _identify(name: str, home: Path) -> str:
    detector = identifiers.named_identifier(name, home)
    detection = detector.detect(QUESTION, [item.code for item in known_languages()])
    return f"“{QUESTION}” is in the language “{detection.language}”, confidence {detection.confidence:.2f}."


ROLES: tuple[Role, ...] = get_args(Role)
HUB_KEY = "HF_TOKEN"
BITS = {"int4": 4, "int8": 8}
"""Bits per weight, by the word for a quantised model."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A component to choose. `name` is a recipe's word for it. Facts are in words, "" where unknown.

    `state` says in a few words why it is `ready` or not; `remedy` is what to type, one command per line (""
    where it is ready). `sends_to` is the host that texts are sent to, "" where they stay on this machine.
    `downloadable`: its files are missing, and the workbench can fetch them; `package` is the package that they come in,
    "" where that is the hub.
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
    package: str = ""


@dataclass(frozen=True, slots=True)
class Key:
    """A secret by the name of its variable: what needs it, and whether it is set. Never its value."""

    name: str
    wanted_by: str
    is_set: bool


@dataclass(frozen=True, slots=True)
class Need:
    """Something that is missing, in a few words, and the command that provides it."""

    words: str
    command: str


def entries(home: Path, roles: Collection[Role] = ROLES) -> tuple[Entry, ...]:
    """Every model of one's own, built-in part, known model and service of these roles, by role, with its state now.

    Raises DataError for an endpoints.yaml, UsageError for a settings.yaml, that cannot be used.
    """
    plain = [(item, role) for item in adapters() for role in item.roles if item.listing is not None]
    return tuple(
        entry
        for role in ROLES
        if role in roles
        for entry in sorted(
            (
                *(_at_server(model) for model in (server_models(home) if role == "generator" else ())),
                *(_tuned(card) for card in (tuned_cards(home) if role == "generator" else ())),
                *(_plain(item, role, home) for item, item_role in plain if item_role == role and item.local),
                *(_known(model, home) for model in known_models() if model.role == role),
                *(_plain(item, role, home) for item, item_role in plain if item_role == role and not item.local),
            ),
            key=lambda entry: not entry.ready,
        )
    )


def unready(recipe: Recipe, home: Path) -> tuple[Entry, ...]:
    """Every component that a recipe uses and that cannot be used now, all at once, in the order of ROLES.

    A model typed by adapter is among them where a package for it is missing; its files are checked when it is loaded.
    Raises UsageError for a name that means nothing, DataError.
    """
    names: list[tuple[Role, str]] = [] if recipe.retriever == "lexical" else [("encoder", recipe.encoder)]
    names += [("reranker", recipe.reranker), ("translator", recipe.translator), ("generator", recipe.generator)]
    names += [("generator", name) for name in (recipe.expanding_model, recipe.compressing_model) if name]
    states = {(item.role, item.name): item for item in entries(home, {role for role, _ in names})}
    components = (_state_of(role, name, states) for role, name in dict.fromkeys(names))
    return tuple(item for item in components if not item.ready)


def _state_of(role: Role, name: str, states: Mapping[tuple[Role, str], Entry]) -> Entry:
    """The entry of a component under the name that a recipe gives it, known or not."""
    target = reference(name, role)
    known = states.get((role, name)) or states.get((role, target.known.name if target.known else target.adapter))
    if known is not None:
        return known
    if target.adapter == TUNED:
        return Entry(role, name, name, False, "not in this workspace", "mrag tuned list")
    needs = _package_needs(missing_packages(name, role))
    return Entry(role, name, name, not needs, _state(needs, ""), _remedy(needs))


def choices(role: Role) -> dict[str, str]:
    """The titles of what comes with the workbench for a role, by the names that a recipe gives them."""
    plain = {item.name: item.listing.title for item in adapters_for(role) if item.listing is not None}
    return plain | {model.name: model.title for model in known_models() if model.role == role}


def adapter_words(role: Role) -> dict[str, str]:
    """The adapters by which any other model serves in a role: how they are typed, and what they are."""
    return {f"{item.name}:MODEL": item.explanation for item in adapters_for(role) if item.takes_model}


def index_command(corpus: str, encoder: str) -> str:
    """The command that indexes a corpus by an encoder."""
    only_sparse = adapter(reference(encoder, "encoder").adapter, "encoder").encoder is None
    return f"python -m workbench corpora index {corpus} --encoder {encoder}{' --sparse' if only_sparse else ''}"


def secrets(home: Path) -> tuple[Key, ...]:
    """Every secret that a component may need, by the name of its variable. Raises DataError.

    Of the variables that endpoints name only those that may be keys: nobody learns of others whether they are set.
    """
    users: dict[str, list[str]] = {}
    for name, place in endpoints(home).items():
        if place.key and key_policy.is_allowed_key(place.key):
            users.setdefault(place.key, []).append(f"endpoint {name}")
    for item in adapters():
        if item.listing is not None:
            for key in item.keys(Reference(item.name), home):
                users.setdefault(key, []).append(f"{item.roles[0]} {item.name}")
    for model in known_models():
        for key in _keys_of(model, home):
            if key not in users:
                users[key] = [f"{adapter(model.adapter, model.role).explanation}"]
    users.setdefault(HUB_KEY, []).append("models whose licence must be accepted first")
    return tuple(Key(name, ", ".join(names), settings.secret(name) is not None) for name, names in users.items())


def _at_server(model: ServerModel) -> Entry:
    """The entry of a model on a server."""
    missing = _package_needs(missing_packages(model.reference, "generator"))
    size = f"{model.size / GIGA:,.1f} GB, on its server" if model.size else ""
    return Entry(
        "generator",
        model.reference,
        model.title,
        not missing,
        _state(missing, "on its server"),
        _remedy(missing),
        size,
        source="the server's own list",
        sends_to=model.host,
    )


def _tuned(card: TunedCard) -> Entry:
    """The entry of a model that was tuned in this workspace."""
    missing = _package_needs(missing_packages(card.reference, "generator"))
    return Entry(
        "generator",
        card.reference,
        f"{card.name} (tuned)",
        not missing,
        _state(missing, "tuned here"),
        _remedy(missing),
        f"{sum(int(value.split()[0]) for value in card.files.values()) / 1e6:,.0f} MB",
        ", ".join(card.data.licences),
        source="this workspace",
        note=card.summary,
    )


def _plain(item: Adapter, role: Role, home: Path) -> Entry:
    """The entry of an adapter that takes no model."""
    listing = item.listing
    assert listing is not None
    names = item.keys(Reference(item.name), home)
    needs = [*_package_needs(missing_packages(item.name, role)), *_key_needs(names)]
    return Entry(
        role=role,
        name=item.name,
        title=listing.title,
        ready=not needs,
        state=_state(needs, "built in" if item.local else _service_words(names)),
        remedy=_remedy(needs),
        size=listing.size,
        licence=listing.licence,
        languages=listing.languages,
        memory=listing.memory,
        source=listing.source,
        note=listing.note,
        sends_to=item.host(Reference(item.name), home),
    )


def _known(model: Model, home: Path) -> Entry:
    here = is_here(model, home)
    needs = _package_needs(missing_packages(model.name, model.role))
    needs += _key_needs(_keys_of(model, home)) if model.remote else [] if here else [_file_need(model, home)]
    return Entry(
        role=model.role,
        name=model.name,
        title=model.title,
        ready=not needs,
        state=_state(needs, _service_words(_keys_of(model, home)) if model.remote else "on this machine"),
        remedy=_remedy(needs),
        size="nothing to download" if model.remote else model.size,
        licence=model.licence or "",
        languages=model.coverage or ", ".join(language(code).name for code in model.languages),
        memory="" if model.remote else _memory(model),
        source=model.source,
        note=model.note or "",
        sends_to=host_of(model.name, home) if model.remote else "",
        downloadable=not here and not model.url,
        package=model.package or "",
    )


def _keys_of(model: Model, home: Path) -> tuple[str, ...]:
    target = Reference(model.adapter, model.model, model.revision, model.defaults, model)
    return adapter(model.adapter, model.role).keys(target, home)


def _package_needs(missing: tuple[str, ...]) -> list[Need]:
    return [Need(f"package not installed: {', '.join(missing)}", install_command(missing))] if missing else []


def _file_need(model: Model, home: Path) -> Need:
    gated = "; its licence must be accepted first" if model.gated else ""
    return Need(f"not on this machine{gated}", adapter(model.adapter, model.role).fetch_command(model, home))


def _key_needs(names: Sequence[str]) -> list[Need]:
    missing = [name for name in names if settings.secret(name) is None]
    if not missing:
        return []
    return [Need(f"not set: {', '.join(missing)}", " ".join(["export", *(f"{name}=…" for name in missing)]))]


def _service_words(names: Sequence[str]) -> str:
    return f"service; set: {', '.join(names)}" if names else "service; needs no key"


def _state(needs: Sequence[Need], otherwise: str) -> str:
    return "; ".join(need.words for need in needs) or otherwise


def _remedy(needs: Sequence[Need]) -> str:
    return "\n".join(need.command for need in needs)


def _memory(model: Model) -> str:
    """The memory for the weights alone, in words."""
    word = str(model.defaults.get("quantised", ""))
    precisions = [(word, BITS[word]), ("16 bits", 16)] if word in BITS else [("32 bits", 32)]
    sizes = [(name, model.memory(bits)) for name, bits in precisions]
    return ", ".join(f"{size / GIGA:,.1f} GB ({name})" for name, size in sizes if size is not None)
