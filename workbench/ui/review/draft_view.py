"""A draft as it is drawn: its passage, what held it back, who decided, and how far its set is. No Streamlit in here."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.jobs import DECIDED, Draft, DraftProgress, DraftSet, Status
from workbench.ui.parts.badges import chip, hue, language_badge
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, text_block

WORDS: Mapping[Status, str] = {
    "unwritten": "not written yet",
    "draft": "to review",
    "filtered": "held back",
    "accepted": "accepted",
    "edited": "accepted with changes",
    "rejected": "rejected",
}


def progress_line(draft_set: DraftSet, stand: DraftProgress) -> Html:
    """How many drafts are decided, and what the set was written from and by."""
    request = draft_set.request
    counts = [chip(f"{stand.count(status):,} {words}") for status, words in WORDS.items() if stand.count(status)]
    filters = ", ".join(f"{count:,} {name}" for name, count in stand.by_filter.items())
    filtered = [element("small", escaped(f"Held back: {filters}"), css="wb-muted")] if filters else []
    source = (
        escaped("From the corpus "),
        inline(request.corpus, css="wb-title"),
        escaped(" by "),
        inline(request.generator),
    )
    decided = element("span", escaped(f"{stand.count(*DECIDED):,} of {stand.total:,} decided"), css="wb-title")
    return joined(
        [
            element("div", decided, *counts, *filtered, css="wb-row"),
            element("div", element("small", *source), css="wb-muted"),
        ]
    )


def passage_card(draft: Draft) -> Html:
    """The passage that a question was written from."""
    title = inline(draft.title or "(no title)", draft.language, "wb-title")
    head = element("header", chip(draft.passage), language_badge(draft.language), title)
    return element("article", head, text_block(draft.text, draft.language), css="wb-doc", hue=hue(draft.language))


def draft_header(draft: Draft, place: int, count: int) -> Html:
    """Which draft of how many this is, its status, who decided, and why a filter held it back."""
    pieces = [chip(f"{place:,} of {count:,}"), chip(WORDS[draft.status])]
    if draft.reviewer:
        pieces += [element("small", escaped("by "), inline(draft.reviewer))]
    head = element("div", *pieces, css="wb-row")
    return joined([head, text_block(draft.reason, css="wb-muted")]) if draft.filter else head


def decided_pair(draft: Draft) -> Html:
    """The question and answer as they were decided, and as they were written where that differs."""
    pieces = [text_block(draft.question, draft.language, "wb-ask"), text_block(draft.answer, draft.language)]
    if draft.is_edited:
        written = f"{draft.written_question}\n{draft.written_answer}"
        pieces += [
            element("small", escaped("As the generator wrote it:"), css="wb-muted"),
            text_block(written, draft.language, "wb-muted"),
        ]
    return joined(pieces)
