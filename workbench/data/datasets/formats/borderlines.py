"""BORDERLINES: which claimant does a territory belong to? In English and in the claimants' languages.

Source: Li, Haider and Callison-Burch (2024), "This Land is {Your, My} Land"; used for RAG by Ranaldi et al. (2025,
D-RAG), section 4.4 and appendix N. The folder has the layout of its authors' repository:

    disputed_territories.csv                    Territory, Claimants (separated by “;”), Controller, Region …
    countries_info.json                         by country the "code" of its language
    prompts/prompts_q_mc.txt                    a question in English for each row
    translate/prompts_mc_q/prompts.CODE         questions in one language
    translate/prompts_mc_q/choices.CODE         the claimants' names in it, one JSON list per line
    translate/terms/line_inds.CODE.txt          the rows they belong to, a JSON list of numbers from 0

The gold answer is the controller's name in the question's language; the choices are the claimants' names in it, with
the language of each claimant, by which concurrence is measured (`metrics.concurrence`). Left out and counted:
territories whose controller is unknown or not a claimant, as in Ranaldi et al. (2025, D-RAG), and a question in a
second variety of a language in which its territory already has one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

import regex

from workbench.core import DataError, Question, UsageError, shorten
from workbench.data.datasets.dataset_format import (
    LANGUAGES,
    Collection,
    DatasetFormat,
    Folder,
    UniqueIds,
    in_languages,
    language_codes,
    no_questions,
)
from workbench.data.datasets.records import (
    NOTHING_IMPORTED,
    checked_folder,
    cleaned,
    delimited_records,
    json_value,
    lines,
    path_text,
)
from workbench.languages import parse_label

TERRITORIES, COUNTRIES = "disputed_territories.csv", "countries_info.json"
ENGLISH = Path("prompts", "prompts_q_mc.txt")
TRANSLATED = (Path("translate", "prompts_mc_q"), Path("translate", "prompts_q_mc"))
TERMS = Path("translate", "terms")
FILE = regex.compile(
    r"disputed_territories\.csv|countries_info\.json|prompts_q_mc\.txt|(prompts|choices)\.[\w-]+|line_inds\.[\w-]+\.txt"
)
"""The names of its files."""
NO_CONTROLLER, SECOND_VARIETY = "without a controller among the claimants", "in a second variety of the same language"
FIRST_VARIETIES = ("zh-CN",)
NO_COUNTRIES = (
    f"The folder has no {COUNTRIES}, so the claimants' languages are not known: whether an answer favours the "
    "claimant in whose language it is asked cannot be told."
)


@dataclass(frozen=True, slots=True)
class _Territory:
    id: str
    claimants: tuple[str, ...]
    controller: int | None
    """The controller's place among the claimants, None if it is not one."""
    languages: tuple[str, ...]
    """The claimants' languages, "" where unknown."""
    region: str


@dataclass(frozen=True, slots=True)
class _Prompt:
    row: int
    text: str
    choices: Sequence[str]


def read_borderlines(folder: Path, languages: Sequence[str] = ()) -> Collection:
    """Return the questions in some `languages` (none: all).

    Raises UsageError for a folder with another layout, DataError with file and line for an error in a file.
    """
    codes = language_codes(languages)
    checked_folder(folder, f"BORDERLINES ({TERRITORIES}, prompts, translate)")
    if not (folder / TERRITORIES).is_file():
        raise UsageError(
            f"The folder “{shorten(folder.name)}” has no {TERRITORIES}. Expected BORDERLINES in the "
            "layout of its authors' repository."
        )
    spoken = _spoken(folder / COUNTRIES)
    territories = _territories(folder / TERRITORIES, spoken)
    translated = next(
        (folder / subfolder for subfolder in TRANSLATED if (folder / subfolder).is_dir()), folder / TRANSLATED[0]
    )
    labels = {path.name.removeprefix("prompts."): path for path in translated.glob("prompts.*")}
    questions: list[Question] = []
    territory_languages: set[tuple[str, str]] = set()
    left_out = Counter({NO_CONTROLLER: 0, SECOND_VARIETY: 0})
    english = _english(folder / ENGLISH, territories)
    sources = [
        ("en", english),
        *((label, _translated(path, label, folder, territories)) for label, path in _ordered(labels)),
    ]
    for label, prompts in sources:
        language = _language_code(label, translated)
        for prompt in prompts:
            territory = territories[prompt.row]
            if (territory.id, language) in territory_languages:
                left_out[SECOND_VARIETY] += 1
            elif territory.controller is None:
                left_out[NO_CONTROLLER] += 1
            else:
                territory_languages.add((territory.id, language))
                gold = prompt.choices[territory.controller]
                questions.append(
                    Question(
                        territory.id,
                        prompt.text,
                        language,
                        (gold,),
                        evidence_in="conflict",
                        choices=tuple(prompt.choices),
                        choice_languages=territory.languages,
                        region=territory.region,
                    )
                )
    if not questions:
        raise no_questions("BORDERLINES", [TERRITORIES], left_out)
    return Collection(
        "borderlines",
        "BORDERLINES",
        (TERRITORIES, "prompts", "translate"),
        in_languages(questions, codes, sorted({question.language for question in questions})),
        description=_description(territories),
        parallel=True,
        left_out=left_out,
        warnings=() if spoken else (NO_COUNTRIES,),
    )


def languages_in(paths: Iterable[PurePath]) -> list[str]:
    """Return the languages of the translated prompts among `paths`, and English.

    >>> languages_in([PurePath("translate/prompts_mc_q/prompts.zh-CN"), PurePath("translate/prompts_mc_q/choices.fr")])
    ['en', 'zh']
    """
    labels = (
        path.name.removeprefix("prompts.")
        for path in paths
        if path.name.startswith("prompts.") and path.parent.name in {subfolder.name for subfolder in TRANSLATED}
    )
    return sorted({"en", *(label.language for label in map(parse_label, labels) if label and label.language)})


def _ordered(labels: dict[str, Path]) -> list[tuple[str, Path]]:
    """Return the translated files except English, a language's first variety before its others."""
    return sorted(
        ((label, path) for label, path in labels.items() if label != "en"),
        key=lambda entry: (entry[0] not in FIRST_VARIETIES, entry[0]),
    )


def _description(territories: Sequence[_Territory]) -> str:
    missing = sum(territory.controller is None for territory in territories)
    return f"{missing:,} of {len(territories):,} territories have no controller among the claimants and are left out."


def _spoken(path: Path) -> dict[str, str]:
    """Return the language of each country that the file names; none where there is no file."""
    if not path.is_file():
        return {}
    countries = json_value(path.name, "\n".join(text for _, text in lines(path)))
    if not isinstance(countries, dict) or not all(isinstance(facts, dict) for facts in countries.values()):
        raise DataError(f"{path.name} is not a JSON object of countries, {NOTHING_IMPORTED}.")
    labels = {country: parse_label(str(facts.get("code", ""))) for country, facts in countries.items()}
    return {country: label.language for country, label in labels.items() if label and label.language}


def _territories(path: Path, spoken: Mapping[str, str]) -> list[_Territory]:
    ids = UniqueIds("territory")
    territories: list[_Territory] = []
    for record in delimited_records(path):
        name = "_".join(record.text("Territory").split())
        ids.add(name, record.where)
        claimants = tuple(cleaned(claimant) for claimant in record.text("Claimants").split(";"))
        if len(claimants) < 2 or not all(claimants):
            raise record.error("does not name two claimants separated by “;”")
        controller = record.text("Controller")
        index = claimants.index(controller) if controller in claimants else None
        languages = tuple(spoken.get(claimant, "") for claimant in claimants)
        territories.append(_Territory(name, claimants, index, languages, record.optional_text("Region")))
    return territories


def _english(path: Path, territories: Sequence[_Territory]) -> Iterator[_Prompt]:
    prompts = list(lines(path))
    if len(prompts) != len(territories):
        raise DataError(
            f"{path.name} has {len(prompts):,} questions where {TERRITORIES} has {len(territories):,} rows, "
            f"{NOTHING_IMPORTED}."
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
        raise DataError(f"{rows_file.name} is not a JSON list of rows of {TERRITORIES}, {NOTHING_IMPORTED}.")
    if not len(prompts) == len(choices) == len(rows):
        raise DataError(
            f"{path.name} has {len(prompts):,} questions, {choices_file.name} {len(choices):,} and "
            f"{rows_file.name} {len(rows):,}, {NOTHING_IMPORTED}: their lines must match."
        )
    for row, (_, text), (where, names) in zip(rows, prompts, choices, strict=True):
        if (
            not isinstance(names, list)
            or len(names) != len(territories[row].claimants)
            or not all(isinstance(name, str) and name.strip() for name in names)
        ):
            raise DataError(
                f"{where} should name {len(territories[row].claimants)} claimants of "
                f"“{shorten(territories[row].id)}”, {NOTHING_IMPORTED}."
            )
        yield _Prompt(row, cleaned(text), [name.strip() for name in names])


def _language_code(label: str, folder: Path) -> str:
    parsed = parse_label(label)
    if parsed is None or not parsed.language:
        raise UsageError(
            f"The file prompts.{shorten(label)} in “{path_text(folder)}” does not name a language. Expected "
            "prompts.fr, prompts.zh-CN and so on."
        )
    return parsed.language


FORMAT = DatasetFormat(
    name="borderlines",
    title="BORDERLINES (folder)",
    description="Which country a territory belongs to, in English and the claimants' languages, without a corpus: "
    "disputed_territories.csv, prompts and translate, arranged as in the authors' repository.",
    source=Folder("disputed_territories.csv, prompts and translate", FILE, main=TERRITORIES, nested=True),
    options=(replace(LANGUAGES, offered=lambda paths, _: languages_in(paths)),),
    read=read_borderlines,
)
