"""What the answers of runs say about the territories of a dataset such as BORDERLINES, read anew at each look.

The claimants, their names and languages are the dataset's as it is now, the controller is the gold answer as it was
when the question was asked. An answer to a question that the dataset no longer has, or with a gold that is none of its
claimants, is left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from workbench.core import Question
from workbench.data import DatasetLibrary
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.result_store import ResultView
from workbench.languages import language
from workbench.metrics import (
    KINDS,
    Reading,
    Territory,
    answers_agree,
    claimant_names,
    concurrence,
    home_claimant,
    read_choice,
)

KIND = "borderlines"
"""The kind of a dataset whose questions have claimants."""
Questions = Mapping[str, Mapping[str, Question]]
"""Those with claimants, by territory and language."""


@dataclass(frozen=True, slots=True)
class TerritoryAnswer:
    """An answer about a territory as it was read; `claimants` are named in English where the dataset asks in it."""

    instance: Instance
    question: Question
    claimants: tuple[str, ...]
    reading: Reading

    @property
    def controller(self) -> int:
        """The controller's place among the claimants, by the gold answer."""
        return self.question.choices.index(self.instance.golds[0])

    @property
    def words(self) -> str:
        """The claimant that the answer names, else what it was read as."""
        return self.claimants[self.reading.choice] if self.reading.kind == "claimant" else KINDS[self.reading.kind]


def read_answers(view: ResultView, datasets: DatasetLibrary) -> list[TerritoryAnswer]:
    """Every answer about a territory among some results, in the order in which they were written."""
    kinds = {info.name: info.kind for info in datasets.list()}
    names = tuple({run.dataset for run in view.runs() if kinds.get(run.dataset) == KIND})
    if not names:
        return []
    questions = {name: _questions(datasets, name) for name in names}
    instances = view.with_filter(replace(view.filter, datasets=names)).all_instances()
    rows = (_read(item, questions[item.run.dataset].get(item.question, {})) for item in instances)
    return [row for row in rows if row is not None]


def concurrence_rows(answers: Iterable[TerritoryAnswer]) -> list[dict[str, Any]]:
    """Every figure of every run."""
    return [
        {"run": run, "figure": name, **asdict(figure)}
        for run, each in _territories(answers).items()
        for name, figure in concurrence(each).items()
    ]


def group_rows(answers: Sequence[TerritoryAnswer], by: Literal["language", "region"]) -> list[dict[str, Any]]:
    """By run and language or region: agreement with the controller, and how many answers were read as what.

    By language also `home`, the share that names a claimant whose language it is, where another claims too, and
    `home_controls`, how often such a one has control.
    """
    groups: dict[tuple[int, str], list[TerritoryAnswer]] = defaultdict(list)
    for answer in answers:
        groups[answer.instance.run.id, getattr(answer.question, by)].append(answer)
    rows = []
    for (run, value), each in sorted(groups.items()):
        territories, counts = _territories(each)[run], Counter(answer.reading.kind for answer in each)
        row = {"run": run, by: value, **asdict(answers_agree(territories)), **{kind: counts[kind] for kind in KINDS}}
        if by == "language":
            home, controls = home_claimant(territories, value)
            row |= {"home": home.value, "home_low": home.low, "home_high": home.high, "home_n": home.n}
            row["home_controls"] = controls
        rows.append(row)
    return rows


def _territories(answers: Iterable[TerritoryAnswer]) -> dict[int, list[Territory]]:
    """The territories of each run, by its id."""
    groups: dict[tuple[int, str], dict[str, TerritoryAnswer]] = defaultdict(dict)
    for answer in answers:
        groups[answer.instance.run.id, answer.question.id][answer.question.language] = answer
    by_run: dict[int, list[Territory]] = defaultdict(list)
    for (run, name), each in groups.items():
        first, readings = next(iter(each.values())), {code: answer.reading for code, answer in each.items()}
        by_run[run].append(Territory(name, first.controller, first.question.choice_languages, readings))
    return by_run


def _questions(datasets: DatasetLibrary, name: str) -> Questions:
    questions: dict[str, dict[str, Question]] = defaultdict(dict)
    for code in datasets.info(name).languages:
        for question in datasets.questions(name, code):
            if question.choices:
                questions[question.id][code] = question
    return questions


def _read(item: Instance, languages: Mapping[str, Question]) -> TerritoryAnswer | None:
    question, golds = languages.get(item.language), item.golds
    if question is None or not golds or golds[0] not in question.choices:
        return None
    english = languages.get("en", question).choices
    reading = Reading("no form" if item.is_format_failure else "empty")
    if not (item.is_format_failure or item.error):
        about = [each.text.partition("A)")[0] for each in languages.values()]
        names = claimant_names({code: each.choices for code, each in languages.items()}, english, about)
        reading = read_choice(item.output, names, language(item.language), english, about)
    return TerritoryAnswer(item, question, english, reading)
