"""`models` and `recipes`: what can be named in a recipe, bringing it here, one real small call, the one in use."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from workbench import settings
from workbench.commands.shared import Json, open_workbench, print_json, say


def register(models: typer.Typer, recipes: typer.Typer) -> None:
    """Adds the verbs."""
    models.command("list")(models_list)
    models.command("download")(models_download)
    models.command("check")(models_check)
    models.command("use")(models_use)
    recipes.command("list")(recipes_list)
    recipes.command("show")(recipes_show)


def models_list(as_json: Json = False) -> None:
    """Every known model with its role, size and licence, and whether it is on this machine."""
    from workbench.components.readiness import is_here
    from workbench.models.known import known_models

    known, home = known_models(), settings.load().home
    if as_json:
        print_json([{**model.model_dump(mode="json"), "here": is_here(model, home)} for model in known])
        return
    for model in known:
        print(f"{model.name}\t{model.role}\t{', '.join(model.facts)}\t{'here' if is_here(model, home) else ''}")


def models_download(
    name: Annotated[str, typer.Argument(help="A known model or its hub name.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Download a model, after saying its size and licence. Stopped with Ctrl-C, it goes on where it was next time."""
    from workbench.models import download

    chosen = download.plan_download(name)
    say(f"{chosen.model}: {chosen.size / 1e9:.2f} GB, licence {chosen.licence or 'not stated'}.")
    if not yes and not typer.confirm("Download it?", err=True):
        return
    download.download(name, lambda done, total: say(f"{done / 1e6:,.0f}/{total / 1e6:,.0f} MB"), lambda: False)
    say(f"{chosen.model} is here.")


def models_check(
    role: Annotated[str, typer.Argument(help="encoder, reranker, translator, generator or identifier.")],
    name: Annotated[str, typer.Argument(help="The component as a recipe names it.")],
    as_json: Json = False,
) -> None:
    """Make one real small call to a component; shows time and result."""
    from workbench.components.readiness import try_out

    result = try_out(role, name, open_workbench().settings.home)
    if as_json:
        print_json(asdict(result))
        return
    print(f"{'ready' if result.ok else 'failed'}  {result.seconds:.2f} s  {result.sentence}")
    if not result.ok:
        raise typer.Exit(1)


def models_use(
    name: Annotated[
        str | None, typer.Argument(help="builtin, a known identifier or fasttext:FILE; left out: says which is in use.")
    ] = None,
) -> None:
    """Choose the language identifier of the workspace: for questions, answers and the correct language rate."""
    from workbench.components import identifiers

    home = settings.load().home
    if name is not None:
        kept = identifiers.choose(home, name)
        say(f"This workspace now uses {kept}. Results of another identifier are kept apart.")
    now = identifiers.identifier_choice(home)
    print(now.told)
    if name is not None and now.by == "environment":
        say(f"{settings.IDENTIFIER} outweighs the workspace here. To go by the workspace, type: {now.way_out}")


def recipes_list(as_json: Json = False) -> None:
    """The recipes that ship, each with its paper and table."""
    from workbench.recipes.shipped import shipped_recipes

    found = shipped_recipes()
    if as_json:
        print_json([{"name": item.name, "title": item.title, "source": item.source} for item in found])
        return
    for item in found:
        print(f"{item.name}\t{item.title}\t{item.source}")


def recipes_show(name: Annotated[str, typer.Argument(help="A shipped recipe's name.")]) -> None:
    """One recipe as YAML, to save and edit."""
    from workbench.recipes.recipe import recipe_to_yaml
    from workbench.recipes.shipped import shipped_recipe

    print(recipe_to_yaml(shipped_recipe(name).recipe), end="")
