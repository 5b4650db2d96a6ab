"""BORDERLINES: which of the claimants does a territory belong to, asked in English and in the claimants' languages.

Source: Li, Haider and Callison-Burch 2024, "This Land is {Your, My} Land"; Ranaldi et al. 2025 (D-RAG, section 4.4 and
appendix N) ask it of RAG.  A folder laid out as its authors' repository:

    disputed_territories.csv                    Territory, Claimants (parted by “;”), Controller …
    prompts/prompts_q_mc.txt                    a question in English for every row
    translate/prompts_mc_q/prompts.CODE         questions in one language
    translate/prompts_mc_q/choices.CODE         the claimants' names in it, a JSON list a line
    translate/terms/line_inds.CODE.txt          which rows they belong to, a JSON list of numbers from 0

The gold answer is the controller's name in the question's language.  Left out and counted: territories whose
controller is unknown or no claimant, as in the D-RAG paper, and a second variety of a language that a territory is
asked in already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import regex

from workbench.datasets.collection import Collection, Unique, checked_languages, in_languages, none_left
from workbench.datasets.files.delimited import delimited_records
from workbench.datasets.files.record import NOTHING, cleaned
from workbench.datasets.files.text_files import checked_folder, json_value, lines, shown
from workbench.errors import DataError, UsageError, shorten
from workbench.languages.labels import parse_label
from workbench.records import Question

TERRITORIES = "disputed_territories.csv"
ENGLISH = Path("prompts", "prompts_q_mc.txt")
TRANSLATED = (Path("translate", "prompts_mc_q"), Path("translate", "prompts_q_mc"))
TERMS = Path("translate", "terms")
FILE = regex.compile(r"disputed_territories\.csv|prompts_q_mc\.txt|(prompts|choices)\.[\w-]+|line_inds\.[\w-]+\.txt")
"""What its files are called."""
NO_CONTROLLER, SECOND_VARIETY = "without a controller among the claimants", "in a second variety of the same language"
FIRST_VARIETIES = ("zh-CN",)


@dataclass(frozen=True, slots=True)
class _Territory:
    id: str
    claimants: tuple[str, ...]
    controller: int | None
    """Place of the controller among the claimants."""


@dataclass(frozen=True, slots=True)
class _Prompt:
    row: int
    text: str
    choices: Sequence[str]


def read_borderlines(folder: Path, wanted: Sequence[str] = ()) -> Collection:
    """The questions in the languages `wanted` (none: all).

    Raises UsageError for a folder laid out otherwise, DataError with file and line for what is wrong in a file.
    """
    codes = checked_languages(wanted)
    checked_folder(folder, f"BORDERLINES ({TERRITORIES}, prompts, translate)")
    if not (folder / TERRITORIES).is_file():
        raise UsageError(
            f"The folder “{shown(folder)}” has no {TERRITORIES}. Expected BORDERLINES laid out as its "
            "authors' repository."
        )
    territories = _territories(folder / TERRITORIES)
    translated = next((folder / place for place in TRANSLATED if (folder / place).is_dir()), folder / TRANSLATED[0])
    labels = {path.name.removeprefix("prompts."): path for path in translated.glob("prompts.*")}
    questions: list[Question] = []
    asked: set[tuple[str, str]] = set()
    left_out = Counter({NO_CONTROLLER: 0, SECOND_VARIETY: 0})
    english = _english(folder / ENGLISH, territories)
    sources = [
        ("en", english),
        *((label, _translated(path, label, folder, territories)) for label, path in _ordered(labels)),
    ]
    for label, prompts in sources:
        code = _code(label, translated)
        for prompt in prompts:
            territory = territories[prompt.row]
            if (territory.id, code) in asked:
                left_out[SECOND_VARIETY] += 1
            elif territory.controller is None:
                left_out[NO_CONTROLLER] += 1
            else:
                asked.add((territory.id, code))
                gold = prompt.choices[territory.controller]
                questions.append(Question(territory.id, prompt.text, code, (gold,), found_in="conflict"))
    if not questions:
        raise none_left("BORDERLINES", [TERRITORIES], left_out)
    found = sorted({question.language for question in questions})
    return Collection(
        "borderlines",
        "BORDERLINES",
        (TERRITORIES, "prompts", "translate"),
        in_languages(questions, codes, found),
        parallel=True,
        left_out=left_out,
    )


def languages_in(paths: Iterable[PurePath]) -> list[str]:
    """The languages that translated prompts among `paths` are in, and English.

    >>> languages_in([PurePath("translate/prompts_mc_q/prompts.zh-CN"), PurePath("translate/prompts_mc_q/choices.fr")])
    ['en', 'zh']
    """
    labels = (
        path.name.removeprefix("prompts.")
        for path in paths
        if path.name.startswith("prompts.") and path.parent.name in {place.name for place in TRANSLATED}
    )
    return sorted({"en", *(label.code for label in map(parse_label, labels) if label and label.code)})


def _ordered(labels: dict[str, Path]) -> list[tuple[str, Path]]:
    """The translated files; English has its own, and the first variety of a language comes before the others."""
    return sorted(
        ((label, path) for label, path in labels.items() if label != "en"),
        key=lambda item: (item[0] not in FIRST_VARIETIES, item[0]),
    )


def _territories(path: Path) -> list[_Territory]:
    seen = Unique("territory")
    found: list[_Territory] = []
    for record in delimited_records(path):
        name = "_".join(record.text("Territory").split())
        seen.add(name, record.where)
        claimants = tuple(cleaned(item) for item in record.text("Claimants").split(";"))
        if len(claimants) < 2 or not all(claimants):
            raise record.wrong("does not name two claimants parted by “;”")
        controller = record.text("Controller")
        found.append(_Territory(name, claimants, claimants.index(controller) if controller in claimants else None))
    return found


def _english(path: Path, territories: Sequence[_Territory]) -> Iterator[_Prompt]:
    prompts = list(lines(path))
    if len(prompts) != len(territories):
        raise DataError(
            f"{path.name} has {len(prompts):,} questions where {TERRITORIES} has {len(territories):,} rows, {NOTHING}."
        )
    for row, (_, text) in enumerate(prompts):
        yield _Prompt(row, cleaned(text), territories[row].claimants)


def _translated(path: Path, label: str, folder: Path, territories: Sequence[_Territory]) -> Iterator[_Prompt]:
    choices_file, rows_file = path.with_name(f"choices.{label}"), folder / TERMS / f"line_inds.{label}.txt"
    prompts = list(lines(path))
    choices = [
        (f"{choices_file.name}, line {number}", json_value(f"{choices_file.name}, line {number}", text))
        for number, text in lines(choices_file)
    ]
    rows = json_value(rows_file.name, "".join(text for _, text in lines(rows_file)))
    if not isinstance(rows, list) or not all(isinstance(row, int) and 0 <= row < len(territories) for row in rows):
        raise DataError(f"{rows_file.name} is no JSON list of rows of {TERRITORIES}, {NOTHING}.")
    if not len(prompts) == len(choices) == len(rows):
        raise DataError(
            f"{path.name} has {len(prompts):,} questions, {choices_file.name} {len(choices):,} and "
            f"{rows_file.name} {len(rows):,}, {NOTHING}: they belong together line by line."
        )
    for row, (_, text), (where, named) in zip(rows, prompts, choices, strict=True):
        if (
            not isinstance(named, list)
            or len(named) != len(territories[row].claimants)
            or not all(isinstance(name, str) and name.strip() for name in named)
        ):
            raise DataError(
                f"{where} should name {len(territories[row].claimants)} claimants of "
                f"“{shorten(territories[row].id)}”, {NOTHING}."
            )
        yield _Prompt(row, cleaned(text), [name.strip() for name in named])


def _code(label: str, folder: Path) -> str:
    parsed = parse_label(label)
    if parsed is None or not parsed.code:
        raise UsageError(
            f"The file prompts.{shorten(label)} in “{shown(folder)}” names no language. Expected prompts.fr, "
            "prompts.zh-CN and so on."
        )
    return parsed.code
