"""An option for each field of a recipe, made from the field's description."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperOption

if TYPE_CHECKING:
    from workbench.pipeline import RecipeField

CHOICES = "workbench.recipe"
"""The key of a context's choices of a recipe."""


class RecipeCommand(TyperCommand):
    """A verb with options for a recipe's fields; `recipe_choices` gives those that were typed.

    They are made when a verb is run or explained: importing a recipe takes longer than any other verb needs to start.
    """

    nodes: Collection[str] = ()
    """The steps of the pipeline whose fields are options; () for all."""
    without: Collection[str] = ()
    """Fields that are none, by name."""

    @cached_property
    def _fields(self) -> Mapping[str, RecipeField]:
        from workbench.pipeline import recipe_fields

        return {
            field.name.replace(".", "_"): field
            for field in recipe_fields().values()
            if field.name not in self.without and (not self.nodes or field.about.node in self.nodes)
        }

    @cached_property
    def _options(self) -> list[TyperOption]:
        return [_option(name, field) for name, field in self._fields.items()]

    def get_params(self, ctx: Any) -> list[Any]:
        """The verb's own parameters, then the recipe's."""
        *own, help_option = super().get_params(ctx)
        return [*own, *self._options, help_option]

    def invoke(self, ctx: Any) -> Any:
        """Runs the verb, with what was typed of the recipe in its context."""
        from workbench.pipeline import from_words

        typed = {name: ctx.params.pop(name, None) for name in self._fields}
        ctx.meta[CHOICES] = {
            self._fields[name].name: from_words(self._fields[name].name, value) if isinstance(value, str) else value
            for name, value in typed.items()
            if value is not None
        }
        return super().invoke(ctx)


def recipe_choices(ctx: typer.Context) -> dict[str, Any]:
    """The fields of a recipe that were typed, by name, with their values."""
    return dict(ctx.meta[CHOICES])


def _option(name: str, field: RecipeField) -> TyperOption:
    dashed = name.replace("_", "-")
    switch = bool in field.kinds
    return TyperOption(
        param_decls=[name, f"--{dashed}/--no-{dashed}" if switch else f"--{dashed}"],
        type=bool if switch else str,
        is_flag=switch,
        default=None,
        metavar=None if switch else "INTEGER" if int in field.kinds else "NUMBER" if float in field.kinds else "TEXT",
        help=help_text(field),
        show_default=False,
    )


def help_text(field: RecipeField) -> str:
    """What the command line says of a field: what it is, its values or field.limits, and its default."""
    from workbench.pipeline import words

    values = "" if bool in field.kinds else ", ".join(words(value) for value in field.values)
    default = field.about.unset or words(field.default)
    sentences = [field.help, values or field.limits, f"Default: {default}"]
    return " ".join(f"{sentence.removesuffix('.')}." for sentence in sentences if sentence)
