"""The records of a question and its answer, from passage to trace.

Documents and the passages they are split into, their translations and rankings; a question of a dataset, with what is
known to be right; what a generator is asked to do, and its reply without what it wrote while thinking; the complete
answer with its steps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import regex

TranslationKind = Literal["same", "exact", "fuzzy", "gloss", "mixed", "model"]
"""`same`: source is target. `exact`, `fuzzy`: from a memory. `gloss`: word by word. `mixed`: sentences of
different kinds. `model`: by a translation model or service."""


@dataclass(frozen=True, slots=True)
class Translation:
    """`text` in the language `target`, translated from a text in `source`.

    `match` in [0, 1] is how well the memory matched (exact: 1; gloss: the share of words it knew; the
    length-weighted mean where sentences differ); None where the translator has no such figure.
    """

    text: str
    source: str
    target: str
    kind: TranslationKind
    match: float | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """The retrieval unit: a piece of a document.

    `position` counts from 0 within the document. `previous` and `next` are the neighbours' ids.
    `group` is shared by passages that are translations of each other (aligned corpora), else "".
    `page` and `page_end` are the pages (slides) on which it begins and ends, from 1, and 0 where its document has none;
    `heading` is the last one above its beginning.
    """

    id: str
    document: str
    title: str
    language: str
    text: str
    position: int = 0
    previous: str = ""
    next: str = ""
    group: str = ""
    page: int = 0
    page_end: int = 0
    heading: str = ""

    @property
    def searchable(self) -> str:
        """Title and text, as they are indexed; Chirkova et al. (2024) prepend the title."""
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Hit:
    """One ranked passage, by reference: `row` is its place in the corpus's passage table.

    `score` orders the ranking. `scores` names every stage that scored the passage
    (`lexical`, `dense`, `hybrid`, `rerank` …); a stage that did not rank it is absent.
    """

    id: str
    row: int
    language: str
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)


Ranking = tuple[Hit, ...]
"""Hits, best first."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage as given to the generator: its rank (from 1), its scores, and its translation if there is one.

    `title_translation` is that of the title, None where it stays as it is.
    """

    passage: Passage
    rank: int
    scores: Mapping[str, float] = field(default_factory=dict)
    translation: Translation | None = None
    title_translation: Translation | None = None

    @property
    def title(self) -> str:
        """The title as the generator reads it: translated where there is a translation."""
        return self.title_translation.text if self.title_translation else self.passage.title

    @property
    def text(self) -> str:
        """What the generator reads: the translation where the mode asks for one, else the original."""
        return self.translation.text if self.translation else self.passage.text

    @property
    def language(self) -> str:
        """The language of `text`."""
        return self.translation.target if self.translation else self.passage.language


def top_k(hits: Iterable[Hit], k: int) -> Ranking:
    """The `k` best hits; equal scores in order of row, so that a ranking never depends on the order of shards."""
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.row))[: max(k, 0)])


def with_score(hit: Hit, score: float, name: str) -> Hit:
    """`hit` with `score` as its new score, which is added to `scores` under `name`."""
    # Not `replace`: it takes three times as long, and an answer scores a thousand hits.
    return Hit(hit.id, hit.row, hit.language, score, {**hit.scores, name: score})


NO_EVIDENCE = "none"
"""What `Question.evidence_in` is where the corpus has no answer."""
DISPUTED = "conflict"
"""What `Question.evidence_in` is where sources disagree, so that its gold answers are several views."""
FALSE_PREMISE = "false-premise"
"""What `Question.phenomenon` is where the question presupposes what is not so."""
BY_PASSAGE, BY_PAGE = "passage", "page"
"""What the gold of a dataset names: passages, or groups of them in translation; or pages with all their passages."""
PAGE = "page::"
"""What the name of a gold page begins with, so that it is never taken for a passage's id."""


@dataclass(frozen=True, slots=True)
class Question:
    """`answers` are the gold answer and its aliases, in `language`. `gold` are ids of passages that answer it.

    Where a dataset's gold is by page, they are names of pages (`page_name`), and `gold_sections` the headings under
    which its source saw the answer there, "" for a page's beginning; none where the source does not say.
    `evidence_in` says in which languages there is evidence for the answer: `en`, `ul`, `both`, `conflict`, `other`
    (another language only), `none` (the corpus has no answer), or "" where the dataset does not say. `phenomenon` marks
    teaching examples. `choices` are what a multiple-choice question offers, in the order of its letters and in
    `language`; where they are claimants of a territory, `choice_languages` are the languages spoken there, "" where
    that is unknown, and `region` is where the territory is.
    """

    id: str
    text: str
    language: str
    answers: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    evidence_in: str = ""
    phenomenon: str = ""
    gold_sections: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    choice_languages: tuple[str, ...] = ()
    region: str = ""

    @property
    def unanswerable(self) -> bool:
        """Whether the dataset says that the corpus has no answer, so that abstaining is right."""
        return self.evidence_in == NO_EVIDENCE

    @property
    def false_premise(self) -> bool:
        """Whether the question presupposes what is not so, so that denying it is right, as abstaining is."""
        return self.unanswerable and self.phenomenon == FALSE_PREMISE

    def to_stored(self) -> dict[str, Any]:
        """The fields by name, as files have them and fingerprints are of them."""
        # Not `asdict`: it copies every value, and takes as long as everything else that is done with a question.
        # What only questions with choices have is left out of others, whose fingerprints stay what they were.
        return {name: value for name in FIELDS if (value := getattr(self, name)) or name not in OF_CHOICES}

    @classmethod
    def from_stored(cls, values: Mapping[str, Any]) -> Question:
        """The question of such fields. Raises KeyError and TypeError where one is missing or unknown."""
        listed = (*LISTS, *(name for name in ("choices", "choice_languages") if name in values))
        return cls(**{**values, **{name: tuple(values[name]) for name in listed}})


LISTS = ("answers", "gold", "gold_sections")
OF_CHOICES = frozenset(("choices", "choice_languages", "region"))
"""Fields that are stored only where they have a value."""
FIELDS = tuple(field.name for field in fields(Question))


def page_name(key: str) -> str:
    """The name of a gold page by its key: the id of a document, or the group of an article in several languages.

    >>> page_name("en:12")
    'page::en:12'
    """
    return f"{PAGE}{key}"


def page_key(name: str) -> str:
    """The key of a gold page by its name, "" for a passage's id.

    >>> page_key("page::en:12"), page_key("en:12#0")
    ('en:12', '')
    """
    return name.removeprefix(PAGE) if name.startswith(PAGE) else ""


def is_gold(passage: Passage, golds: Collection[str]) -> bool:
    """Whether a passage is among some golds: by its id, or as part of a gold page."""
    pages = (passage.group, passage.document)
    return passage.id in golds or any(page_name(key) in golds for key in pages if key)


@dataclass(frozen=True, slots=True)
class Query:
    """A text to search with, the language it is in, and the languages searched."""

    text: str
    language: str
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AveragedQuery(Query):
    """A question that dense search looks for by the mean of its vector and those of `passages` in its language.

    Other searches look for the question.
    """

    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """The structured side of a prompt, for generators that are not language models.

    `answer_language` is the language that the instructions ask the answer to be in, "" where they name none.
    `entities_in` is the language whose alphabet named entities are asked for, "" where none is asked for.
    `dialectic` lists the parts that a D-RAG prompt asks for, () for plain RAG; `argument_language_in` whether "all" of
    them but the answer are asked for in `argument_language`, or the "extraction" alone. `compressed` holds notes that
    are read in place of the documents, "" where those are read.
    """

    question: str
    language: str
    evidence: tuple[Evidence, ...] = ()
    answer_language: str = ""
    entities_in: str = ""
    dialectic: tuple[str, ...] = ()
    argument_language: str = "en"
    argument_language_in: str = "all"
    compressed: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The exact texts that a language model gets, and the task that they spell out."""

    system: str
    user: str
    task: Task


@dataclass(frozen=True, slots=True)
class SampledPrompt(Prompt):
    """A prompt whose answers are drawn at a temperature above 0, where all others are answered greedily."""

    temperature: float


THINKING = regex.compile(r"<(think(?:ing)?)>.*?(?:</\1>|\Z)", regex.DOTALL | regex.IGNORECASE)
"""A thought; one that never ends takes the rest of the text with it."""
END = regex.compile(r"</think(?:ing)?>", regex.IGNORECASE)
"""The end of a thought whose beginning the model's chat template has written already."""


def without_thinking(text: str) -> str:
    r"""`text` without `<think>…</think>` and the white space around it; unchanged where it has no such part.

    >>> without_thinking("<think>[1] says Paris?</think>\n\nParis"), without_thinking("so be it.</think> Paris")
    ('Paris', 'Paris')
    """
    if "think" not in text.casefold():
        return text
    answer: str = END.split(THINKING.sub("", text))[-1]
    return answer.strip() if answer != text else text


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` (end excluded) of the text of the evidence with rank `rank` (from 1)."""

    rank: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AnswerClaim:
    """One statement of an answer, as it stands there, and the sentences of the evidence that it rests on."""

    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens read and written, and seconds of wall-clock time, retries included.

    `estimated`: counted here from the texts, since the server gave no figures.
    """

    prompt_tokens: int
    completion_tokens: int
    estimated: bool
    seconds: float = 0.0


def total_usage(usages: Iterable[Usage | None]) -> Usage | None:
    """What several calls used, None where none counted."""
    counted = [usage for usage in usages if usage is not None]
    if not counted:
        return None
    return Usage(
        prompt_tokens=sum(usage.prompt_tokens for usage in counted),
        completion_tokens=sum(usage.completion_tokens for usage in counted),
        estimated=any(usage.estimated for usage in counted),
        seconds=sum(usage.seconds for usage in counted),
    )


Finish = Literal["", "stop", "length", "stopped"]
"""Why a generator ended: it was done, it reached its limit of tokens, a person stopped it; "" where unknown."""


@dataclass(frozen=True, slots=True)
class Generation:
    """A generator's output.

    `spans` show where an extractive reader took it from, and `claims` which of its statements from which of them, in
    order; () for a generator that does not say. `note` says in one sentence what the generator did (the
    language it kept, what it translated), "" where there is nothing to say. `usage` is None for a generator that counts
    no tokens. `abstains`: the generator was given evidence and reports that none of it bears on the question. `server`
    is the host that answered, where the endpoint has several; "" where its identity names it.
    """

    text: str
    spans: tuple[Span, ...] = ()
    note: str = ""
    translation: Translation | None = None
    usage: Usage | None = None
    finish: Finish = ""
    abstains: bool = False
    server: str = ""
    claims: tuple[AnswerClaim, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """An earlier message of the conversation that a question ends."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """A question in a language, and the messages before it in order."""

    question: str
    language: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Contextualisation:
    """A question as it reads without the conversation that it ends. `note` as in `Expansion`."""

    question: str
    note: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Expansion:
    """What is searched with in place of the question: at least one query, in the language of `language`.

    `note` says in one sentence what a reader must know (there was nothing to split, the reply was empty), "" otherwise.
    `is_averaged`: the queries are passages, searched with as one mean of vectors, the question's included.
    """

    queries: tuple[str, ...]
    language: str
    note: str = ""
    usage: Usage | None = None
    is_averaged: bool = False


@dataclass(frozen=True, slots=True)
class Compression:
    """What a generator reads in place of the documents: notes on them in `language`.

    `text` is "" where nothing was written, so that the documents are read as they are. `ranks` are those of the
    documents that the notes are of. `abstains`: none of them bears on the question. `note` as in `Expansion`.
    """

    text: str
    language: str
    ranks: tuple[int, ...] = ()
    abstains: bool = False
    note: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Sections:
    """The parts of a dialectic answer, "" for a part that is missing.

    `present` lists those that are not, in order; `repeated` those that came more than once (the last one counts).
    """

    extraction: str = ""
    explanation: str = ""
    argumentation: str = ""
    answer: str = ""
    present: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One stage's work on one question.

    `component` is the identity of the one that did it; `seconds` the question's share of the batch's wall-clock time;
    `cached` whether it came from the cache; `facts` what is worth showing, by name. `key` is that of its output in the
    cache, the same for equal work on equal input; "" for a step that was not run.
    """

    name: str
    component: str
    seconds: float
    cached: bool
    facts: Mapping[str, str] = field(default_factory=dict)
    key: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one question under one recipe.

    `language` is the user's, `answer_language` the detected language of `text` ("" where it is undetermined).
    """

    question: str
    language: str
    text: str
    answer_language: str
    evidence: tuple[Evidence, ...]
    prompt: Prompt
    generation: Generation
    steps: tuple[Step, ...]
    sections: Sections | None = None
    question_translation: Translation | None = None
    answer_translation: Translation | None = None
    expansion: Expansion | None = None
    compression: Compression | None = None
