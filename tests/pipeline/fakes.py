"""Fake components: their output is always the same, and they record their input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.core.errors import GenerationFailed, TranslationFailed
from workbench.core.protocols import (
    Augmenter,
    Components,
    Generator,
    LanguageIdentifier,
    Reranker,
    Retriever,
    Translator,
)
from workbench.core.records import Generation, Hit, Passage, Prompt, Query, Ranking, Translation
from workbench.pipeline.executor import Cache

PASSAGES = (
    Passage("a.en", "a", "Radio", "en", "Marconi sent signals."),
    Passage("b.fi", "b", "Radio", "fi", "Popov lähetti viestejä."),
    Passage("c.th", "c", "วิทยุ", "th", "มาร์โคนีส่งสัญญาณ"),
)


@dataclass
class FakeRetriever(Retriever):
    """Retrieves every passage of the query's languages, in table order."""

    identity: str = "fake retriever"
    queries: list[Query] = field(default_factory=list)
    batches: int = 0

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        self.batches += 1
        self.queries += queries
        return [self._one(query)[:k] for query in queries]

    def _one(self, query: Query) -> Ranking:
        return tuple(
            Hit(passage.id, row, passage.language, 1 / (row + 1), {"fake": 1 / (row + 1)})
            for row, passage in enumerate(PASSAGES)
            if passage.language in query.languages
        )


@dataclass
class DoublingAugmenter(Augmenter):
    """Adds the passage of row 2 to every ranking, at its end, unless it is there."""

    identity: str = "doubling"

    def augment(self, queries: Sequence[Query], rankings: Sequence[Ranking]) -> list[Ranking]:
        last = PASSAGES[2]
        joining = Hit(last.id, 2, last.language, 0.1, {"similarity": 0.1})
        return [ranking if 2 in {hit.row for hit in ranking} else (*ranking, joining) for ranking in rankings]


@dataclass
class ReversingReranker(Reranker):
    """Reverses the ranking and adds a score."""

    identity: str = "backwards"

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        return tuple(
            Hit(hit.id, hit.row, hit.language, float(place), {**hit.scores, "backwards": float(place)})
            for place, hit in reversed(list(enumerate(hits)))
        )


@dataclass
class FakeTranslator(Translator):
    """Puts the language pair before the text; fails for texts that contain `fails_on`."""

    identity: str = "fake translator"
    fails_on: str = "\x00"
    texts: list[str] = field(default_factory=list)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        self.texts += texts
        if any(self.fails_on in text for text in texts):
            raise TranslationFailed("The fake translator does not know this.")
        return [Translation(f"[{source}>{target}] {text}", source, target, "model") for text in texts]


@dataclass
class FakeGenerator(Generator):
    """Answers with `text`, or if it is empty with the question; the first `failures` calls fail."""

    text: str = ""
    identity: str = "fake generator"
    failures: int = 0
    prompts: list[Prompt] = field(default_factory=list)

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        if self.failures:
            self.failures -= 1
            raise GenerationFailed("The fake generator fails.")
        self.prompts += prompts
        return [Generation(self.text or f"answer to {prompt.task.question}") for prompt in prompts]


@dataclass
class FakeDetector(LanguageIdentifier):
    """Identifies every text as the last candidate."""

    identity: str = "fake detector"

    def __call__(self, text: str, candidates: Sequence[str]) -> str:
        return candidates[-1] if text else ""


def passages(rows: Sequence[int]) -> list[Passage]:
    """Return the passages in some rows of the table."""
    return [PASSAGES[row] for row in rows]


@dataclass
class FakeParts:
    """The components of a chain, each fake with its type."""

    retriever: FakeRetriever = field(default_factory=FakeRetriever)
    reranker: ReversingReranker = field(default_factory=ReversingReranker)
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
class MemoryCache(Cache):
    """A cache whose content a test can read."""

    outputs: dict[str, bytes] = field(default_factory=dict)
    stages: list[str] = field(default_factory=list)

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        return {key: self.outputs[key] for key in keys if key in self.outputs}

    def put(self, stage: str, outputs: dict[str, bytes], corpus: str = "") -> None:
        self.stages += [stage] * len(outputs)
        self.outputs.update(outputs)

    def drop(self, keys: Sequence[str]) -> None:
        for key in keys:
            del self.outputs[key]
