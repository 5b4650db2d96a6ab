"""`import`: files become a dataset, and a corpus where they contain passages; one verb per source."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli import imports_tables
from workbench.cli.imports_shared import (
    Existing,
    File,
    Folder,
    Langs,
    Limit,
    Name,
    QuestionsOnly,
    Seed,
    decision,
    import_and_report,
    report,
)
from workbench.cli.shared import Json, open_workbench, progress

if TYPE_CHECKING:
    from workbench.data import Collection

PagesIn = Annotated[str, typer.Option("--corpus", help="The corpus of Wikipedia that has KILT's pages.")]
Language = Annotated[str, typer.Option("--lang", help="Language of the files, an ISO 639 code.")]


def register(imports: typer.Typer) -> None:
    """Adds the verbs to their group."""
    imports.command("squad")(squad)
    imports.command("mkqa")(mkqa)
    imports.command("xor-tydi")(xor_tydi)
    imports.command("tydi-qa")(tydi_qa)
    imports.command("mlqa")(mlqa)
    imports.command("natural-questions")(natural_questions)
    imports.command("borderlines")(borderlines)
    imports.command("beir")(beir)
    imports.command("autorag")(autorag)
    imports_tables.register(imports)


def squad(
    files: Annotated[list[Path], typer.Argument(help="SQuAD-format JSON files in one language.")],
    lang: Language,
    name: Name,
    aligned: Annotated[
        bool,
        typer.Option("--aligned", help="The n-th paragraph is the same passage in every language that is imported so."),
    ] = False,
    limit: Limit = None,
    seed: Seed = 0,
    replace: Existing = None,
    as_json: Json = False,
) -> None:
    """Import SQuAD-format files: a corpus (one passage per paragraph) and a dataset with gold passages."""
    from workbench.data import DatasetLibrary, import_squad

    bench = open_workbench()
    result = import_squad(
        bench.library,
        DatasetLibrary(bench.settings.datasets),
        files,
        lang,
        name,
        aligned=aligned,
        limit=limit,
        seed=seed,
        existing=decision(replace),
        progress=progress(),
    )
    report(result, as_json=as_json)


def mkqa(
    file: File,
    name: Name,
    lang: Langs = None,
    aliases: Annotated[
        bool, typer.Option("--aliases/--no-aliases", help="Whether aliases are gold answers too; in the paper not.")
    ] = True,
    kilt: Annotated[
        Path | None,
        typer.Option("--kilt", help="KILT's Natural Questions: only questions with its ids; its pages are gold."),
    ] = None,
    corpus: PagesIn = "",
    limit: Limit = None,
    seed: Seed = 0,
    replace: Existing = None,
    as_json: Json = False,
) -> None:
    """Import MKQA (mkqa.jsonl.gz): parallel questions with aliases; zh is zh_cn unless --lang zh_tw."""
    from workbench.data import read_mkqa

    collection = _over(read_mkqa(file, lang or (), aliases=aliases, kilt=kilt), corpus)
    import_and_report(collection, name, limit, seed, replace, as_json=as_json)


def xor_tydi(
    file: File,
    name: Name,
    lang: Langs = None,
    english_span: Annotated[
        bool | None, typer.Option("--english-span/--full", help="The task. Default: from the file's name.")
    ] = None,
    limit: Limit = None,
    seed: Seed = 0,
    replace: Existing = None,
    as_json: Json = False,
) -> None:
    """Import XOR-TyDi QA (JSON lines, full or English span): questions, no corpus."""
    from workbench.data import read_xor_tydi

    import_and_report(
        read_xor_tydi(file, lang or (), english_span=english_span), name, limit, seed, replace, as_json=as_json
    )


def tydi_qa(
    file: File,
    name: Name,
    lang: Langs = None,
    questions_only: QuestionsOnly = False,
    limit: Limit = None,
    seed: Seed = 0,
    replace: Existing = None,
    as_json: Json = False,
) -> None:
    """Import TyDi QA: the original JSON lines (.jsonl, .jsonl.gz) or the gold passage task (.json), with passages."""
    from workbench.data import read_gold_passages, read_tydi_qa

    reader = read_gold_passages if file.name.lower().endswith(".json") else read_tydi_qa
    import_and_report(
        _restricted(reader(file, lang or ()), questions_only), name, limit, seed, replace, as_json=as_json
    )


def mlqa(
    folder: Folder,
    name: Name,
    lang: Langs = None,
    context: Annotated[
        list[str] | None,
        typer.Option("--context", help="A language of the passages; repeat for several. Default: all."),
    ] = None,
    split: Annotated[str, typer.Option(help="dev or test.")] = "test",
    questions_only: QuestionsOnly = False,
    limit: Limit = None,
    seed: Seed = 0,
    replace: Existing = None,
    as_json: Json = False,
) -> None:
    """Import MLQA's folder: questions in some languages over passages in some languages."""
    from workbench.data import read_mlqa

    collection = read_mlqa(folder, split, lang or (), context or ())
    import_and_report(_restricted(collection, questions_only), name, limit, seed, replace, as_json=as_json)


def natural_questions(
    file: File,
    name: Name,
    corpus: PagesIn = "",
    limit: Limit = None,
    seed: Seed = 0,
    replace: Existing = None,
    as_json: Json = False,
) -> None:
    """Import Natural Questions as JSON lines of KILT, with gold pages, or of NQ-open: English questions."""
    from workbench.data import read_natural_questions

    import_and_report(_over(read_natural_questions(file), corpus), name, limit, seed, replace, as_json=as_json)


def borderlines(
    folder: Folder,
    name: Name,
    lang: Langs = None,
    limit: Limit = None,
    seed: Seed = 0,
    replace: Existing = None,
    as_json: Json = False,
) -> None:
    """Import BORDERLINES' folder: whose territory is it, in English and the claimants' languages; no corpus."""
    from workbench.data import read_borderlines

    import_and_report(read_borderlines(folder, lang or ()), name, limit, seed, replace, as_json=as_json)


def beir(
    folder: Folder,
    lang: Language,
    name: Name,
    split: Annotated[str, typer.Option(help="The file qrels/SPLIT.tsv.")] = "test",
    questions_only: QuestionsOnly = False,
    limit: Limit = None,
    seed: Seed = 0,
    replace: Existing = None,
    as_json: Json = False,
) -> None:
    """Import a BEIR folder (corpus.jsonl, queries.jsonl, qrels): a corpus and questions with gold passages."""
    from workbench.data import read_beir

    import_and_report(
        _restricted(read_beir(folder, lang, split), questions_only), name, limit, seed, replace, as_json=as_json
    )


def autorag(
    folder: Folder,
    lang: Language,
    name: Name,
    questions_only: QuestionsOnly = False,
    limit: Limit = None,
    seed: Seed = 0,
    replace: Existing = None,
    as_json: Json = False,
) -> None:
    """Import AutoRAG's folder (qa.parquet, corpus.parquet): a corpus and questions with gold passages and answers."""
    from workbench.data import read_autorag

    import_and_report(
        _restricted(read_autorag(folder, lang), questions_only), name, limit, seed, replace, as_json=as_json
    )


def _over(collection: Collection, corpus: str) -> Collection:
    """The collection over the corpus that has its gold pages; as it is where none is named."""
    from workbench.data import with_gold_pages

    return with_gold_pages(open_workbench().library, collection, corpus) if corpus else collection


def _restricted(collection: Collection, questions_only: bool) -> Collection:
    """The collection, without its passages where only questions are imported."""
    return collection.without_passages() if questions_only else collection
