"""The preview of uploaded files and the result of adding them, as pieces for the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.jobs import IntakePreview
from workbench.ui.parts.badges import citation_line, hue, language_badge
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, joined, table, text_block
from workbench.workspace import Job

NAMED = 12
"""Files that are named in the line of files; further ones are counted."""
LISTED = 60
"""Warnings that are shown."""


def files_line(names: Sequence[str]) -> Html:
    """The uploaded files by name."""
    more = [escaped(f"and {len(names) - NAMED:,} more")] if len(names) > NAMED else []
    return element("div", *(inline(name, css="wb-chip") for name in names[:NAMED]), *more, css="wb-row")


def summary(preview: IntakePreview) -> Html:
    """Counts of documents and passages, and the passages by language."""
    counts = f"{_count(preview.document_count, 'document')}, {_count(preview.passage_count, 'passage')}"
    languages = (
        element("span", language_badge(code), escaped(f" {count:,}")) for code, count in preview.languages.items()
    )
    doubtful = (
        escaped(
            f"The language of {_count(preview.doubtful, 'passage')} is not sure; set it below the files if it is wrong."
        )
        if preview.doubtful
        else NOTHING
    )
    row = element("div", element("b", escaped(counts)), *languages, css="wb-row")
    return joined([row, element("div", doubtful, css="wb-muted") if doubtful else NOTHING])


def documents_table(preview: IntakePreview) -> Html:
    """One row per document with its pages, passages and languages."""
    rows = [
        [
            inline(item.name, css="wb-title"),
            escaped(f"{item.pages:,}" if item.pages else "–"),
            escaped(f"{item.passages:,}"),
            element("div", *(language_badge(code) for code in _most_first(item.languages)), css="wb-row wb-wide"),
        ]
        for item in preview.documents
    ]
    more = preview.document_count - len(rows)
    note = element("div", escaped(f"and {_count(more, 'document')} more"), css="wb-muted") if more > 0 else NOTHING
    return joined([table(["Document", "Pages", "Passages", "Languages"], rows), note])


def refused_list(preview: IntakePreview) -> Html:
    """A sentence for each file that cannot be read."""
    return refused_messages(preview.refused)


def refused_messages(refused: Mapping[str, str]) -> Html:
    """A sentence for each file that was not read."""
    return joined(
        element("div", text_block(sentence), css="wb-message wb-error", role="alert") for sentence in refused.values()
    )


def warnings_list(preview: IntakePreview) -> Html:
    """What could not be read, or not surely, page by page."""
    lines = [element("div", text_block(words), css="wb-line") for words in preview.warnings[:LISTED]]
    more = preview.warning_count - len(lines)
    if more > 0:
        lines.append(element("div", escaped(f"and {_count(more, 'warning')} more"), css="wb-muted"))
    return joined(lines)


def duplicates_table(preview: IntakePreview) -> Html:
    """Pairs of passages that say nearly the same, by place."""
    rows = [
        [inline(second), inline(first), escaped(f"{share:.0%}")] for first, second, share in preview.duplicates[:LISTED]
    ]
    return table(["Passage in", "Repeats one in", "Alike"], rows)


def passages_list(preview: IntakePreview) -> Html:
    """The first passages with their places and languages."""
    return joined(
        element(
            "article",
            element("header", language_badge(item.language), inline(item.title, item.language, "wb-title")),
            citation_line(item),
            text_block(item.text, item.language),
            css="wb-doc",
            hue=hue(item.language),
        )
        for item in preview.passages
    )


def result_words(job: Job) -> str:
    """What was added, in a sentence."""
    result = job.result
    left_out = f" {_count(len(result['refused']), 'file')} could not be read." if result["refused"] else ""
    return (
        f"Ready: {_count(result['documents'], 'document')} with {_count(result['passages'], 'passage')} in the corpus "
        f"“{result['corpus']}”.{left_out}"
    )


def _most_first(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda code: -counts[code])


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
