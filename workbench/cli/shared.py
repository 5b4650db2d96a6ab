"""What the verbs share: the workspace, progress and messages on stderr, results on stdout, and common options.

The options of a recipe are made from the descriptions of its fields.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from workbench.core import UsageError, shorten
from workbench.workspace import settings

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.components import EncoderSpread, RayChoice
    from workbench.pipeline import RecipeField


Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Lang = Annotated[str, typer.Option("--lang", help="Language of the question, an ISO 639 code such as fi.")]
ExperimentId = Annotated[str, typer.Argument(metavar="ID", help="An experiment's id, from: runs list")]
CorpusName = Annotated[str, typer.Argument(metavar="NAME", help="A corpus's name, from: corpora list")]
Follow = Annotated[bool, typer.Option("--follow/--detach", help="Show progress until it ends, or return immediately.")]
Confirmed = Annotated[bool, typer.Option("--yes", help="Delete it; without this option nothing is deleted.")]
Metrics = Annotated[str, typer.Option(help="Metric names, separated by commas.")]
Judge = Annotated[str, typer.Option(help="The generator that scores g_eval, correctness …")]
Assignments = Annotated[
    list[str] | None, typer.Option("--set", metavar="FIELD=VALUE", help="A field's value. Repeat for several.")
]
JudgeLanguage = Annotated[str, typer.Option(help="The judge's prompts: answer, en or both.")]


def open_workbench() -> Workbench:
    """The workbench over the workspace that the environment names."""
    from workbench.app import Workbench

    return Workbench(settings.load())


def progress() -> Callable[[str, int, int], None]:
    """A callback that prints phase, items done and their total to stderr."""

    def show(phase: str, done: int, total: int) -> None:
        print(f"{phase} {done:,}/{total:,}" if total else f"{phase} …", file=sys.stderr)

    return show


def check_writable(out: Path, example: str) -> None:
    """Checks that a file can be written at `out`, before the work whose results it receives.

    A new name and a regular file are allowed: not a folder, a device or a pipe, which cannot be replaced by a file, nor
    a link to one. `example` is a name to suggest. Raises UsageError.
    """
    folder = out.absolute().parent
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    problem = "is a folder" if out.is_dir() else ""
    if not problem and out.exists() and not out.is_file():
        problem = "is a device, a pipe or a socket, not a file"
    if not problem and not (existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)):
        problem = f"cannot be written, since “{shorten(existing)}” is not a folder that you can write to"
    if problem:
        raise UsageError(f"“{shorten(out)}” {problem}. Type the path of a file, for example: --out {example}")


def assigned(assignments: list[str] | None, names: Collection[str]) -> dict[str, str]:
    """The values of `--set FIELD=VALUE` by field. Raises UsageError for what is not of that form or no field."""
    values = {}
    for text in assignments or ():
        name, equals, value = text.partition("=")
        if not equals or name.strip() not in names:
            raise UsageError(f"“{shorten(text)}” sets no field. For example: --set {next(iter(names))}=…")
        values[name.strip()] = value.strip()
    return values


def say(message: str) -> None:
    """Prints a message for people to stderr."""
    print(message, file=sys.stderr)


def say_hosts(hosts: Iterable[str]) -> None:
    """States which hosts texts are sent to."""
    for host in hosts:
        say(f"Texts are sent to {host}.")


def print_json(value: Any) -> None:
    """Prints a value as JSON to stdout."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_result(value: Any, lines: Iterable[str], *, as_json: bool) -> None:
    """Prints a result to stdout: the value as JSON, or else the lines that say the same to people."""
    if as_json:
        print_json(value)
        return
    for line in lines:
        print(line)


def counts_text(counts: Mapping[str, int]) -> str:
    """Counts by language on one line.

    >>> counts_text({"fi": 3, "en": 12})
    'fi:3 en:12'
    """
    return " ".join(f"{code}:{count}" for code, count in counts.items())


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
        *parameters, help_option = super().get_params(ctx)
        return [*parameters, *self._options, help_option]

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
    if field.name == "generator":
        from workbench.components import default_generator

        default = default_generator(settings.load().home)
    sentences = [field.help, values or field.limits, f"Default: {default}"]
    return " ".join(f"{sentence.removesuffix('.')}." for sentence in sentences if sentence)


Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Run models on Ray: local, host:6379 or ray://host:10001. Every machine needs the same packages and "
        "folders.",
    ),
]
Workers = Annotated[
    int,
    typer.Option(
        "--workers", help="Workers on Ray, each with its own models; by default one per processor, at most 8."
    ),
]


def checked_ray(address: str | None, workers: int, encoder: str = "") -> RayChoice | None:
    """The Ray that the options name, None for none; `encoder` is one that shall run there.

    Raises UsageError for options that are not valid and for an encoder that a service runs, MissingError without Ray.
    """
    from workbench.components import ray_choice

    choice = ray_choice(address, workers)
    if choice is not None and encoder:
        from workbench.components import check_local

        check_local(encoder)
    return choice


@contextmanager
def spread_over(choice: RayChoice | None, home: Path) -> Iterator[EncoderSpread | None]:
    """Workers that encode, for the block; None where this process does."""
    if choice is None:
        yield None
        return
    from workbench.components import RaySpread, ray_pool

    say("Starting workers …")
    with ray_pool(choice, home) as pool:
        say("1 worker encodes." if len(pool) == 1 else f"{len(pool):,} workers encode.")
        yield RaySpread(pool)
