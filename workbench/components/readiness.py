"""Whether a component's model is on this machine, and whether it works, tested by one real small call."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workbench.components import factory, identifiers
from workbench.components.adapter import Reference
from workbench.components.adapters.llm_roles import GeneratorCompleter
from workbench.components.discovery import adapter
from workbench.components.references import adapter_of, reference
from workbench.core import Hit, MissingError, Passage, Query, Role, UsageError, WorkbenchError, unknown_name
from workbench.languages import ENGLISH, known_languages
from workbench.models import Model

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
