"""`ask`: one question under one recipe, streamed where the generator streams."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from workbench.cli.recipe_options import RecipeCommand, recipe_choices
from workbench.cli.shared import Json, Lang, open_workbench, print_json, progress, say
from workbench.core import UsageError, shorten

if TYPE_CHECKING:
    from workbench.app import StreamObserver
    from workbench.pipeline import Recipe


ENDINGS = {
    "stopped": "Stopped: this is what was generated until then.",
    "length": "Cut off: the generator reached its token limit. Allow more, for example: --max-new-tokens 512",
}
"""What is said of an answer that did not end by itself."""


def register(app: typer.Typer) -> None:
    """Adds the verb to the program."""
    app.command(cls=RecipeCommand)(ask)


def ask(
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(help="The question, in quotes.")],
    lang: Lang,
    recipe_name: Annotated[
        str | None,
        typer.Option("--recipe", help="A recipe file or a shipped recipe; other options change single choices in it."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Answer one question under one recipe."""
    from workbench.app import answer_to_json, checked_question
    from workbench.components import FACT
    from workbench.languages import language
    from workbench.pipeline import EXTRACTIVE, format_failure, without_effect

    choices = recipe_choices(ctx)
    recipe = _recipe(recipe_name, choices)
    # Checked before a first corpus is built, which takes a while.
    checked_question(question)
    language(lang)
    bench = open_workbench()
    hosts = bench.registry.check(recipe)
    if note := bench.registry.stand_in(recipe, bench.corpus(recipe.corpus, progress())):
        say(note)
    if idle := without_effect(recipe, choices):
        say(idle)
    for host in hosts:
        say(f"Texts are sent to {host}.")
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
    from workbench.pipeline import make_recipe, nested, recipe_from_file, shipped_recipes

    if name is None:
        return make_recipe(nested(choices))
    shipped = {item.name: item.recipe for item in shipped_recipes()}
    if name not in shipped and not Path(name).exists():
        raise UsageError(
            f"“{shorten(name)}” is neither a shipped recipe (list them: recipes list) nor a file. For example: "
            "--recipe recipe.yaml"
        )
    # A mode given as an option sets its default scope, unless a scope is given too.
    base = (shipped[name] if name in shipped else recipe_from_file(Path(name))).model_dump()
    if "mode" in choices and "scope" not in choices:
        base.pop("scope")
    return make_recipe(nested(choices, base))
