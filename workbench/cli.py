"""The command line: the screens' verbs in a terminal, put together.

JSON on stdout with `--json`; progress and messages on stderr; exit code 2 for what the user gave wrong, 1 for what
could not be done. Nothing heavy is imported before a verb needs it.
"""

from __future__ import annotations

import io
import sys

import typer

from workbench.commands import ask, compare, corpora, imports, models, prepare, retrieve, runs, score
from workbench.errors import WorkbenchError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Ask one question through every published way of multilingual RAG, and measure what comes back.",
)


def _group(name: str, explained: str) -> typer.Typer:
    group = typer.Typer(no_args_is_help=True, help=explained)
    app.add_typer(group, name=name)
    return group


ask.register(app)
retrieve.register(app)
score.register(app)
of_runs = _group("runs", "Runs of experiments: list, show, compare, stop, resume, export.")
runs.register(app, of_runs)
compare.register(of_runs)
imports.register(_group("import", "Take in files as a corpus and a dataset."))
corpora.register(
    _group("corpora", "The corpora of the workspace."), _group("datasets", "The datasets of the workspace.")
)
models.register(_group("models", "Known models: list, download, check, use."), _group("recipes", "Recipes that ship."))
prepare.register(app)


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
            f"Error: {place} cannot be used ({error.strerror or error}). Mend that, or set WORKBENCH_HOME to "
            "another folder.",
            file=sys.stderr,
        )
        sys.exit(1)
    except KeyboardInterrupt:
        print("Stopped. What was finished is kept.", file=sys.stderr)
        sys.exit(130)
