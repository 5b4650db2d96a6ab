"""`import`: files become a dataset, and a corpus where they contain passages; one verb per format."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from workbench.cli.shared import open_workbench, print_json, progress, say
from workbench.cli.vectors import VECTORS, VECTORS_HELP, search_by_meaning

if TYPE_CHECKING:
    from workbench.data import DatasetFormat, Existing, ImportOption, ImportResult

SOURCE = "source"
"""The parameter with what is read: files, a folder or a name."""


class ImportGroup(TyperGroup):
    """The verbs, made from the formats when one is run or explained."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the formats."""
        from workbench.data import dataset_formats

        return list(dataset_formats())

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """The verb of a format, None where there is none of that name."""
        from workbench.data import dataset_formats

        form = dataset_formats().get(cmd_name)
        return None if form is None else _command(form)


def _command(form: DatasetFormat) -> TyperCommand:
    name, *others = _common()
    return TyperCommand(
        form.name,
        callback=partial(_import, form),
        params=[_argument(form), name, *map(_option, form.options), *others],
        help=f"{form.title}. {form.description}",
    )


def _argument(form: DatasetFormat) -> TyperArgument:
    from workbench.data import Files, Folder, Remote

    source = form.source
    metavar = "DATASET" if isinstance(source, Remote) else "FOLDER" if isinstance(source, Folder) else "FILE"
    return TyperArgument(
        param_decls=[SOURCE],
        type=str if isinstance(source, Remote) else Path,
        nargs=-1 if isinstance(source, Files) and source.several else 1,
        required=True,
        metavar=metavar,
        help=source.help,
    )


def _option(option: ImportOption) -> TyperOption:
    dashed = f"--{option.name.replace('_', '-')}"
    switch = option.kind == "switch"
    several = option.kind == "languages"
    flag = option.flag or (f"{dashed}/--no-{dashed[2:]}" if option.default is True else dashed)
    return TyperOption(
        param_decls=[option.name, flag],
        type=bool if switch else Path if option.kind == "file" else str,
        is_flag=switch,
        multiple=several,
        default=option.default,
        required=option.required and not option.default and not option.needs,
        show_default=not switch and bool(option.default),
        help=f"{option.help} Repeat for several." if several else option.help,
    )


def _common() -> list[TyperOption]:
    return [
        TyperOption(
            param_decls=["name", "--name"],
            type=str,
            required=True,
            help="Name of the dataset, and of its corpus, if any.",
        ),
        TyperOption(
            param_decls=["limit", "--limit"],
            type=int,
            help="Questions to import per language, the same ids in each if parallel.",
        ),
        TyperOption(
            param_decls=["seed", "--seed"],
            type=int,
            default=0,
            show_default=True,
            help="Seed that picks the questions under --limit.",
        ),
        TyperOption(
            param_decls=["replace", "--replace/--add"],
            type=bool,
            is_flag=True,
            default=None,
            help="Where the dataset already has questions in a language of the files: replace them, or add to them.",
        ),
        TyperOption(
            param_decls=["vectors", VECTORS],
            type=bool,
            is_flag=True,
            default=True,
            help=VECTORS_HELP,
            show_default=False,
        ),
        TyperOption(param_decls=["as_json", "--json"], type=bool, is_flag=True, help="Print JSON on stdout."),
    ]


def _import(
    form: DatasetFormat,
    *,
    name: str,
    limit: int | None,
    seed: int,
    replace: bool | None,
    vectors: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Imports under `name` and reports the result.

    `replace` is what becomes of questions that are there already. Raises UsageError where it is None and there are.
    """
    from workbench.data import DatasetLibrary, checked_name, import_collection, read_dataset

    checked_name(name, "dataset")
    bench, source = open_workbench(), options.pop(SOURCE)
    existing: Existing = "" if replace is None else "replace" if replace else "add"
    result = import_collection(
        bench.library,
        DatasetLibrary(bench.settings.datasets),
        read_dataset(form, source, options, bench.library),
        name,
        limit=limit,
        seed=seed,
        existing=existing,
        progress=progress(),
    )
    report(result, as_json=as_json)
    if result.corpus:
        search_by_meaning(bench, result.corpus, vectors)


def report(result: ImportResult, *, as_json: bool) -> None:
    """Prints languages and counts of what was imported, and what was left out."""
    if as_json:
        corpus = result.corpus.model_dump(mode="json") if result.corpus else None
        print_json(
            {
                "corpus": corpus,
                "questions": result.dataset.languages,
                "left_out": dict(result.left_out),
                "warnings": [*result.warnings],
            }
        )
        return
    if result.corpus:
        languages = ", ".join(sorted(result.corpus.languages))
        print(f"Corpus “{result.corpus.name}”: {result.corpus.passages:,} passages in {languages}.")
    counts = ", ".join(f"{code} {count:,}" for code, count in result.dataset.languages.items())
    print(f"Dataset “{result.dataset.name}”: {counts} questions{', parallel' if result.dataset.parallel else ''}.")
    for warning in result.warnings:
        say(warning)
    for reason, count in result.left_out.items():
        say(f"Left out: {count:,} {reason}.")
