"""The built-in reader: answers by quoting the evidence.  It is no language model, and says so.

It obeys what the prompt asks for as far as the translator lets it: the answer's language, and names in its alphabet.
With a dialectic prompt it builds the four parts of Dialectic-RAG from the documents (`dialectic_reader`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import yaml

from workbench.identity import component
from workbench.protocols import Translator
from workbench.reader.dialectic_reader import dialectic
from workbench.reader.evidence_sentences import budget
from workbench.reader.quoting import compose, in_language
from workbench.reader.sentence_scoring import Candidate, candidates
from workbench.records import Generation, Prompt, Task

VERSION = 1
NO_MODEL = "The built-in reader quotes its evidence; it is no language model."


class ExtractiveReader:
    """Implements `protocols.Generator`: the same prompt always gives the same answer."""

    def __init__(self, translator: Translator) -> None:
        self._translator = translator

    @property
    def identity(self) -> str:
        return component("extractive", version=VERSION, translator=self._translator.identity)

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """One answer a prompt; its text is "" where the prompt holds no evidence to quote, and the note says why."""
        return [self._answer(prompt.task) for prompt in prompts]

    def _answer(self, task: Task) -> Generation:
        ordered = candidates(task, self._translator)
        if not ordered:
            said = _no_documents()
            return Generation("", note=said.get(task.language, said["en"]))
        if task.dialectic:
            made = dialectic(task, ordered, self._translator)
            return Generation(made.text, made.spans, f"{NO_MODEL} {made.note}".strip(), made.translation)
        ours = in_language(ordered, task.answer_language, self._translator)
        stays = task.answer_language in ("", ours[0].evidence.language)
        quoted = choose(ours) if stays else (ours[0],)
        answer = compose(quoted, task, self._translator)
        return Generation(
            answer.text, tuple(item.span for item in quoted), f"{NO_MODEL} {answer.note}".strip(), answer.translation
        )


@cache
def _no_documents() -> dict[str, str]:
    read = files("workbench.reader").joinpath("no_documents.yaml").read_text(encoding="utf-8")
    return {str(code): str(said) for code, said in yaml.safe_load(read).items()}


CANDIDATES = 6
LEAST_SHARE = 0.45
"""A further sentence must score so much of the best one's score."""


def choose(ordered: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The best candidate and, while they fit the budget, the next in its language; in reading order.

    `ordered` is best first and not empty.
    """
    best = ordered[0]
    room = budget(best.evidence.language) - (best.end - best.start)
    taken = [best]
    for item in ordered[1:CANDIDATES]:
        alike = item.evidence.language == best.evidence.language
        if alike and item.end - item.start <= room and item.score >= LEAST_SHARE * best.score:
            taken.append(item)
            room -= item.end - item.start
    return tuple(sorted(taken, key=lambda item: (item.evidence.rank, item.start)))
