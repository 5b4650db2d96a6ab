"""`ask`, `retrieve` and `serve`: a recipe answers one question, ranks passages for a dataset, or answers over HTTP."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from workbench.cli import last_resort
from workbench.cli.shared import (
    Json,
    Lang,
    RecipeCommand,
    check_writable,
    open_workbench,
    print_json,
    progress,
    recipe_choices,
    say,
    say_hosts,
)
from workbench.workspace import atomic

if TYPE_CHECKING:
    from workbench.app import StreamObserver, Workbench
    from workbench.pipeline import Recipe


ENDINGS = {
    "stopped": "Stopped: this is what was generated until then.",
    "length": "Cut off: the generator reached its token limit. Allow more, for example: --max-new-tokens 512",
}
"""What is said of an answer that did not end by itself."""


def register(app: typer.Typer) -> None:
    """Adds the verbs to the program."""
    app.command(cls=RecipeCommand)(ask)
    app.command(cls=RetrieveCommand)(retrieve)
    app.command()(serve)


def ask(
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(help="The question, in quotes.")],
    lang: Annotated[
        str | None,
        typer.Option("--lang", help="Language of the question, an ISO 639 code such as fi; without it, detected."),
    ] = None,
    recipe_name: Annotated[
        str | None,
        typer.Option(
            "--recipe", help="A recipe file or a published recipe; other options change single choices in it."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Answer one question under one recipe."""
    from workbench.app import answer_to_json, checked_question
    from workbench.components import FACT, model_title, with_default_generator
    from workbench.languages import language
    from workbench.pipeline import EXTRACTIVE, format_failure, without_effect

    choices = recipe_choices(ctx)
    bench = open_workbench()
    given = _recipe(recipe_name, choices)
    recipe = with_default_generator(given, bench.settings.home)
    # Checked before a first corpus is built, which takes a while.
    checked_question(question)
    language(lang or "en")
    hosts = bench.registry.check(recipe)
    corpus = bench.corpus(recipe.corpus, progress())
    if lang is None:
        lang = _detected(question, bench, corpus.languages)
    if note := bench.registry.stand_in(recipe, corpus):
        say(note)
    if recipe != given:
        say(f"Generator: {model_title(recipe.generator, bench.settings.home)}, the workspace's default.")
    if idle := without_effect(recipe, choices):
        say(idle)
    say_hosts(hosts)
    is_streamed = recipe.generator != EXTRACTIVE
    pieces: list[str] = []
    with _stop_on_interrupt(_on_piece(sys.stderr if as_json else sys.stdout, pieces)) as observer:
        answer = bench.ask(question, lang, recipe, observer=observer if is_streamed else None)
    if as_json:
        print_json(answer_to_json(answer, recipe))
        return
    # An answer from the cache comes without pieces.
    is_written = any(piece.strip() for piece in pieces)
    if is_written:
        print()
    if not is_written or answer.answer_translation is not None:
        print(answer.text or "(no answer)")
    ending = ENDINGS.get(answer.generation.finish, "")
    costs = [f"Estimated cost: {step.facts[FACT]}" for step in answer.steps if FACT in step.facts]
    rewritten = [item.note for item in (answer.expansion, answer.compression) if item is not None]
    if answer.expansion is not None:
        say(f"Searched with: {' | '.join(answer.expansion.queries)}")
    for note in (*rewritten, answer.generation.note, recipe.departure, ending, format_failure(answer.sections), *costs):
        if note:
            say(note)
    for item in answer.evidence:
        say(f"[{item.rank}] {item.passage.language} {item.passage.id} — {item.passage.title}")


def _detected(question: str, bench: Workbench, in_corpus: Sequence[str]) -> str:
    """The question's language, detected as the Ask screen does, and said."""
    from workbench.app import detect_question, is_unsure
    from workbench.data import languages
    from workbench.languages import language

    detection = detect_question(question, bench.registry.identifier(), sorted({*in_corpus, *languages()}))
    unsure = ", but not surely" if is_unsure(detection) else ""
    say(
        f"Language: {language(detection.language).name} ({detection.language}), detected{unsure}. "
        "For another one: --lang CODE"
    )
    return detection.language


def _on_piece(stream: TextIO, pieces: list[str]) -> Callable[[str], None]:
    def write(piece: str) -> None:
        pieces.append(piece)
        stream.write(piece)
        stream.flush()

    return write


@contextmanager
def _stop_on_interrupt(on_piece: Callable[[str], None]) -> Iterator[StreamObserver]:
    """Ctrl-C ends the answer and keeps its text so far; a second one ends the program."""
    from workbench.app import StreamObserver

    observer = StreamObserver(on_piece)

    def stop(*_: object) -> None:
        observer.stop.set()
        signal.signal(signal.SIGINT, previous_handler)

    previous_handler = signal.signal(signal.SIGINT, stop)
    try:
        yield observer
    finally:
        signal.signal(signal.SIGINT, previous_handler)


def _recipe(name: str | None, choices: dict[str, Any]) -> Recipe:
    from workbench.pipeline import make_recipe, nested, recipe_named

    if name is None:
        return make_recipe(nested(choices))
    # A mode given as an option sets its default scope, unless a scope is given too.
    base = recipe_named(name)[1].model_dump(exclude_unset=True)
    if "mode" in choices and "scope" not in choices:
        base.pop("scope", None)
    return make_recipe(nested(choices, base))


class RetrieveCommand(RecipeCommand):
    """`retrieve` takes the fields of a search. It ranks as many candidates as it retrieves."""

    nodes = ("scope", "query-expansion", "retrieval", "language-balance", "augmenter", "reranker")
    without = ("candidates", "k")


def retrieve(
    ctx: typer.Context,
    corpus: Annotated[str, typer.Option(help="The corpus to search.")],
    dataset: Annotated[str, typer.Option(help="The dataset with the questions to search with.")],
    lang: Lang,
    k: Annotated[int, typer.Option(min=1, max=1000, help="Passages retrieved for each question.")] = 50,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the rankings to this file as a TREC run; by page if the gold is by page."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Retrieve for every question of a dataset and score the rankings and their languages."""
    from workbench.app import evaluate_retrieval
    from workbench.metrics import trec_run
    from workbench.pipeline import make_recipe, without_effect

    choices = recipe_choices(ctx)
    recipe = make_recipe({"corpus": corpus, **choices})
    if out is not None:
        check_writable(out, "run.trec")
    bench = open_workbench()
    hosts = bench.registry.check(recipe)
    if idle := without_effect(recipe, choices):
        say(idle)
    stand_in = bench.registry.stand_in(recipe, bench.corpus(corpus, progress()))
    say_hosts(hosts)
    result = evaluate_retrieval(
        bench, dataset, lang, recipe, k, lambda done, total: progress()("questions", done, total)
    )
    if stand_in:
        say(stand_in)
    if out is not None:
        atomic.write_text(out, trec_run(result.scored_rankings, recipe.retriever))
    summary: dict[str, Any] = {
        "corpus": corpus,
        "dataset": dataset,
        "language": lang,
        **{name: getattr(recipe, name) for name in ("scope", "retriever", "reranker", *choices)},
        "k": k,
        **result.scores.means,
        "intervals": {
            name: [interval.low, interval.high]
            for name in result.scores.means
            if (interval := result.scores.interval(name))
        },
        "n": result.scores.n,
        "unscored": result.scores.unscored,
        "seconds": round(result.seconds, 6),
        "language_shares": dict(result.shares),
        "identified_language_shares": dict(result.identified_shares),
        "language_shares_n": result.ranked,
        "language_bias": dict(result.bias.bias),
        "bias_distance": result.bias.distance,
        "language_bias_n": result.bias.n,
        "language_bias_unscored": result.bias.unscored,
    }
    if as_json:
        print_json(summary)
        return
    intervals = summary.pop("intervals")
    width = max(map(len, summary))
    for name, value in summary.items():
        interval_text = "" if name not in intervals else "  [{:.4f}, {:.4f}]".format(*intervals[name])
        print(f"{name:>{width}}  {_text(name, value)}{interval_text}")


def _text(name: str, value: object) -> str:
    """A value on one line; biases with their signs."""
    if value is None or value == {}:
        return "unscored"
    if isinstance(value, Mapping):
        form = "+.4f" if name == "language_bias" else ".4f"
        return ", ".join(f"{code} {share:{form}}" for code, share in value.items())
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def serve(
    recipe: Annotated[str, typer.Option(help="A recipe file or a published recipe; clients call it by its name.")],
    host: Annotated[
        str, typer.Option(help="Where to listen. An address other than loopback requires keys.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 picks a free one.")] = 8000,
    processes: Annotated[
        int | None,
        typer.Option(min=1, help="Processes that answer; without it one for each core, or one if each loads models."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Answers at the same time, 1 to 64; 4, or one per process where those are more.")
    ] = None,
    queue: Annotated[int, typer.Option(help="Requests that wait; more are turned away with 429.")] = 64,
    timeout: Annotated[float, typer.Option(help="Seconds after which a request is abandoned, waiting included.")] = 120,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Keep the steps of answers in the workspace, as ask does.")
    ] = True,
    conversation: Annotated[
        bool,
        typer.Option(
            "--conversation/--no-conversation",
            help="Rewrite a question from earlier messages, by the recipe's language model, or refuse it.",
        ),
    ] = True,
    log_questions: Annotated[bool, typer.Option("--log-questions", help="Write questions to the log too.")] = False,
) -> None:
    """Serve a recipe over HTTP; keys are those of accounts, and in WORKBENCH_SERVE_KEYS, separated by commas."""
    from workbench.components import with_default_generator
    from workbench.pipeline import recipe_named
    from workbench.server import (
        KEYS_VARIABLE,
        WORKERS_LIMIT,
        HttpServer,
        ProcessCrew,
        ServedRecipe,
        ServeLimits,
        check_binding,
        serve_keys,
        usable_cores,
    )
    from workbench.workspace import has_sign_in

    # What is wrong with the words of the command is known before a corpus is built, which takes a while.
    number = processes or usable_cores()
    threads = min(max(4, number), WORKERS_LIMIT) if workers is None else workers
    limits = ServeLimits(threads, queue, timeout, processes or min(number, threads))
    limits.check()
    keys = serve_keys()
    bench = open_workbench()
    has_accounts = has_sign_in(bench.settings.database_url)
    check_binding(host, keys, has_accounts=has_accounts)
    name, choices = recipe_named(recipe)
    choices = with_default_generator(choices, bench.settings.home)
    served = ServedRecipe(bench, choices, name, cached=cache, rewrites=conversation)
    bench.registry.check(choices)
    corpus = bench.corpus(choices.corpus, progress())
    hosts = served.prepare()
    if processes is None and limits.processes > 1 and (reason := served.why_alone):
        say(f"One process answers, since {reason}; more: --processes {limits.processes}")
        limits = replace(limits, processes=1)
    if note := bench.registry.stand_in(choices, corpus):
        say(note)
    say_hosts(hosts)
    # Libraries announce each call to a model; what they write is not for the log of a service.
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    server = HttpServer(served, host, port, keys, limits, say, last_resort.record, log_questions)
    listener = server.listen()
    say("Loading what the first answer needs …")
    crew = None
    if limits.processes > 1:
        crew = ProcessCrew(served, limits.processes, limits.workers, last_resort.record)
    else:
        served.warm_up()
    with crew.at_work() if crew else nullcontext():
        say(_keys_words(len(keys.digests) if keys else 0, KEYS_VARIABLE, has_accounts=has_accounts))
        place = f"{server.address(listener)} (processes: {limits.processes:,}; its API: /docs)"
        say(f"“{name}” is served at {place}. Stop it with Ctrl-C.")
        server.run(listener, crew=crew)


def _keys_words(number: int, variable: str, *, has_accounts: bool) -> str:
    if has_accounts:
        return "Clients must show a key of an account (create one: mrag accounts key NAME)" + (
            f", or one in {variable}, which has the role reader." if number else "."
        )
    if not number:
        return f"No key is needed: {variable} is not set."
    return f"Clients must show {'the key' if number == 1 else f'one of the {number:,} keys'} in {variable}."
