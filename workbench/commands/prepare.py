"""`prepare` and `doctor`: build the sample, and list what is missing."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.commands.shared import Json, open_workbench, print_json, progress, say


def register(app: typer.Typer) -> None:
    """Adds the verbs to the program."""
    app.command()(prepare)
    app.command()(doctor)


def prepare() -> None:
    """Build the sample corpus, and let the translator learn its languages, now rather than at first use."""
    from workbench.recipes.recipe import Recipe
    from workbench.workspace.warm_up import warm_up

    bench = open_workbench()
    corpus = bench.corpus("sample", progress())
    for number, code in enumerate(corpus.languages, start=1):
        warm_up(bench, Recipe(), [code])
        progress()("learning to translate", number, len(corpus.languages))
    say("The sample is ready.")


def doctor(
    deep: Annotated[bool, typer.Option("--deep", help="Read every byte of the corpora and of the database.")] = False,
    as_json: Json = False,
) -> None:
    """Show each component: ready, or what is missing and the command that provides it."""
    from dataclasses import asdict

    from workbench.workspace.doctor import examine

    checks = examine(open_workbench(), deep=deep)
    if as_json:
        print_json([asdict(check) for check in checks])
        return
    for check in checks:
        print(f"{'ready  ' if check.ready else 'missing'}  {check.name}: {check.state}")
        if check.remedy:
            print(f"         → {check.remedy}")
