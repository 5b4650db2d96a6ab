"""Is a model here, and does it work? Without loading anything, or by one real small call."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workbench.components import identifiers, makers, parts
from workbench.components.adapter import ADAPTERS
from workbench.errors import MissingError, UsageError, WorkbenchError, unknown
from workbench.models.known import Model
from workbench.records import Hit, Passage, Query

QUESTION = "Where is the Nile?"
PASSAGES = (
    Passage("a", "a", "Nile", "en", "The Nile flows through Egypt to the Mediterranean Sea."),
    Passage("b", "b", "Bread", "en", "Bread is baked from flour and water."),
)


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one real small call: whether it worked, one sentence, and seconds on the clock."""

    ok: bool
    sentence: str
    seconds: float


def is_here(model: Model, home: Path) -> bool:
    """Whether a local model's files are on this machine; a service counts as here, since nothing is to be brought."""
    from workbench.models.local import find_model

    if model.remote or not ADAPTERS[model.adapter].local:
        return True
    if model.role == "identifier":
        return identifiers.known_file(model, home) is not None
    try:
        find_model(model.model, revision=model.revision or "main")
    except (MissingError, UsageError):
        return False
    return True


def try_out(role: str, name: str, home: Path) -> Trial:
    """One real small call to the component called `name`. Raises UsageError for an unknown role, else nothing."""
    calls: dict[str, Callable[[str, Path], str]] = {
        "encoder": _encode,
        "reranker": _rerank,
        "translator": _translate,
        "generator": _generate,
        "identifier": _identify,
    }
    if role not in calls:
        raise unknown("role", role, calls, "For example: models check encoder bge-m3")
    began = time.monotonic()
    try:
        sentence = calls[role](name, home)
    except WorkbenchError as error:
        return Trial(False, str(error), time.monotonic() - began)
    return Trial(True, sentence, time.monotonic() - began)


def _encode(name: str, home: Path) -> str:
    if name == parts.BUILTIN:
        return "The built-in encoder needs no model."
    encoder = makers.dense_encoder(name, home)
    passages = encoder.encode_passages(PASSAGES)
    question = encoder.encode_questions([Query(QUESTION, "en", ("en",))])
    likeness = (question @ passages.T)[0]
    return (
        f"{encoder.dimensions} dimensions; likeness {likeness[0]:.3f} to a fitting passage, {likeness[1]:.3f} to not."
    )


def _rerank(name: str, home: Path) -> str:
    hits = [Hit(passage.id, row, "en", 0.0) for row, passage in enumerate(PASSAGES)]
    ranked = parts.reranker(name, home).rerank(Query(QUESTION, "en", ("en",)), hits, PASSAGES)
    scores = ", ".join(f"{hit.id} {hit.score:.3f}" for hit in ranked)
    return f"Ranked two passages (a fits, b does not): {scores}."


def _translate(name: str, home: Path) -> str:
    made = parts.translator(name, home).translate(["Tea"], "en", "fr")[0]
    return f"“Tea” in French: “{made.text}” ({made.kind})."


def _generate(name: str, home: Path) -> str:
    if name == parts.EXTRACTIVE:
        return "The built-in reader needs no model."
    asked = makers.generator(name, home)
    check = getattr(asked, "check", None)
    if check is None:
        return makers.GeneratorCompleter(asked).complete("", "Say hello.")
    health = check()
    if not health.ok:
        raise MissingError(health.sentence)
    return str(health.sentence)


def _identify(name: str, home: Path) -> str:
    from workbench.languages import known_languages
    from workbench.languages.detect import Detector

    found = Detector(identifiers.file_of(name, home)).detect(QUESTION, [item.code for item in known_languages()])
    return f"“{QUESTION}” is in the language “{found.code}”, confidence {found.confidence:.2f}."
