"""What people label: queues of answers, one answer of a queue for one person, and what they said about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.annotation.text_spans import TextSpan

ANSWER = "answer"
"""What a label is about unless another part is named: the complete answer."""
QUESTION = "question"
CLAIM = "claim:"
"""Begins the name of a part of the answer, such as “claim:2”; its spans count from the answer's beginning."""
PASSAGE = "passage:"
"""Begins the name of a passage that the answer was given, such as “passage:radio.en.1”."""


@dataclass(frozen=True, slots=True)
class AnnotationQueue:
    """A sample of answers to be labelled under a taxonomy.

    `runs` are "experiment id/run number"; `per_language` answers of each language were drawn with `seed`;
    `annotators_per_item` people at most label each; `twice_share` (0 to 1) of the items are shown twice to the same
    person. `version` is the taxonomy's in use now; `created` is in seconds since 1970.
    """

    id: str
    name: str
    taxonomy: str
    version: int
    runs: tuple[str, ...]
    per_language: int
    seed: int
    annotators_per_item: int
    twice_share: float
    created: float


@dataclass(frozen=True, slots=True)
class QueueItem:
    """An answer of a queue, as it was when the queue was created, for a person's first or second `showing`.

    `queue` is the queue's id, `number` counts from 1. `instance_key` names the cell: experiment id, run number,
    question and language, separated by slashes. `question_name` is the question's id in its dataset, `question` and
    `answer` are texts in NFC, `fingerprint` is the recipe's.
    """

    queue: str
    number: int
    instance_key: str
    language: str
    experiment_id: str
    run_number: int
    dataset: str
    question_name: str
    fingerprint: str
    question: str
    answer: str
    showing: int = 1


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """What one person said about one part (`on`) of an item, at one showing.

    `labels` are keys of the taxonomy, () for none of them; `version` is the taxonomy's when they were given; `saved` is
    in seconds since 1970, to the microsecond; `translated`: an English translation was shown next to the original.
    """

    queue: str
    number: int
    annotator: str
    showing: int
    on: str
    labels: tuple[str, ...]
    comment: str
    spans: tuple[TextSpan, ...]
    taxonomy: str
    version: int
    saved: float
    translated: bool = False


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """How far a queue is. `places` is items × people each; `complete` and `reserved` count first showings.

    `languages`: complete and all places by language; `annotators`: items completed by person, first showings;
    `to_review`: labels that a newer version of the taxonomy touches.
    """

    items: int
    places: int
    complete: int
    reserved: int
    languages: Mapping[str, tuple[int, int]]
    annotators: Mapping[str, int]
    to_review: int
