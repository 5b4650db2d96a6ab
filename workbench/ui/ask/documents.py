"""The documents that the generator received: rank, language, every stage's score, original and translation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from workbench.core import Evidence, Span, Translation
from workbench.data import citation
from workbench.ui.ask.answer_view import translation_line
from workbench.ui.parts.badges import chip, citation_line, hue, language_badge
from workbench.ui.parts.rich_text import anchor_of
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, marked_text, text_block

SCORES = (
    "Each mark is the score that a stage gave the document. lexical: BM25, how well the words match. dense and sparse: "
    "similarity of meaning by an encoder. hybrid, rrf, cc and dbsf: a fusion of those; it ranks the documents of this "
    "question and is not comparable between questions, nor a probability. similarity: how near in meaning candidates "
    "and their neighbours are to the question. queries: a fusion of the rankings of several queries. rerank: the "
    "reranker's score. Documents are in rank order, best first."
)
"""Help for the scores next to a document."""


def documents_list(
    evidence: Sequence[Evidence], spans: Sequence[Span], beside: Mapping[int, Translation] | None = None
) -> Html:
    """Every document in rank order. `spans` are marked in the text that the generator read.

    `beside` holds translations by rank that are only an aid to reading; the generator did not see them.
    """
    aids = beside or {}
    return joined(
        _document(item, [(span.start, span.end) for span in spans if span.rank == item.rank], aids.get(item.rank))
        for item in evidence
    )


def sources(evidence: Sequence[Evidence], answer: str = "") -> Html:
    """One line per document: rank, title, place and language; `answer` distinguishes several answers on one page."""
    return joined(
        element(
            "div",
            element("span", escaped(f"{item.rank}"), css="wb-rank"),
            inline(item.passage.title or item.passage.id, item.passage.language, "wb-title"),
            inline(citation(item.passage), css="wb-muted"),
            language_badge(item.passage.language),
            css="wb-row wb-source",
            anchor=anchor_of(item.rank, answer),
        )
        for item in evidence
    )


def can_be_read_in_english(evidence: Sequence[Evidence]) -> bool:
    """Whether any document is not in English and has no translation yet."""
    return any(item.translation is None and item.passage.language != "en" for item in evidence)


def languages_line(evidence: Sequence[Evidence]) -> Html:
    """The number of documents by language, most frequent first."""
    counts = Counter(item.passage.language for item in evidence)
    pairs = [piece for code, count in counts.most_common() for piece in (language_badge(code), escaped(f"× {count}"))]
    return element("div", *pairs, css="wb-row wb-muted")


def _document(item: Evidence, spans: Sequence[tuple[int, int]], aid: Translation | None) -> Html:
    passage = item.passage
    head = element(
        "header",
        element("span", escaped(f"{item.rank}"), css="wb-rank"),
        language_badge(passage.language),
        inline(passage.title, passage.language, "wb-title"),
        element("span", *(chip(name, _figure(score)) for name, score in item.scores.items()), css="wb-scores"),
    )
    inside = (head, citation_line(passage), _texts(item, spans, aid))
    return element("article", *inside, css="wb-doc", hue=hue(passage.language), anchor=anchor_of(item.rank))


def _texts(item: Evidence, spans: Sequence[tuple[int, int]], aid: Translation | None) -> Html:
    passage, translation = item.passage, item.translation
    if translation is not None and translation.kind != "same":
        translated = marked_text(translation.text, spans, translation.target)
        return _side_by_side(marked_text(passage.text, (), passage.language), translation, translated)
    original = marked_text(passage.text, spans, passage.language)
    if aid is None:
        return original
    return _side_by_side(original, aid, text_block(aid.text, aid.target, "wb-muted"))


def _side_by_side(original: Html, translation: Translation, translated: Html) -> Html:
    right = element("div", translation_line(translation), translated)
    return element("div", element("div", original), right, css="wb-two")


def _figure(score: float) -> str:
    return f"{score:.3f}" if abs(score) < 100 else f"{score:,.0f}"
