"""What is shown of an answer: its JSON, what it states, and the claims of a D-RAG argument.

The JSON is what the command line prints and the screens offer for download. Claims are statements of the argument that
cite documents. They are read from the text, so that the argument of the built-in reader and that of a language model
give the same kind of table. A document is cited by its rank, as in [2], [1, 3], [1], [2] and [4], or [1]–[4].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import regex
from pydantic import TypeAdapter

from workbench.core import Answer, AnswerClaim, Evidence, Sections, Step, Usage
from workbench.languages import sentences
from workbench.models import PricedUsage
from workbench.pipeline import Recipe, format_failure
from workbench.workspace import csv_text

ANYTHING = TypeAdapter(object)


def plain(value: object) -> Any:
    """Records as JSON has them: dataclasses become objects, tuples lists.

    >>> plain(Usage(12, 3, True))["prompt_tokens"], plain((1, None))
    (12, [1, None])
    """
    return ANYTHING.dump_python(value, mode="json", fallback=dict)


def answer_to_json(answer: Answer, recipe: Recipe) -> dict[str, Any]:
    """Everything about an answer in plain values; the keys are part of the command line's contract."""
    return {
        "question": answer.question,
        "language": answer.language,
        "answer": answer.text,
        "answer_language": answer.answer_language,
        "claims": plain(answer_claims(answer)),
        "note": answer.generation.note,
        "finish": answer.generation.finish,
        "usage": _usage(answer.generation.usage),
        "corpus": recipe.corpus,
        "scope": recipe.scope,
        "mode": recipe.mode,
        "prompt": recipe.prompt,
        "passages": [_passage(item) for item in answer.evidence],
        "prompt_text": {"system": answer.prompt.system, "user": answer.prompt.user},
        "sections": _sections(answer.sections),
        "question_translation": plain(answer.question_translation),
        "answer_translation": plain(answer.answer_translation),
        **_rewriting(answer),
        "steps": [step_to_json(step) for step in answer.steps],
        "recipe": recipe.model_dump(mode="json"),
        "fingerprint": recipe.fingerprint,
    }


def step_to_json(step: Step) -> dict[str, Any]:
    """A step in plain values."""
    values = {**plain(step), "seconds": round(step.seconds, 6)}
    return {name: values[name] for name in ("name", "component", "seconds", "cached", "facts")}


def _passage(item: Evidence) -> dict[str, Any]:
    passage, read = plain(item.passage), plain(item)
    return {
        "rank": item.rank,
        **{name: passage[name] for name in ("id", "title", "language", "text")},
        **{name: read[name] for name in ("translation", "title_translation", "scores")},
        **{name: passage[name] for name in ("previous", "next")},
    }


def _sections(sections: Sections | None) -> dict[str, Any] | None:
    if sections is None:
        return None
    texts = plain(sections)
    del texts["repeated"]
    texts["found"] = texts.pop("present")
    return {**texts, "format_failure": format_failure(sections)}


def _rewriting(answer: Answer) -> dict[str, Any]:
    """What was searched with and read in place of question and documents, only where there is such a thing."""
    values: dict[str, Any] = {}
    if answer.expansion is not None:
        item = answer.expansion
        values["expansion"] = {"queries": list(item.queries), "note": item.note, "usage": _usage(item.usage)}
    if answer.compression is not None:
        values["compression"] = {**plain(answer.compression), "usage": _usage(answer.compression.usage)}
    return values


def _usage(usage: Usage | None) -> dict[str, Any] | None:
    if usage is None:
        return None
    values, cost = plain(usage), None
    if isinstance(usage, PricedUsage):
        cost = {"amount": values.pop("cost"), **{name: values.pop(name) for name in ("currency", "source", "date")}}
    return {**values, "seconds": round(usage.seconds, 6), "estimated_cost": cost}


CITATION = regex.compile(r"\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*+)\]")
"""One citation: numbers in square brackets, alone, as a list or as a range."""
RANGE = regex.compile(r"\[(\d{1,3})\]\s*[–-]\s*\[(\d{1,3})\]")
"""A range between two citations."""
PASSAGES = regex.compile(r"\((?:one passage|(?P<count>\d+) passages), in ")
"""In the built-in reader's words: how many texts some documents are."""
POINT = regex.compile(
    r"\b(?:points? to |agrees? on |answers with (?:(?:an?|the) [^()]+\()?)(?P<point>[^;()]+?)[).]*(?:;.*)?$"
)
"""What the built-in reader's argument says that documents claim."""
BULLET = regex.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")

ClaimPart = Literal["explanation", "argumentation"]
CLAIM_PARTS: tuple[ClaimPart, ...] = ("argumentation", "explanation")
"""Where claims are read from; the second only where the first cites no document."""


@dataclass(frozen=True, slots=True)
class ArgumentClaim:
    """One statement that cites documents: `ranks` in ascending order, `languages` of the originals in that order.

    `texts` is how many different texts these are, as far as the corpus says which translate each other; 0 for unknown.
    """

    text: str
    ranks: tuple[int, ...]
    languages: tuple[str, ...]
    part: ClaimPart
    texts: int = 0

    @property
    def support(self) -> str:
        """That fewer texts support it than documents, since some are translations of others; "" where none are.

        >>> ArgumentClaim("[1] and [3] say so.", (1, 3), ("en", "fr"), "argumentation", 1).support
        'one text in 2 languages'
        """
        if not 0 < self.texts < len(self.ranks):
            return ""
        return f"{'one text' if self.texts == 1 else f'{self.texts} texts'} in {len(self.languages)} languages"

    @property
    def point(self) -> str:
        """What the documents say, where the statement is in the built-in reader's words; else it without its citations.

        >>> ArgumentClaim("Documents [1] and [3] (both) point to Fox Talbot.", (1, 3), ("en",), "argumentation").point
        'Fox Talbot'
        """
        match = POINT.search(self.text)
        return match["point"] if match else CITATION.sub("", self.text).strip()


def citations(text: str, ranks: Sequence[int]) -> tuple[int, ...]:
    """The documents that a text cites, ascending; numbers that are not among `ranks` cite nothing.

    >>> citations("[1]–[3] agree; [9] does not.", [1, 2, 3, 4])
    (1, 2, 3)
    """
    cited: set[int] = set()
    for first, last in RANGE.findall(text):
        cited.update(range(int(first), int(last) + 1))
    for body in CITATION.findall(text):
        cited.update(_numbers(body))
    return tuple(sorted(cited & set(ranks)))


def answer_claims(answer: Answer) -> tuple[AnswerClaim, ...]:
    """What an answer states, in order: its generator's claims, else the complete text as one; () for no answer.

    A translated answer, and one that was read out of a longer output, may not consist of the generator's claims.
    """
    if not answer.text.strip():
        return ()
    claims = answer.generation.claims
    if claims and all(claim.text in answer.text for claim in claims):
        return claims
    return (AnswerClaim(answer.text, answer.generation.spans),)


def argument_claims(answer: Answer) -> tuple[ArgumentClaim, ...]:
    """The claims of the argument, or of the explanation where the argument cites nothing; () without sections."""
    if answer.sections is None:
        return ()
    for part in CLAIM_PARTS:
        text = str(getattr(answer.sections, part))
        if claims := tuple(_claims(text, part, answer.evidence)):
            return claims
    return ()


def claims_csv(claims: Sequence[ArgumentClaim]) -> str:
    """One row per claim, numbered from 1; documents and languages are separated by spaces."""
    head = ("number", "part", "claim", "documents", "languages")
    rows = (
        (number, claim.part, claim.text, " ".join(map(str, claim.ranks)), " ".join(claim.languages))
        for number, claim in enumerate(claims, start=1)
    )
    return csv_text([head, *rows])


def _claims(text: str, part: ClaimPart, evidence: Sequence[Evidence]) -> Iterator[ArgumentClaim]:
    by_rank = {item.rank: item.passage.language for item in evidence}
    units = {item.rank: item.passage.group or item.passage.id for item in evidence}
    for line in text.splitlines():
        statement = BULLET.sub("", line).strip()
        for start, end in sentences(statement):
            sentence = statement[start:end]
            if ranks := citations(sentence, list(by_rank)):
                languages = tuple(dict.fromkeys(by_rank[rank] for rank in ranks))
                # The built-in reader finds out which translate each other where the corpus does not say.
                words = PASSAGES.search(sentence)
                count = int(words["count"] or 1) if words else len({units[rank] for rank in ranks})
                yield ArgumentClaim(sentence, ranks, languages, part, count)


def _numbers(body: str) -> Iterator[int]:
    """The numbers of a citation's inside, such as `1, 3` or `1–4`."""
    for piece in regex.split(r"[,;]", body):
        ends = [int(number) for number in regex.findall(r"\d+", piece)]
        yield from range(ends[0], ends[-1] + 1)
