"""The documents that the generator received: rank, language, every stage's score, original and translation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from workbench.records import Evidence, Span, Translation
from workbench.ui.ask.answer_view import translation_line
from workbench.ui.shared.badges import chip, hue, language_badge
from workbench.ui.shared.safe_html import Html, element, escaped, inline, joined, marked_text, text_block


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
    return element("article", head, _texts(item, spans, aid), css="wb-doc", hue=hue(passage.language))


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
