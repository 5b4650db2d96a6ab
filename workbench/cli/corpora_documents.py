"""`corpora add` and `corpora show`: people's files into a corpus, what it holds, and where it is searched."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.shared import (
    CorpusName,
    Json,
    counts_text,
    open_workbench,
    print_json,
    progress,
    say,
)
from workbench.cli.vectors import Vectors, search_by_meaning
from workbench.core import UsageError, shorten

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.core import Passage
    from workbench.data import ReadingOptions, ReadingReport


SHOWN_WARNINGS = 20
WORDS = 12
"""Words of a passage in the list for people."""
FILES = "files"
"""In place of an address: a corpus is searched in its own files."""


def move_to_store(bench: Workbench, name: str, store: str, *, yes: bool) -> None:
    """Has a corpus searched in the Milvus at the address `store`, or in its files. Raises as `store_push` does."""
    from workbench.data import drop, left_words
    from workbench.jobs import check_switch, push, return_to_files

    corpus = bench.corpus(name, progress())
    check_switch(corpus, "" if store == FILES else store, yes)
    if store == FILES:
        return_to_files(bench, name)
        say(f"The corpus “{name}” is searched in its files.")
    else:
        pushed = push(bench, name, store, progress())
        rows = sum(item.rows for item in pushed.collections.values())
        count = len(pushed.collections)
        noun = "index" if count == 1 else "indexes"
        say(f"The corpus “{name}” is searched in {pushed.address}: {count:,} {noun}, {rows:,} rows.")
    if words := left_words(drop(bench.settings.corpora, ())):
        say(words)


def say_behind(bench: Workbench, name: str) -> None:
    """States which indexes of a corpus its store has not got, and what to type; nothing where there is no store."""
    from workbench.data import store_state

    state = store_state(bench.library.open(name))
    if state is not None and state.behind:
        say(f"The corpus “{name}” is {state.words}. Push it: {state.command}")


class OcrPages(StrEnum):
    """When a page is recognised from its image."""

    MISSING = "missing"
    ALL = "all"
    OFF = "off"


def register(corpora: typer.Typer) -> None:
    """Adds the verbs to their group."""
    corpora.command("add")(corpora_add)
    corpora.command("show")(corpora_show)


def corpora_add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The corpus; a new one is built.")],
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="PDF, DOCX, PPTX, XLSX, CSV, HTML, Markdown, TXT, EPUB, JSONL or ZIP."),
    ],
    chunking: Annotated[
        str,
        typer.Option(
            help="passages-100, words-100, characters-1000-150, tokens-512-50, sentences-1024-200 or semantic."
        ),
    ] = "passages-100",
    lang: Annotated[str, typer.Option("--lang", help="The documents' language; default: detected by passage.")] = "",
    lang_of: Annotated[
        list[str] | None,
        typer.Option("--lang-of", help="The language of one document, such as report.pdf=fi; repeat for several."),
    ] = None,
    ocr: Annotated[
        OcrPages, typer.Option(help="Recognise pages from their image: missing text, all pages, or off.")
    ] = OcrPages.MISSING,
    ocr_lang: Annotated[
        list[str] | None, typer.Option("--ocr-lang", help="A language to recognise; repeat for several.")
    ] = None,
    title: Annotated[bool, typer.Option("--title/--no-title", help="Index a document's title with its text.")] = True,
    drop_duplicates: Annotated[
        bool, typer.Option("--drop-duplicates", help="Leave out passages that nearly repeat an earlier one.")
    ] = False,
    furniture: Annotated[
        bool, typer.Option("--furniture", help="Keep references, contents, rows of links and running heads, too.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace documents whose text in the corpus differs.")
    ] = False,
    preview: Annotated[bool, typer.Option("--preview", help="Show what would be added; change nothing.")] = False,
    vectors: Vectors = True,
    as_json: Json = False,
) -> None:
    """Add documents to a corpus, cited to the page; files that cannot be read are named, and the others added."""
    from workbench.data import OcrRequest, ReadingOptions, add_files, checked_file, preview as read_preview

    for file in files:
        checked_file(file, example="report.pdf")
    languages = tuple(ocr_lang or ([lang] if lang else []))
    options = ReadingOptions(
        chunking,
        lang,
        _languages(lang_of or []),
        ocr=OcrRequest(ocr.value, languages),
        with_title=title,
        drop_duplicates=drop_duplicates,
        with_furniture=furniture,
    )
    if preview:
        result = read_preview(files, options)
        _show_report(result.report, options, as_json, passages=[_passage(item) for item in result.passages])
        return
    bench = open_workbench()
    added = add_files(bench.library, name, files, options, replaces=replace, progress=progress())
    _show_report(added.report, options, as_json, corpus=name, total=added.manifest.passages)
    say(f"Corpus “{name}”: {_counted(added.manifest.passages, 'passage')}.")
    search_by_meaning(bench, added.manifest, vectors)
    say_behind(bench, name)


def corpora_show(
    name: CorpusName,
    passages: Annotated[bool, typer.Option("--passages", help="List its passages.")] = False,
    document: Annotated[str, typer.Option(help="Only the passages of this document.")] = "",
    lang: Annotated[str, typer.Option("--lang", help="Only passages in this language.")] = "",
    start: Annotated[int, typer.Option(min=0, help="The first passage, from 0.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="The most passages to list.")] = 1_000,
    as_json: Json = False,
) -> None:
    """Show a corpus: what it is and, with --passages, its passages with their documents and pages."""
    from workbench.data import passage_page, store_state

    if not passages and (document or lang or start):
        raise UsageError("--document, --lang and --start choose passages: add --passages")
    corpus = open_workbench().corpus(name, progress())
    facts: dict[str, Any] = corpus.manifest.model_dump(mode="json")
    rows: list[dict[str, Any]] = []
    if passages:
        page = passage_page(corpus, language=lang, document=document, start=start, limit=limit)
        rows = [_passage(item) for item in page.passages]
        facts["matches"] = page.total
    state = store_state(corpus)
    if state is not None:
        facts["store"] = {"address": state.address, "pushed": state.pushed, "behind": state.behind}
    if as_json:
        print_json({**facts, "passages": rows} if passages else facts)
        return
    counts = counts_text(corpus.manifest.languages)
    print(f"{name}\t{corpus.manifest.passages:,} passages\t{counts}\t{corpus.manifest.source}")
    if state is not None:
        print(f"{state.words}{f'. Push it: {state.command}' if state.behind else ''}")
    for row in rows:
        page_text = f"page {row['page']}" if row["page"] else ""
        words = " ".join(str(row["text"]).split()[:WORDS])
        print("\t".join((row["id"], row["language"], page_text, words)))


def _languages(pairs: list[str]) -> dict[str, str]:
    """The languages of single documents, by name. Raises UsageError for a pair that is not NAME=CODE."""
    languages: dict[str, str] = {}
    for pair in pairs:
        name, sign, code = pair.rpartition("=")
        if not sign or not name or not code:
            raise UsageError(f"“{shorten(pair)}” names no document and language. For example: --lang-of report.pdf=fi")
        languages[name] = code
    return languages


def _passage(passage: Passage) -> dict[str, Any]:
    """A passage as it is listed; `page` is null where its document has none."""
    return {
        "id": passage.id,
        "document": passage.document,
        "title": passage.title,
        "language": passage.language,
        "page": passage.page or None,
        "page_end": passage.page_end or None,
        "heading": passage.heading,
        "text": passage.text,
    }


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _show_report(report: ReadingReport, options: ReadingOptions, as_json: bool, **facts: object) -> None:
    if as_json:
        print_json(
            {
                **facts,
                "documents": report.documents,
                "added": report.passages,
                "chunking": options.chunking,
                "languages": dict(report.languages.most_common()),
                "doubtful": report.doubtful,
                "warnings": [asdict(warning) for warning in report.warnings],
                "refused": report.refused,
                "left_out": dict(report.furniture),
                "duplicates": [pair._asdict() for pair in report.duplicates],
            }
        )
    for message in report.refused.values():
        say(message)
    for warning in report.warnings[:SHOWN_WARNINGS]:
        say(warning.message)
    if (rest := sum(report.warning_counts.values()) - SHOWN_WARNINGS) > 0:
        say(f"{rest:,} further warnings: see them with --json")
    if report.duplicate_count:
        left_out = ", and were left out" if options.drop_duplicates else ""
        say(f"{report.duplicate_count:,} passages nearly repeat an earlier one{left_out}.")
    if report.furniture:
        say(f"{report.left_out} Keep them with --furniture.")
    if not as_json:
        counts = counts_text(dict(report.languages.most_common()))
        print(f"{_counted(report.documents, 'document')}\t{_counted(report.passages, 'passage')}\t{counts}")
