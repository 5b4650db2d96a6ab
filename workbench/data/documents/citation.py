"""Where a passage stands, in words: its file and its page."""

from __future__ import annotations

from pathlib import PurePosixPath

from workbench.core import Passage

ENDINGS = (
    "pdf", "docx", "docm", "pptx", "pptm", "xlsx", "xlsm", "csv", "tsv", "tab", "html", "htm", "xhtml", "md",
    "markdown", "txt", "text", "rst", "log", "jsonl", "ndjson", "epub", "zip",
)  # fmt: skip
"""The endings of the files that are read, without their dots."""


def citation(passage: Passage) -> str:
    """The file of a passage with its page or pages; "" for a passage that did not come from a file of one's.

    >>> citation(Passage("a", "report.pdf", "", "en", "Text", page=7, page_end=8))
    'report.pdf, pages 7 to 8'
    """
    if not is_from_file(passage):
        return ""
    if not passage.page:
        return passage.document
    if passage.page_end <= passage.page:
        return f"{passage.document}, page {passage.page:,}"
    return f"{passage.document}, pages {passage.page:,} to {passage.page_end:,}"


def is_from_file(passage: Passage) -> bool:
    """Whether the passage's document is a file, or a part of one."""
    if passage.page:
        return True
    name = passage.document.partition("#")[0]
    return PurePosixPath(name).suffix.lower().removeprefix(".") in ENDINGS
