"""`import`: files become a dataset, and a corpus where they bring passages; one verb a source."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.commands import imports_tables
from workbench.commands.imports_shared import File, Folder, Langs, Limit, Name, QuestionsOnly, Seed, report, take
from workbench.commands.shared import Json, open_workbench, progress

if TYPE_CHECKING:
    from workbench.datasets.collection import Collection

Language = Annotated[str, typer.Option("--lang", help="Language of the files, an ISO 639 code.")]


def register(imports: typer.Typer) -> None:
    """Adds the verbs."""
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
        bool, typer.Option("--aligned", help="The n-th paragraph is the same passage in every language imported so.")
    ] = False,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """A SQuAD-format file becomes a corpus (one passage a paragraph) and a dataset with gold passages."""
    from workbench.datasets.dataset_library import DatasetLibrary
    from workbench.datasets.importing import import_squad

    bench = open_workbench()
    done = import_squad(
        bench.library,
        DatasetLibrary(bench.settings.datasets),
        files,
        lang,
        name,
        aligned=aligned,
        limit=limit,
        seed=seed,
        progress=progress(),
    )
    report(done, as_json=as_json)


def mkqa(
    file: File, name: Name, lang: Langs = None, limit: Limit = None, seed: Seed = 0, as_json: Json = False
) -> None:
    """MKQA (mkqa.jsonl.gz): parallel questions with aliases, without a corpus; zh is zh_cn unless --lang zh_tw."""
    from workbench.datasets.formats.mkqa import read_mkqa

    take(read_mkqa(file, lang or ()), name, limit, seed, as_json=as_json)


def xor_tydi(
    file: File,
    name: Name,
    lang: Langs = None,
    english_span: Annotated[
        bool | None, typer.Option("--english-span/--full", help="The task; as the file's name says where left out.")
    ] = None,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """XOR-TyDi QA (JSON lines, full or English span): questions, without a corpus."""
    from workbench.datasets.formats.xor_tydi import read_xor_tydi

    take(read_xor_tydi(file, lang or (), english_span=english_span), name, limit, seed, as_json=as_json)


def tydi_qa(
    file: File,
    name: Name,
    lang: Langs = None,
    questions_only: QuestionsOnly = False,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """TyDi QA: the original JSON lines (.jsonl, .jsonl.gz) or the gold passage task (.json), with their passages."""
    from workbench.datasets.formats.tydi_qa import read_gold_passages, read_tydi_qa

    read = read_gold_passages if file.name.lower().endswith(".json") else read_tydi_qa
    take(_kept(read(file, lang or ()), questions_only), name, limit, seed, as_json=as_json)


def mlqa(
    folder: Folder,
    name: Name,
    lang: Langs = None,
    context: Annotated[
        list[str] | None, typer.Option("--context", help="Language of the passages, repeated; all where left out.")
    ] = None,
    split: Annotated[str, typer.Option(help="dev or test.")] = "test",
    questions_only: QuestionsOnly = False,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """MLQA's folder: questions in some languages over passages in some languages."""
    from workbench.datasets.formats.mlqa import read_mlqa

    read = read_mlqa(folder, split, lang or (), context or ())
    take(_kept(read, questions_only), name, limit, seed, as_json=as_json)


def natural_questions(file: File, name: Name, limit: Limit = None, seed: Seed = 0, as_json: Json = False) -> None:
    """Natural Questions as JSON lines of KILT or of NQ-open: English questions, without a corpus."""
    from workbench.datasets.formats.natural_questions import read_natural_questions

    take(read_natural_questions(file), name, limit, seed, as_json=as_json)


def borderlines(
    folder: Folder, name: Name, lang: Langs = None, limit: Limit = None, seed: Seed = 0, as_json: Json = False
) -> None:
    """BORDERLINES' folder: whose a territory is, in English and the claimants' languages, without a corpus."""
    from workbench.datasets.formats.borderlines import read_borderlines

    take(read_borderlines(folder, lang or ()), name, limit, seed, as_json=as_json)


def beir(
    folder: Folder,
    lang: Language,
    name: Name,
    split: Annotated[str, typer.Option(help="The file qrels/SPLIT.tsv.")] = "test",
    questions_only: QuestionsOnly = False,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """A BEIR folder (corpus.jsonl, queries.jsonl, qrels): a corpus and questions with gold passages."""
    from workbench.datasets.formats.beir import read_beir

    take(_kept(read_beir(folder, lang, split), questions_only), name, limit, seed, as_json=as_json)


def autorag(
    folder: Folder,
    lang: Language,
    name: Name,
    questions_only: QuestionsOnly = False,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """AutoRAG's folder (qa.parquet, corpus.parquet): a corpus and questions with gold passages and answers."""
    from workbench.datasets.formats.autorag import read_autorag

    take(_kept(read_autorag(folder, lang), questions_only), name, limit, seed, as_json=as_json)


def _kept(collection: Collection, questions_only: bool) -> Collection:
    return collection.without_passages() if questions_only else collection
