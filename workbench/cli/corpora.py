"""`corpora`: list, index, split anew, rename and delete them, and make one of Wikipedia's files.

`corpora_documents` adds documents and shows them.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from workbench.cli import corpora_documents
from workbench.cli.corpora_documents import move_to_store, say_behind
from workbench.cli.shared import (
    Confirmed,
    CorpusName,
    Json,
    Ray,
    Workers,
    checked_ray,
    counts_text,
    open_workbench,
    print_json,
    print_result,
    progress,
    say,
    spread_over,
)
from workbench.cli.vectors import Vectors, index_in_front, search_by_meaning
from workbench.core import UsageError

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.data import CorpusManifest, ImportState


def register(corpora: typer.Typer) -> None:
    """Adds the verbs to their group."""
    corpora.command("list")(corpora_list)
    corpora_documents.register(corpora)
    corpora.command("wikipedia")(corpora_wikipedia)
    corpora.command("rechunk")(corpora_rechunk)
    corpora.command("index")(corpora_index)
    corpora.command("rename")(corpora_rename)
    corpora.command("remove")(corpora_remove)
    corpora.command("versions")(corpora_versions)
    corpora.command("drop")(corpora_drop)
    corpora.command("delete")(corpora_delete)


def corpora_list(as_json: Json = False) -> None:
    """List every corpus with its passages by language."""
    bench = open_workbench()
    bench.corpus("sample", progress())
    manifests = bench.library.list()
    for name in bench.library.damaged():
        say(f"The manifest of corpus “{name}” is damaged: import the corpus again under the same name.")
    print_result([manifest.model_dump(mode="json") for manifest in manifests], map(_line, manifests), as_json=as_json)


def corpora_index(
    name: Annotated[str, typer.Argument(help="The corpus to index.")],
    encoder: Annotated[
        str | None, typer.Option(help="The encoder whose index is added: a known one or adapter:MODEL.")
    ] = None,
    sparse: Annotated[bool, typer.Option("--sparse", help="Index the encoder's learned sparse vectors.")] = False,
    centring: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="How much of the mean vector of its language is subtracted from each vector."),
    ] = None,
    sentences: Annotated[
        bool | None, typer.Option("--sentences/--no-sentences", help="Index every sentence, too.")
    ] = None,
    store: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Search it in Milvus: milvus:///FOLDER/FILE.db or milvus://HOST:19530; files: in its files.",
        ),
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Confirm deleting the copy in the other store.")] = False,
    ray: Ray = None,
    workers: Workers = 0,
) -> None:
    """Add an encoder's index to a corpus, resuming one that began; without --encoder or --store, rebuild its own."""
    if encoder is not None:
        from workbench.components import check_name

        check_name(encoder, "encoder")
        choice = checked_ray(ray, workers, encoder)
        bench = open_workbench()
        corpus = bench.corpus(name, progress())
        if host := bench.registry.host(encoder):
            say(f"Texts are sent to {host}.")
        with spread_over(choice, bench.settings.home) as spread:
            if sparse or centring is not None or sentences is not None:
                kind: Literal["sparse", "dense"] = "sparse" if sparse else "dense"
                index = partial(bench.registry.index, corpus, encoder, kind, progress(), spread=spread)
                index(centring=centring, sentences=sentences)
            else:
                index_in_front(bench, name, encoder, spread)
        say(f"Corpus “{name}” is indexed by {encoder}.")
        _in_store(bench, name, store, yes)
        return
    if centring is not None or sentences is not None:
        raise UsageError("--centring and --sentences are for an encoder's index: add --encoder NAME")
    if ray is not None or workers:
        raise UsageError("--ray is for an encoder's index: add --encoder NAME")
    if sparse:
        raise UsageError("The built-in encoder gives no sparse vectors. Use one that does: --encoder bge-m3 --sparse")
    bench = open_workbench()
    if not store:
        manifest = bench.library.index(name, progress())
        print(f"Corpus “{name}”: {manifest.passages:,} passages indexed.", file=sys.stderr)
    _in_store(bench, name, store, yes)


def _in_store(bench: Workbench, name: str, store: str, yes: bool) -> None:
    """Moves a corpus where `store` says; "" leaves it where it is, and states what is not there yet."""
    if store:
        move_to_store(bench, name, store, yes=yes)
    else:
        say_behind(bench, name)


def corpora_rename(
    name: CorpusName,
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")],
) -> None:
    """Rename a corpus, for the datasets over it too; recipes can use the former name until another corpus does."""
    from workbench.experiments import rename_library_corpus

    effect = rename_library_corpus(open_workbench(), name, new)
    say(f"The corpus “{name}” is now called “{new}”. {effect}".strip())


def corpora_delete(
    name: CorpusName,
    yes: Confirmed = False,
) -> None:
    """Delete a corpus for good, with versions, indexes and cached steps; refused while a dataset needs its passages."""
    from workbench.experiments import corpus_use, delete_corpus

    bench = open_workbench()
    bench.library.check_removable(name)
    if not yes:
        would = f"The corpus “{name}”, its versions, indexes and cached steps would be deleted."
        words = " ".join(filter(None, (would, corpus_use(bench, name).effect)))
        raise UsageError(f"{words} To do so, add --yes")
    say(f"The corpus “{name}” is deleted. {delete_corpus(bench, name)}".strip())


def corpora_remove(
    name: CorpusName,
    documents: Annotated[list[str], typer.Argument(metavar="DOCUMENT…", help="Ids of documents, from: corpora show")],
) -> None:
    """Remove documents from a corpus, in a new version of it; the former version is kept until it is dropped."""
    bench = open_workbench()
    manifest = bench.library.remove_documents(name, documents)
    count = len(set(documents))
    say(f"{count:,} {'document is' if count == 1 else 'documents are'} removed. {_facts(manifest)}")
    say_behind(bench, name)


def corpora_versions(
    name: CorpusName,
    as_json: Json = False,
) -> None:
    """List the versions of a corpus, the current one first, with the number of stored runs that searched each."""
    from workbench.experiments import version_use

    bench = open_workbench()
    versions = [(item, version_use(bench, name, item)) for item in bench.library.versions(name)]
    if as_json:
        print_json([{**item.model_dump(mode="json"), "runs": runs} for item, runs in versions])
        return
    for number, (item, runs) in enumerate(versions):
        mark = "current" if number == 0 else "former"
        print(f"{item.version}\t{mark}\t{item.built}\t{item.passages:,} passages\t{runs:,} runs")
    if versions:
        say(_facts(versions[0][0]))


def corpora_drop(
    name: CorpusName,
    version: Annotated[str, typer.Argument(metavar="VERSION", help="An older version, from: corpora versions NAME")],
) -> None:
    """Drop a former version of a corpus; stored runs over it keep their answers and scores."""
    from workbench.experiments import drop_corpus_version

    effect = drop_corpus_version(open_workbench(), name, version)
    say(f"The version “{version}” of the corpus “{name}” is deleted. {effect}".strip())


def _line(manifest: CorpusManifest) -> str:
    return f"{manifest.name}\t{manifest.passages:,} passages\t{counts_text(manifest.languages)}"


def _facts(manifest: CorpusManifest) -> str:
    """How many passages a corpus has, and what is advised after many changes."""
    noun = "passage" if manifest.passages == 1 else "passages"
    facts = [f"The corpus “{manifest.name}” has {manifest.passages:,} {noun}."]
    if manifest.shall_refit:
        facts.append(f"{manifest.added:,} passages were added since the built-in encoder was fitted.")
    if manifest.shall_compact:
        facts.append(f"{manifest.removed:,} removed passages are still in its files.")
    if manifest.shall_refit or manifest.shall_compact:
        facts.append(f"Rebuild it: corpora index {manifest.name}")
    return " ".join(facts)


def corpora_rechunk(
    name: CorpusName,
    chunking: Annotated[
        str,
        typer.Option(
            help="passages-100, words-100, characters-1000-150, tokens-512-50, sentences-1024-200 or semantic; with "
            "-untitled after it, passages do without the document's title."
        ),
    ],
    sister: Annotated[str, typer.Option("--as", help="The sister's name; default: NAME-CHUNKING.")] = "",
    as_json: Json = False,
) -> None:
    """Split a corpus's documents anew into a sister corpus; typed again, it takes the documents that changed."""
    from workbench.data import rechunk

    manifest = rechunk(open_workbench().library, name, chunking, sister, progress=progress())
    print_result(manifest.model_dump(mode="json"), [_line(manifest)], as_json=as_json)
    if not as_json:
        # The chunking in its usual form, as experiments name it.
        usual = manifest.rechunking.chunking if manifest.rechunking else chunking
        field = f"“chunkings: [original, {usual}]”"
        say(f"Compare it in an experiment over a dataset of “{name}”: write {field} in its file.")


EVERY = 10
"""Seconds between two lines of progress."""


def corpora_wikipedia(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The corpus's name.")],
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help="pages-articles dumps, wikimedia/wikipedia or Cohere's parquet files, KILT's pages.",
        ),
    ],
    links: Annotated[
        Path | None,
        typer.Option(
            help="English langlinks.sql.gz or Wikidata's wb_items_per_site.sql.gz: linked articles share a group."
        ),
    ] = None,
    chunking: Annotated[
        str, typer.Option(help="How articles are split, words-100 by default; files with vectors are split already.")
    ] = "",
    vectors: Vectors = True,
    as_json: Json = False,
) -> None:
    """Make a corpus from Wikipedia. Ended or killed, it goes on where it was when typed again."""
    from workbench.data import WikipediaImport

    bench = open_workbench()
    work = WikipediaImport(bench.library, bench.settings.home, name, files, links, chunking)
    if links is not None:
        say(f"Reading {links.name} …")
    shown = began = time.monotonic()

    def watch(state: ImportState) -> bool:
        nonlocal shown
        if time.monotonic() - shown >= EVERY or state.complete:
            shown = time.monotonic()
            say(_progress_line(state, len(files), shown - began))
        return True

    work.read(watch)
    manifest = work.build(progress())
    print_result(manifest.model_dump(mode="json"), [_line(manifest)], as_json=as_json)
    search_by_meaning(bench, manifest, vectors)


def _progress_line(state: ImportState, files: int, seconds: float) -> str:
    place = f"file {min(state.file + 1, files)} of {files}"
    amounts = f"{state.articles:,} articles of {state.pages:,} pages, {state.passages:,} passages"
    return f"{place}: {amounts} after {seconds:,.0f} s"
