"""Components that answer at once, always the same, and remember what they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.errors import GenerationFailed, TranslationFailed
from workbench.protocols import Components
from workbench.records import Generation, Hit, Passage, Prompt, Query, Ranking, Translation

PASSAGES = (
    Passage("a.en", "a", "Radio", "en", "Marconi sent signals."),
    Passage("b.fi", "b", "Radio", "fi", "Popov lähetti viestejä."),
    Passage("c.th", "c", "วิทยุ", "th", "มาร์โคนีส่งสัญญาณ"),
)


@dataclass
class FakeRetriever:
    """Gives every passage of the query's languages, in table order."""

    identity: str = "fake retriever"
    asked: list[Query] = field(default_factory=list)
    batches: int = 0

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        self.batches += 1
        self.asked += queries
        return [self._one(query)[:k] for query in queries]

    def _one(self, query: Query) -> Ranking:
        return tuple(
            Hit(passage.id, row, passage.language, 1 / (row + 1), {"fake": 1 / (row + 1)})
            for row, passage in enumerate(PASSAGES)
            if passage.language in query.languages
        )


@dataclass
class Backwards:
    """A reranker that turns the ranking round and adds a score."""

    identity: str = "backwards"

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        return tuple(
            Hit(hit.id, hit.row, hit.language, float(place), {**hit.scores, "backwards": float(place)})
            for place, hit in reversed(list(enumerate(hits)))
        )


@dataclass
class FakeTranslator:
    """Puts the language pair before the text; knows nothing of texts that hold `fails_on`."""

    identity: str = "fake translator"
    fails_on: str = "\x00"
    asked: list[str] = field(default_factory=list)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        self.asked += texts
        if any(self.fails_on in text for text in texts):
            raise TranslationFailed("The fake translator does not know this.")
        return [Translation(f"[{source}>{target}] {text}", source, target, "model") for text in texts]


@dataclass
class FakeGenerator:
    """Answers with a fixed text, or with the number of its call; fails as many times as it is told to."""

    text: str = ""
    identity: str = "fake generator"
    failures: int = 0
    asked: list[Prompt] = field(default_factory=list)

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        if self.failures:
            self.failures -= 1
            raise GenerationFailed("The fake generator was told to fail.")
        self.asked += prompts
        return [Generation(self.text or f"answer to {prompt.task.question}") for prompt in prompts]


@dataclass
class FakeDetector:
    """The last candidate, for any text at all."""

    identity: str = "fake detector"

    def __call__(self, text: str, candidates: Sequence[str]) -> str:
        return candidates[-1] if text else ""


def passages(rows: Sequence[int]) -> list[Passage]:
    return [PASSAGES[row] for row in rows]


@dataclass
class FakeParts:
    """The parts of a chain, and each fake by its own name."""

    retriever: FakeRetriever = field(default_factory=FakeRetriever)
    reranker: Backwards = field(default_factory=Backwards)
    translator: FakeTranslator = field(default_factory=FakeTranslator)
    generator: FakeGenerator = field(default_factory=FakeGenerator)
    detector: FakeDetector = field(default_factory=FakeDetector)

    @property
    def parts(self) -> Components:
        return Components(
            self.retriever,
            self.reranker,
            self.translator,
            self.generator,
            self.detector,
            passages,
            corpus="fake corpus",
        )


@dataclass
class MemoryCache:
    """A cache that a test can look into."""

    held: dict[str, bytes] = field(default_factory=dict)
    stages: list[str] = field(default_factory=list)

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        return {key: self.held[key] for key in keys if key in self.held}

    def put(self, stage: str, outputs: dict[str, bytes]) -> None:
        self.stages += [stage] * len(outputs)
        self.held.update(outputs)
