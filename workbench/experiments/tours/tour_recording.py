"""Recording: an answer of Ask, or a stored one with what is still known of its way, as a stop of a tour."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import get_args

from pydantic import ValidationError

from workbench.app import Workbench, against_golds, plain, step_to_json
from workbench.core import (
    Answer,
    Evidence,
    Generation,
    Passage,
    Prompt,
    Question,
    Sections,
    Span,
    Step,
    Task,
    Translation,
    TranslationFailed,
    UsageError,
    is_gold,
    shorten,
)
from workbench.experiments.replays.change import recipe_of, retrace
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.summaries.run_names import choice_name
from workbench.experiments.tours.tour import Part, Tour, TourDocument, TourScore, TourStep, TourStop, TourTranslation
from workbench.languages import ENGLISH, is_known
from workbench.metrics import Score
from workbench.pipeline import BUILTIN, Recipe, format_failure, mode, recipe_to_yaml
from workbench.workspace import verb

OnStop = Callable[[int, int], None]
"""Called with the number of stops that are recorded and how many there will be."""


@dataclass(frozen=True, slots=True)
class TourRequest:
    """A question of a dataset to ask for a tour, under a recipe, with the presenter's note and the stop's headline."""

    question: Question
    recipe: Recipe
    note: str = ""
    headline: str = ""


@verb("tours.save")
def record(workbench: Workbench, requests: Sequence[TourRequest], on_stop: OnStop) -> Tour:
    """A tour of questions that are asked now, one after another. Raises what asking raises."""
    stops = []
    for number, request in enumerate(requests, start=1):
        question = request.question
        answer = workbench.ask(question.text, question.language, request.recipe)
        words = (request.note, request.headline)
        stops.append(
            with_english(workbench, stop_of_answer(answer, request.recipe, question.answers, question.gold, *words))
        )
        on_stop(number, len(requests))
    return Tour(stops=tuple(stops))


def in_english(workbench: Workbench, question: str, code: str) -> Translation | None:
    """A question in English by the built-in translator, whose memory has the sample's own translations.

    None for a question in English, and where a word is not known or only a similar text is: nothing is made up.
    """
    if code in ("", ENGLISH):
        return None
    try:
        (translation,) = workbench.registry.translator(BUILTIN).translate([question], code, ENGLISH)
    except TranslationFailed:
        return None
    is_sure = translation.kind != "fuzzy" and (translation.match is None or translation.match == 1)
    return translation if is_sure else None


def with_english(workbench: Workbench, stop: TourStop) -> TourStop:
    """A stop with its question in English, where that is known."""
    translation = in_english(workbench, stop.question, stop.language)
    return stop.model_copy(update={"english": _translation(translation)})


def answer_of(stop: TourStop) -> Answer:
    """A stop as the answer that it was recorded from, as far as it is kept."""
    evidence = tuple(
        Evidence(
            Passage(item.id, item.id, item.title, item.language or ENGLISH, item.text),
            item.rank,
            dict(item.scores),
            Translation(**item.translation.model_dump()) if item.translation else None,
        )
        for item in stop.documents
    )
    spans = tuple(Span(document.rank, *mark) for document in stop.documents for mark in document.marks)
    task = Task(stop.question, stop.language or ENGLISH, evidence)
    steps = [Step(step.name, step.component, step.seconds, step.cached, dict(step.facts)) for step in stop.steps]
    return Answer(
        question=stop.question,
        language=stop.language or ENGLISH,
        text=stop.answer,
        answer_language=stop.answer_language,
        evidence=evidence,
        prompt=Prompt(stop.system_prompt, stop.user_prompt, task),
        generation=Generation(stop.answer, spans),
        steps=tuple(steps),
        sections=_read_sections(stop) if stop.sections else None,
    )


def _read_sections(stop: TourStop) -> Sections:
    parts = stop.sections
    return Sections(parts.get("extraction", ""), parts.get("explanation", ""), parts.get("argumentation", ""))


def stop_of_answer(
    answer: Answer,
    recipe: Recipe,
    golds: Sequence[str] = (),
    gold_passages: Sequence[str] = (),
    note: str = "",
    headline: str = "",
) -> TourStop:
    """An answer that was just given, scored where golds are known. Raises UsageError where it is too large."""
    sections = answer.sections
    with _fitting():
        return TourStop(
            recorded=_today(),
            question=answer.question,
            language=_code(answer.language),
            answer=answer.text,
            answer_language=_code(answer.answer_language),
            recipe_title=recipe_title(recipe),
            recipe=recipe_to_yaml(recipe),
            golds=tuple(golds),
            documents=_documents(answer.evidence, answer.generation.spans, gold_passages),
            sections={} if sections is None else _sections(sections),
            system_prompt=answer.prompt.system,
            user_prompt=answer.prompt.user,
            steps=_steps(answer.steps),
            scores=_scores(against_golds(answer.text, golds, answer.language, format_failure(sections))),
            note=note,
            headline=headline,
        )


def stop_of_instance(workbench: Workbench, instance: Instance, note: str = "", headline: str = "") -> TourStop:
    """A stored answer with its scores and its trace. Raises UsageError where its corpus is gone or it is too large."""
    trace, recipe = retrace(workbench, instance), recipe_of(instance)
    with _fitting():
        return TourStop(
            recorded=_today(),
            question=instance.text,
            language=_code(instance.language),
            answer=instance.output,
            answer_language=_code(instance.answer_language),
            recipe_title=shorten(recipe_title(recipe) if recipe else instance.run.title, 300),
            recipe=recipe_to_yaml(recipe) if recipe else "",
            golds=instance.golds,
            documents=_documents(trace.evidence, (), instance.gold_passages),
            system_prompt=trace.prompt.system if trace.prompt else "",
            user_prompt=trace.prompt.user if trace.prompt else "",
            steps=_steps(trace.steps),
            scores=_scores(instance.scored),
            missing=trace.note or (f"The answer failed: {instance.error}" if instance.error else ""),
            note=note,
            headline=headline,
        )


def recipe_title(recipe: Recipe) -> str:
    """A recipe in a few words, such as “tRAG · English · extractive”."""
    scope = [] if recipe.mode == "baseline" else [choice_name("scope", recipe.scope)]
    return " · ".join([mode(recipe.mode).title, *scope, recipe.generator])


@contextmanager
def _fitting() -> Iterator[None]:
    """Raises UsageError in one sentence for what is beyond the limits of a tour."""
    try:
        yield
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        location = ".".join(map(str, first["loc"]))
        raise UsageError(
            f"This answer does not fit into a tour ({location}: {shorten(first['msg'], 120)}): choose another one."
        ) from None


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _documents(evidence: Sequence[Evidence], spans: Sequence[Span], golds: Sequence[str]) -> tuple[TourDocument, ...]:
    marks: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for span in spans:
        marks[span.rank].append((span.start, span.end))
    return tuple(
        TourDocument(
            rank=item.rank,
            id=shorten(item.passage.id, 300),
            title=shorten(item.passage.title, 300),
            language=_code(item.passage.language),
            text=item.passage.text,
            translation=_translation(item.translation),
            scores=dict(item.scores),
            marks=tuple(marks[item.rank]),
            gold=is_gold(item.passage, golds),
        )
        for item in evidence
    )


def _translation(translation: Translation | None) -> TourTranslation | None:
    if translation is None or translation.kind == "same":
        return None
    return TourTranslation(**plain(translation))


def _sections(sections: Sections) -> dict[Part, str]:
    return {part: text for part in get_args(Part) if (text := str(getattr(sections, part))).strip()}


def _steps(steps: Sequence[Step]) -> tuple[TourStep, ...]:
    return tuple(
        TourStep(
            **{**step_to_json(step), "component": shorten(step.component, 4_000), "seconds": max(0.0, step.seconds)}
        )
        for step in steps
    )


def _scores(scores: Mapping[str, Score]) -> tuple[TourScore, ...]:
    return tuple(TourScore(metric=name, value=score.value, reason=score.reason) for name, score in scores.items())


def _code(code: str) -> str:
    """A language as a tour's file names it: "" where this workbench does not know it."""
    return code if is_known(code) else ""
