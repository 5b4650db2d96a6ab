"""The state of the Dashboard as a URL and back. Pure: no Streamlit in here. Reading never fails.

A mark is what a click on a figure stands for: a narrower filter, kept as a query inside the URL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Literal, get_args
from urllib.parse import parse_qs, urlencode

from workbench.core import UsageError, shorten, unknown_name
from workbench.experiments import COMPARISONS, Comparison, Filter
from workbench.pipeline import field_names

View = Literal[
    "leaderboard", "languages", "prompts", "modes", "documents", "retrieval", "deltas", "cost", "metrics", "published"
]
VIEWS: tuple[View, ...] = get_args(View)

URL_NAMES: Mapping[str, str] = {
    "experiments": "experiment",
    "runs": "run",
    "datasets": "dataset",
    "modes": "mode",
    "scopes": "scope",
    "prompts": "prompt",
    "models": "model",
    "k": "k",
    "perturbations": "perturbation",
    "languages": "language",
    "choices": "choice",
}
"""The name of each field of a filter in the URL, which repeats it for each value."""
FILTER_FIELDS = {name: field for field, name in URL_NAMES.items()}
NUMBERS = ("runs", "k")
DOCUMENT, ANSWER, APART, FAILED, QUESTION = "document", "answer", "apart", "failed", "question"
"""In a mark: the language of a document that the cell was given; the answer's, `none` where it was not detected; each
of two metrics that disagree; failed cells alone; the stored number of a question."""
NO_LANGUAGE = "none"
Order = Literal["stored", "lowest", "highest", "unscored"]
"""How instances are listed: as they were stored, by their score, or those without a score alone."""
ORDERS: tuple[Order, ...] = get_args(Order)
FAMILIES = ("hit", "recall", "p")
Series = str
SERIES: tuple[Series, ...] = ("mode", "scope", "language", "k")
"""The measures of retrieval by depth, and what has a line of its own there, beside fields that were varied."""
WITHIN = "-"
"""Between the two bounds of the scores that are listed: `0-0.5`."""

NUMBER = re.compile(r"\d{1,3}(\.\d{1,6})?")
COMMON, EACH = "common", "each"
CHOICES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "view": ("view", VIEWS),
    "what": ("comparison", COMPARISONS),
    "family": ("measure of retrieval", FAMILIES),
    "series": ("line of retrieval", SERIES),
    "order": ("order of instances", ORDERS),
    "questions": ("choice of questions", (COMMON, EACH)),
}
"""The parameters that have a fixed set of values: what each is called, and its values, the default first."""
OF_FIELDS = ("what", "series")
"""Those of them that may also name a field of a recipe."""
PARAMETERS = (
    *URL_NAMES.values(), *CHOICES, "metric", "reference", "against", "closer", "shown", "mark", "within", "page"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mark:
    """What a mark stands for: the cells of a filter that meet further conditions.

    `document` is the language of a document that they were given, "" for any; `answer` the language of the answer, None
    for any, "" for one that was not detected; `failed` restricts to failed cells; `metrics` are two metrics that give
    different values, or none; `question` is the stored number of a question, 0 for any.
    """

    filter_: Filter = field(default_factory=Filter)
    document: str = ""
    answer: str | None = None
    failed: bool = False
    metrics: tuple[str, ...] = ()
    question: int = 0


@dataclass(frozen=True, slots=True)
class DashboardState:
    """Everything that a user can choose on the Dashboard.

    `metric` "" means the first available; `reference` names published figures: "" the view's default, “none” none.
    `what` is compared, runs or the values of a choice; `against` is the one that the others are compared with, "" the
    best; `closer` is the one of them that is shown by language, "" the best. `common`: runs are ranked on the questions
    that all of them answered. `family` and `series` are those of Retrieval; `scope` is the one that Documents shows, ""
    the view's default. `mark` is "" where no instances are open; they are listed in `order`, with scores `within` two
    bounds, "" for any; `page` counts from 1.
    """

    view: View = "leaderboard"
    metric: str = ""
    filter_: Filter = field(default_factory=Filter)
    reference: str = ""
    what: Comparison = "run"
    against: str = ""
    closer: str = ""
    common: bool = True
    family: str = FAMILIES[0]
    series: Series = SERIES[0]
    scope: str = ""
    mark: str = ""
    order: Order = "stored"
    within: str = ""
    page: int = 1


def to_params(dashboard: DashboardState) -> dict[str, list[str]]:
    """The state as query parameters; defaults are left out."""
    params: dict[str, list[str]] = {}
    for key, value, default in (
        ("view", dashboard.view, VIEWS[0]),
        ("metric", dashboard.metric, ""),
        ("reference", dashboard.reference, ""),
        ("what", dashboard.what, COMPARISONS[0]),
        ("against", dashboard.against, ""),
        ("closer", dashboard.closer, ""),
        ("questions", COMMON if dashboard.common else EACH, COMMON),
        ("family", dashboard.family, FAMILIES[0]),
        ("series", dashboard.series, SERIES[0]),
        ("shown", dashboard.scope, ""),
        ("mark", dashboard.mark, ""),
        ("order", dashboard.order, ORDERS[0]),
        ("within", dashboard.within, ""),
        ("page", dashboard.page, 1),
    ):
        if value != default:
            params[key] = [str(value)]
    return params | _filter_params(dashboard.filter_)


def from_params(params: Mapping[str, Sequence[str]]) -> tuple[DashboardState, tuple[str, ...]]:
    """The state that a URL names, and a sentence for each value in it that is not available."""
    problems: list[str] = []
    first = {key: values[0] for key, values in params.items() if values}
    dashboard = DashboardState(
        metric=first.get("metric", ""),
        filter_=_filter(params, problems),
        reference=first.get("reference", ""),
        against=first.get("against", ""),
        closer=first.get("closer", ""),
        common=first.get("questions") != EACH,
        scope=first.get("shown", ""),
        mark=first.get("mark", ""),
        within=first.get("within", ""),
    )
    for key, (what, values) in CHOICES.items():
        value = first.get(key, values[0])
        if value not in values and not (key in OF_FIELDS and value in field_names()):
            problems.append(str(unknown_name(what, value, values)))
        elif key != "questions":
            dashboard = replace(dashboard, **{key: value})  # type: ignore[arg-type]
    problems += [f"“{shorten(name)}” is not a parameter of the Dashboard." for name in params if name not in PARAMETERS]
    if dashboard.within and bounds(dashboard.within) is None:
        problems.append("“within” in the URL must be two numbers, for example: within=0-0.5")
        dashboard = replace(dashboard, within="")
    try:
        from_mark(dashboard.mark)
    except UsageError as error:
        problems.append(str(error))
        dashboard = replace(dashboard, mark="")
    page = _number(first.get("page", "1"))
    if page is None:
        problems.append("“page” in the URL must be a whole number, for example: page=1")
    return replace(dashboard, page=max(1, page or 1)), tuple(problems)


def bounds(within: str) -> tuple[float, float] | None:
    """The two bounds in a text, None where it has none.

    >>> bounds("0-0.5"), bounds("x")
    ((0.0, 0.5), None)
    """
    parts = within.split(WITHIN)
    if len(parts) != 2 or not all(NUMBER.fullmatch(part) for part in parts):
        return None
    return float(parts[0]), float(parts[1])


def mark(
    *,
    document: str = "",
    answer: str | None = None,
    failed: bool = False,
    metrics: Sequence[str] = (),
    question: int = 0,
    **values: object,
) -> str:
    """The mark of the cells with these values: one value for each field of the filter, and the parts of a `Mark`.

    >>> mark(modes="trag", languages="fi")
    'mode=trag&language=fi'
    """
    pairs = [(URL_NAMES[name], str(value)) for name, value in values.items() if value != ""]
    pairs += [(DOCUMENT, document)] if document else []
    pairs += [(ANSWER, answer or NO_LANGUAGE)] if answer is not None else []
    pairs += [(FAILED, "1")] if failed else []
    pairs += [(QUESTION, str(question))] if question else []
    return urlencode([*pairs, *((APART, name) for name in metrics)])


def from_mark(text: str) -> Mark:
    """What a mark stands for; raises UsageError for a text that is not a mark."""
    if len(text) > 2_000:
        raise UsageError("The mark in the URL is too long: click the figure again.")
    params = parse_qs(text, max_num_fields=200)
    parts = (*URL_NAMES.values(), DOCUMENT, ANSWER, FAILED, APART, QUESTION)
    for key in params:
        if key not in parts:
            raise unknown_name("part of a mark", key, parts)
    problems: list[str] = []
    filter_ = _filter(params, problems)
    if problems:
        raise UsageError(problems[0])
    metrics = tuple(params.get(APART, ()))
    if len(metrics) not in (0, 2):
        raise UsageError("A mark in the URL must name two metrics that disagree: click the figure again.")
    answer = params.get(ANSWER, [None])[0]
    question = _number(params.get(QUESTION, ["0"])[0])
    if question is None:
        raise UsageError("The question in the URL must be a number: open it from the list of instances again.")
    return Mark(
        filter_,
        document=params.get(DOCUMENT, [""])[0],
        answer="" if answer == NO_LANGUAGE else answer,
        failed=FAILED in params,
        metrics=metrics,
        question=question,
    )


def choice_filter(what: str, value: str) -> dict[str, str]:
    """The field of a filter, with its value, that lets through one value of what is compared or drawn.

    >>> choice_filter("mode", "trag"), choice_filter("reranker", "pass")
    ({'modes': 'trag'}, {'choices': 'reranker=pass'})
    """
    return {FILTER_FIELDS[what]: value} if what in FILTER_FIELDS else {"choices": f"{what}={value}"}


def narrow(filter_: Filter, by: Filter) -> Filter:
    """The first filter with every field that the second one sets replaced by it; of choices those of its fields."""
    narrowed = {item.name: getattr(by, item.name) for item in fields(by) if getattr(by, item.name)}
    named = {choice.partition("=")[0] for choice in by.choices}
    others = tuple(choice for choice in filter_.choices if choice.partition("=")[0] not in named)
    return replace(filter_, **{**narrowed, "choices": (*others, *by.choices)})


def _filter_params(filter_: Filter) -> dict[str, list[str]]:
    return {
        name: [str(value) for value in getattr(filter_, key)]
        for key, name in URL_NAMES.items()
        if getattr(filter_, key)
    }


def _filter(params: Mapping[str, Sequence[str]], problems: list[str]) -> Filter:
    values: dict[str, tuple[object, ...]] = {}
    for key, name in URL_NAMES.items():
        texts = tuple(dict.fromkeys(params.get(name, ())))
        if key not in NUMBERS:
            values[key] = texts
            continue
        numbers = [_number(item) for item in texts]
        if None in numbers:
            problems.append(f"“{name}” in the URL must be a whole number, for example: {name}=5")
        values[key] = tuple(number for number in numbers if number is not None)
    if wrong := [text for text in values["choices"] if "=" not in str(text)]:
        problems.append(f"“choice={shorten(wrong[0])}” in the URL is not a choice, for example: choice=reranker=pass")
        values["choices"] = tuple(text for text in values["choices"] if text not in wrong)
    return Filter(**values)  # type: ignore[arg-type]


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
