"""The command line: the screens' verbs in a terminal.

JSON on stdout with `--json`; progress and messages on stderr; exit code 2 for what the user gave wrong, 1 for what
could not be done. Nothing heavy is imported before a verb needs it.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench import settings
from workbench.errors import UsageError, WorkbenchError, shorten
from workbench.storage import atomic

if TYPE_CHECKING:
    from workbench.pipeline.recipe import Recipe
    from workbench.pipeline.workbench import Workbench

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Ask one question through every published way of multilingual RAG, and measure what comes back.",
)
imports = typer.Typer(no_args_is_help=True, help="Take in files as a corpus and a dataset.")
corpora = typer.Typer(no_args_is_help=True, help="The corpora of the workspace.")
datasets = typer.Typer(no_args_is_help=True, help="The datasets of the workspace.")
app.add_typer(imports, name="import")
app.add_typer(corpora, name="corpora")
app.add_typer(datasets, name="datasets")

Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Lang = Annotated[str, typer.Option("--lang", help="Language of the question, an ISO 639 code such as fi.")]


def main() -> None:
    """Runs the command line; turns the workbench's errors into one sentence and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Thirteen languages, and JSON, are UTF-8, also where the terminal's locale is an older one.
            stream.reconfigure(encoding="utf-8")
    try:
        app()
    except WorkbenchError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except OSError as error:
        place = f"“{error.filename}”" if error.filename else "A file"
        print(
            f"Error: {place} cannot be used ({error.strerror or error}). Mend that, or set WORKBENCH_HOME to another folder.",
            file=sys.stderr,
        )
        sys.exit(1)
    except KeyboardInterrupt:
        print("Stopped. What was finished is kept.", file=sys.stderr)
        sys.exit(130)


def _workbench() -> Workbench:
    from workbench.pipeline.workbench import Workbench

    return Workbench(settings.load())


def _progress() -> Callable[[str, int, int], None]:
    def show(phase: str, done: int, total: int) -> None:
        print(f"{phase} {done:,}/{total:,}" if total else f"{phase} …", file=sys.stderr)

    return show


def _print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question, in quotes.")],
    lang: Lang,
    scope: Annotated[str | None, typer.Option(help="en, ul, en+ul or all; the mode's own where left out.")] = None,
    mode: Annotated[
        str | None, typer.Option(help="baseline, monorag, trag, multirag, crossrag, drag or pivot.")
    ] = None,
    prompt: Annotated[str | None, typer.Option(help="A prompt variant, such as reply-short-in-ul-ul.")] = None,
    corpus: Annotated[str | None, typer.Option(help="The corpus to search.")] = None,
    k: Annotated[int | None, typer.Option(help="Passages handed to the generator.")] = None,
    retriever: Annotated[str | None, typer.Option(help="hybrid, lexical, dense, rrf or cc.")] = None,
    recipe: Annotated[
        Path | None, typer.Option(help="A recipe file; other options change single choices of it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Answer one question under one recipe."""
    from workbench.languages import language
    from workbench.pipeline.report import answer_to_json
    from workbench.pipeline.workbench import checked_question

    given = {"mode": mode, "scope": scope, "prompt": prompt, "corpus": corpus, "k": k, "retriever": retriever}
    chosen = _recipe(recipe, {key: value for key, value in given.items() if value is not None})
    # Said before a first corpus is built, which takes a while.
    checked_question(question)
    language(lang)
    bench = _workbench()
    bench.corpus(chosen.corpus, _progress())
    answer = bench.ask(question, lang, chosen)
    if as_json:
        _print_json(answer_to_json(answer, chosen))
        return
    print(answer.text or "(no answer)")
    for note in (answer.generation.note, chosen.departure):
        if note:
            print(note, file=sys.stderr)
    for item in answer.evidence:
        print(f"[{item.rank}] {item.passage.language} {item.passage.id} — {item.passage.title}", file=sys.stderr)


def _recipe(path: Path | None, choices: dict[str, Any]) -> Recipe:
    from workbench.pipeline.recipe import make_recipe, recipe_from_file

    if path is None:
        return make_recipe(choices)
    # A mode given by hand brings its own scope, unless a scope is given too.
    base = recipe_from_file(path).model_dump()
    if "mode" in choices and "scope" not in choices:
        base.pop("scope")
    return make_recipe({**base, **choices})


@app.command()
def retrieve(
    corpus: Annotated[str, typer.Option(help="The corpus to search.")],
    dataset: Annotated[str, typer.Option(help="The dataset whose questions are asked.")],
    lang: Lang,
    scope: Annotated[str, typer.Option(help="en, ul, en+ul or all.")] = "all",
    retriever: Annotated[str, typer.Option(help="lexical, dense, hybrid, rrf or cc.")] = "hybrid",
    k: Annotated[int, typer.Option(min=1, max=1000, help="Passages retrieved for each question.")] = 50,
    balance: Annotated[str, typer.Option(help="none, equal or normalised.")] = "none",
    out: Annotated[Path | None, typer.Option(help="Write the rankings to this file as a TREC run.")] = None,
    as_json: Json = False,
) -> None:
    """Retrieve for every question of a dataset and score the rankings."""
    from workbench.metrics.ranking import trec_run
    from workbench.pipeline.recipe import make_recipe
    from workbench.pipeline.retrieval_only import evaluate_retrieval

    recipe = make_recipe({"corpus": corpus, "scope": scope, "retriever": retriever, "balance": balance})
    if out is not None and out.is_dir():
        raise UsageError(f"“{shorten(out)}” is a folder. Type the path of a file, for example: --out run.trec")
    bench = _workbench()
    bench.corpus(corpus, _progress())
    result = evaluate_retrieval(
        bench, dataset, lang, recipe, k, lambda done, total: _progress()("questions", done, total)
    )
    if out is not None:
        atomic.write_text(out, trec_run(result.rankings, recipe.retriever))
    summary: dict[str, Any] = {
        "corpus": corpus,
        "dataset": dataset,
        "language": lang,
        "scope": recipe.scope,
        "retriever": recipe.retriever,
        "k": k,
        **result.scores.means,
        "n": result.scores.n,
        "unscored": result.scores.unscored,
        "seconds": round(result.seconds, 6),
    }
    if as_json:
        _print_json(summary)
        return
    for name, value in summary.items():
        print(f"{name:>10}  {'unscored' if value is None else f'{value:.4f}' if isinstance(value, float) else value}")


@imports.command("squad")
def import_squad(
    files: Annotated[list[Path], typer.Argument(help="SQuAD-format JSON files in one language.")],
    lang: Annotated[str, typer.Option("--lang", help="Language of the files, an ISO 639 code.")],
    name: Annotated[str, typer.Option(help="Name of the corpus and of the dataset.")],
    aligned: Annotated[
        bool, typer.Option("--aligned", help="The n-th paragraph is the same passage in every language imported so.")
    ] = False,
    as_json: Json = False,
) -> None:
    """A SQuAD-format file becomes a corpus (one passage a paragraph) and a dataset with gold passages."""
    from workbench.datasets.importing import import_squad as take_in
    from workbench.datasets.library import DatasetLibrary

    bench = _workbench()
    done = take_in(
        bench.library, DatasetLibrary(bench.settings.datasets), files, lang, name, aligned=aligned, progress=_progress()
    )
    if as_json:
        _print_json({"corpus": done.corpus.model_dump(mode="json"), "questions": done.dataset.languages})
        return
    print(f"Corpus “{name}”: {done.corpus.passages:,} passages in {', '.join(sorted(done.corpus.languages))}.")
    print(
        f"Dataset “{name}”: "
        + ", ".join(f"{code} {count:,}" for code, count in done.dataset.languages.items())
        + " questions."
    )


@corpora.command("list")
def corpora_list(as_json: Json = False) -> None:
    """Every corpus with its languages and its state."""
    bench = _workbench()
    bench.corpus("sample", _progress())
    manifests = bench.library.list()
    if as_json:
        _print_json([manifest.model_dump(mode="json") for manifest in manifests])
        return
    for manifest in manifests:
        counts = " ".join(f"{code}:{count}" for code, count in manifest.languages.items())
        print(f"{manifest.name}\t{manifest.passages:,} passages\t{counts}")


@corpora.command("index")
def corpora_index(name: Annotated[str, typer.Argument(help="The corpus to index anew.")]) -> None:
    """Index a corpus anew from its own passages, as after an update of the workbench."""
    manifest = _workbench().library.index(name, _progress())
    print(f"Corpus “{name}”: {manifest.passages:,} passages indexed.", file=sys.stderr)


@datasets.command("list")
def datasets_list(as_json: Json = False) -> None:
    """Every dataset with its languages and its corpus."""
    from dataclasses import asdict

    from workbench.datasets.library import DatasetLibrary

    found = DatasetLibrary(settings.load().datasets).list()
    if as_json:
        _print_json([asdict(item) for item in found])
        return
    for item in found:
        counts = " ".join(f"{code}:{count}" for code, count in item.languages.items())
        print(f"{item.name}\tcorpus {item.corpus}\t{counts}")


@app.command()
def prepare() -> None:
    """Build the sample corpus now instead of at first use."""
    bench = _workbench()
    bench.corpus("sample", _progress())
    print("The sample is ready.", file=sys.stderr)


@app.command()
def doctor(as_json: Json = False) -> None:
    """Each component: ready, or what is missing and the command that brings it."""
    from dataclasses import asdict

    from workbench.pipeline.doctor import examine

    checks = examine(_workbench())
    if as_json:
        _print_json([asdict(check) for check in checks])
        return
    for check in checks:
        print(f"{'ready  ' if check.ready else 'missing'}  {check.name}: {check.state}")
        if check.remedy:
            print(f"         → {check.remedy}")
