"""The four parts of Dialectic-RAG (Ranaldi et al. 2025), built from the documents without a model.

Extraction quotes each relevant document; Explanation says what each claims and which do not bear on the question;
Dialectic Argumentation sets the claims against each other; Answer is short and in the question's language.  The
wording is neutral: whether sources agree is reported, which of them is right is not decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.languages import language
from workbench.protocols import Translator
from workbench.reader.claims import Camp, Claim, camps, claims, relevant
from workbench.reader.quoting import compose, in_language
from workbench.reader.rendering import KINDS, Rendered, attempt
from workbench.reader.sentence_scoring import Candidate
from workbench.records import Generation, Task

LABELS = {
    "extraction": "#Extraction",
    "explanation": "#Explanation",
    "argumentation": "#Dialectic Argumentation",
    "answer": "#Answer",
}
POINTS_SHOWN = 4


@dataclass(frozen=True, slots=True)
class _Reading:
    """What was made of the documents."""

    claims: tuple[Claim, ...]
    camps: tuple[Camp, ...]
    irrelevant: tuple[int, ...]


def dialectic(task: Task, ordered: Sequence[Candidate], translator: Translator) -> Generation:
    """The parts that `task.dialectic` names, each beginning on a line of its own with its label.

    `ordered` are all candidates, best first, at least one.  The spans are the quoted sentences.
    """
    chosen = relevant(ordered)
    made = claims(task, chosen, translator)
    ranks = {item.evidence.rank for item in chosen}
    reading = _Reading(made, camps(made), tuple(sorted(item.rank for item in task.evidence if item.rank not in ranks)))
    argued = [_argued(text, task.argument_language, translator) for text in (_explanation(reading), _argument(reading))]
    answer = _answer(task, ordered, reading, translator)
    texts = {
        "extraction": _extraction(reading),
        "explanation": argued[0].text,
        "argumentation": argued[1].text,
        "answer": answer.text,
    }
    asked_for = [part for part in LABELS if part in task.dialectic]
    notes = [answer.note] if "answer" in asked_for else []
    if {"explanation", "argumentation"} & set(asked_for):
        notes.extend(dict.fromkeys(item.note for item in argued if item.note))
    text = "\n".join(f"{LABELS[part]}: {texts[part]}" for part in asked_for)
    return Generation(text, tuple(item.span for item in chosen), " ".join(notes), answer.translation)


def _extraction(reading: _Reading) -> str:
    return "\n".join(
        f"[{claim.evidence.rank}] ({claim.evidence.language}) “{claim.candidate.text}”" for claim in reading.claims
    )


def _explanation(reading: _Reading) -> str:
    lines = [f"{_who([claim])} {_says(claim)}" for claim in reading.claims]
    if reading.irrelevant:
        lines.append(f"{_documents(reading.irrelevant)} {_verb(reading.irrelevant, 'bears', 'bear')} little on it.")
    return "\n".join(lines)


def _says(claim: Claim) -> str:
    named = f" and mentions {_listed(claim.points)}" if claim.points else ""
    return f"addresses the question{named}: {claim.common}"


def _argument(reading: _Reading) -> str:
    sides = reading.camps
    if not sides:
        return "The documents hold no names or numbers to set against each other."
    if len(sides) == 1:
        only = sides[0]
        if len(only.claims) == 1:
            named = _listed(only.points)
            return f"Only {_who(only.claims)} answers in names or numbers ({named}); no document contradicts it."
        return f"{_who(only.claims)} agree on {_listed(only.points)}. No relevant document says otherwise."
    lines = [
        f"{_who(side.claims)} ({_tongues(side)}) {_verb(side.claims, 'points', 'point')} to {_listed(side.points)}."
        for side in sides
    ]
    lines.append(
        "These claims differ. They may conflict or stress different things; "
        "the documents alone do not decide between them."
    )
    return "\n".join(lines)


def _argued(text: str, code: str, translator: Translator) -> Rendered:
    """English unless the translator truly knows another language: a gloss of an argument would mislead."""
    if code == "en":
        return Rendered(text)
    made = attempt(translator, text, "en", code)
    if made is None or made.kind in ("gloss", "mixed"):
        return Rendered(text, f"The argument is in English: it could not be translated to {language(code).name}.")
    return Rendered(made.text, f"The argument was translated by {KINDS[made.kind]}.")


def _answer(task: Task, ordered: Sequence[Candidate], reading: _Reading, translator: Translator) -> Rendered:
    """The best sentence, and where camps differ the best sentence of the next camp too, so neither is hidden."""
    wanted = task.answer_language or task.language
    mine = replace(task, answer_language=wanted)
    first = in_language(ordered, wanted, translator)[0]
    quoted = [first]
    if len(reading.camps) > 1:
        others = [
            claim.candidate
            for camp in reading.camps
            for claim in camp.claims[:1]
            if all(member.evidence.rank != first.evidence.rank for member in camp.claims)
        ]
        quoted.extend(others[:1])
    made = [compose([item], mine, translator) for item in quoted]
    notes = dict.fromkeys(item.note for item in made if item.note)
    return Rendered(" / ".join(dict.fromkeys(item.text for item in made)), " ".join(notes), made[0].translation)


def _who(made: Sequence[Claim]) -> str:
    return _documents([claim.evidence.rank for claim in made])


def _documents(ranks: Sequence[int]) -> str:
    listed = _listed([f"[{rank}]" for rank in ranks])
    return f"Document{'s' if len(ranks) > 1 else ''} {listed}"


def _verb(subject: Sequence[object], one: str, many: str) -> str:
    return one if len(subject) == 1 else many


def _listed(items: Sequence[str]) -> str:
    shown = list(items[:POINTS_SHOWN])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _tongues(camp: Camp) -> str:
    return ", ".join(dict.fromkeys(language(claim.evidence.language).name for claim in camp.claims))
