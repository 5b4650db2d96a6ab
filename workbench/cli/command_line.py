"""The command line, assembled from the verbs of `workbench.cli`.

With `--json`, JSON on stdout; progress and messages on stderr; exit code 2 for wrong input, 1 for a failure. No error
reaches the terminal as a traceback (see `last_resort`). Nothing heavy is imported before a verb needs it.
"""

from __future__ import annotations

import gc
import io
import sys

import typer

from workbench.cli import (
    admin,
    annotate,
    ask,
    compare,
    corpora,
    datasets,
    demonstrations,
    imports,
    last_resort,
    models,
    optimise,
    runs,
    score,
    screens,
    tune,
)
from workbench.core import visible
from workbench.workspace import Actor, set_resolver, settings

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Ask one question through every published method of multilingual RAG, and measure the answers.",
)


def _group(name: str, description: str) -> typer.Typer:
    group = typer.Typer(no_args_is_help=True, help=description)
    app.add_typer(group, name=name)
    return group


ask.register(app)
screens.register(app)
score.register(app)
runs_group = _group("runs", "Runs of experiments: list, show, compare, stop, resume, export, rename, delete.")
runs.register(app, runs_group)
compare.register(runs_group)
optimise.register(app)
app.add_typer(
    typer.Typer(no_args_is_help=True, help="Import files as a corpus and a dataset."),
    name="import",
    cls=imports.ImportGroup,
)
corpora.register(_group("corpora", "The corpora of the workspace: list, add documents, show, index, rename, delete."))
datasets.register(_group("datasets", "The datasets of the workspace: list, show, write, review, rename, delete."))
demonstrations.register(_group("demonstrations", "Answers to tune models on: write, review, export, import."))
annotate.register(_group("labels", "Labels that people give to answers: queue, list, agreement, export, import."))
models.register(
    app,
    _group("models", "Known models: list, download, check, use."),
    _group("recipes", "Recipes: list and show the published ones, explain the fields."),
)
tune.register(
    app, _group("tuned", "Models tuned in the workspace: list, show, export, delete; the fields of a tuning.")
)
admin.register(
    _group("jobs", "Work in the background: list, start, stop, resume, log."),
    _group("database", "The database of the workspace: show, move."),
    _group("accounts", "Who may sign in: add, list, role, password, disable, enable, remove, key, audit."),
)


def _person() -> Actor:
    """Whoever types the command: they have the workspace's files, so they may do everything."""
    from workbench.workspace import workspace_actor

    return workspace_actor(settings.load().database_url, "command line")


def main() -> None:
    """Run the command line; turn the workbench's errors into a message and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Text in thirteen languages, and JSON, are UTF-8, even where the terminal's locale is not. Half a
            # character, as a file's name or an argument may hold, is printed as its number.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    set_resolver(_person)
    # What a start imports stays: to look through it for garbage was a tenth of a short command's time.
    gc.set_threshold(50_000)
    try:
        app()
    except KeyboardInterrupt:
        print("Stopped. Finished work is kept.", file=sys.stderr)
        sys.exit(130)
    except SystemExit:
        raise
    except BaseException as error:  # what compiled packages raise need not be an Exception
        print(f"Error: {visible(last_resort.sentence(error))}", file=sys.stderr)
        sys.exit(last_resort.exit_code(error))
