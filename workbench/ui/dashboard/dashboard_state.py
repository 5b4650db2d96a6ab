"""The state of the Dashboard, in the session and as a URL, and marks: what a click on a figure stands for.

A mark is a narrower filter, kept as a query inside the URL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Annotated, Any, ClassVar, Literal, Self
from urllib.parse import parse_qs, urlencode

from pydantic import AfterValidator, Field, TypeAdapter

from workbench.core import UsageError, shorten, unknown_name
from workbench.experiments import COMPARISONS, Comparison, Filter
from workbench.pipeline import field_names
from workbench.ui.parts.page_state import Flat, Number, PageSession, PageState, Param

View = Literal[
    "leaderboard",
    "languages",
    "prompts",
    "modes",
    "documents",
    "retrieval",
    "deltas",
    "cost",
    "metrics",
    "published",
    "territories",
]

URL_NAMES: Mapping[str, str] = {field.name: field.name.removesuffix("s") for field in fields(Filter)}
"""The name of each field of a filter in the URL, which repeats it for each value."""
DOCUMENT, ANSWER, APART, FAILED, QUESTION = "document", "answer", "apart", "failed", "question"
"""In a mark: the language of a document that the cell was given; the answer's, `none` where it was not detected; each
of two metrics that disagree; failed cells alone; the stored number of a question."""
NO_LANGUAGE = "none"
MARK_LIMIT = 2_000
"""Characters of a mark."""
Order = Literal["worst", "best", "stored", "unscored"]
ORDERS: Mapping[Order, str] = {
    "worst": "Worst first",
    "best": "Best first",
    "stored": "As they were run",
    "unscored": "Unscored only",
}
"""How answers are listed: by their score, as they were stored, or those without a score alone."""
Family = Literal["hit", "recall", "p"]
"""The measures of retrieval by depth."""
Series = str
SERIES: tuple[Series, ...] = ("mode", "scope", "language", "k")
"""What has a line of its own in Retrieval, beside fields that were varied."""
BOUNDS = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)-([0-9]{1,3}(?:\.[0-9]{1,6})?)")
"""The two bounds of the scores that are listed: `0-0.5`."""
FILTER = TypeAdapter(Filter)
NUMBERS_LIMIT = 1_000_000_000
"""Numbers in a filter are smaller: a database takes no larger ones than its own."""


def filter_of(values: dict[str, Any]) -> Filter:
    """A filter from plain values. Raises UsageError or pydantic's ValidationError."""
    filter_ = FILTER.validate_python(values)
    if wrong := [text for text in filter_.choices if "=" not in text]:
        raise UsageError(f"“choice={shorten(wrong[0])}” in the URL is not a choice, for example: choice=reranker=pass")
    for name in ("runs", "k"):
        if any(number >= NUMBERS_LIMIT for number in getattr(filter_, name)):
            raise UsageError(f"“{URL_NAMES[name]}” in the URL is too large, for example: {URL_NAMES[name]}=5")
    return filter_


def flat_filter(*names: str) -> Flat:
    """These fields of a filter as parameters of the URL."""
    return Flat({URL_NAMES[name]: name for name in names}, filter_of)


def _one_of(kind: str, names: Sequence[str]) -> AfterValidator:
    """Checks that a value is one of some names, or a field of a recipe."""

    def check(value: str) -> str:
        if value not in names and value not in field_names():
            raise unknown_name(kind, value, names)
        return value

    return AfterValidator(check)


def bounds(within: str) -> tuple[float, float] | None:
    """The two bounds in a text, None where it has none.

    >>> bounds("0-0.5"), bounds("x")
    ((0.0, 0.5), None)
    """
    match = BOUNDS.fullmatch(within)
    return (float(match[1]), float(match[2])) if match else None


def _bounds_or_nothing(within: str) -> str:
    if within and bounds(within) is None:
        raise UsageError("“within” in the URL must be two numbers, for example: within=0-0.5")
    return within


Within = Annotated[str, AfterValidator(_bounds_or_nothing)]
"""Two bounds of scores as text, "" for any."""


class Mark(PageState):
    """What a mark stands for: the cells of a filter that meet further conditions.

    `document` is the language of a document that they were given, "" for any; `answered` the language of the answer,
    "" for any, `NO_LANGUAGE` for one that was not detected; `failed` restricts to failed cells; `metrics` are two
    metrics that give different values, or none; `question` is the stored number of a question, 0 for any.
    """

    PAGE: ClassVar[str] = "mark"

    filter_: Annotated[Filter, flat_filter(*URL_NAMES)] = Filter()
    document: Annotated[str, Param(DOCUMENT)] = ""
    answered: Annotated[str, Param(ANSWER)] = ""
    failed: Annotated[bool, Param(FAILED)] = False
    metrics: Annotated[tuple[str, ...], Param(APART)] = ()
    question: Annotated[Number, Param(QUESTION)] = 0

    @property
    def answer(self) -> str | None:
        """The language of the answer: None for any, "" for one that was not detected."""
        return None if not self.answered else "" if self.answered == NO_LANGUAGE else self.answered


PARTS = frozenset(Mark.parameters())
"""What a mark names as it is; a field of a recipe is named as a choice."""


def mark(**values: object) -> str:
    """The mark of the cells with these values: each by a parameter of a mark, or by a field of a recipe as a choice.

    >>> mark(mode="trag", language=("fi", "ko"), reranker="pass")
    'mode=trag&language=fi&language=ko&choice=reranker%3Dpass'
    """
    return urlencode(
        [
            (name, one) if name in PARTS else (URL_NAMES["choices"], f"{name}={one}")
            for name, value in values.items()
            for one in (value if isinstance(value, tuple) else (value,))
            if one != ""
        ]
    )


def from_mark(text: str) -> Mark:
    """What a mark stands for; raises UsageError for a text that is not a mark."""
    if len(text) > MARK_LIMIT:
        raise UsageError("The mark in the URL is too long: click the figure again.")
    params = parse_qs(text, max_num_fields=200)
    for name in params:
        if name not in Mark.parameters():
            raise unknown_name("part of a mark", name, Mark.parameters())
    mark_, problems = Mark.from_params(params)
    if problems:
        raise UsageError(problems[0])
    if len(mark_.metrics) not in (0, 2):
        raise UsageError("A mark in the URL must name two metrics that disagree: click the figure again.")
    return mark_


def _mark_or_nothing(text: str) -> str:
    from_mark(text)
    return text


class DashboardState(PageState):
    """Everything that a user can choose on the Dashboard.

    `metric` "" means the first available; `reference` names published figures: "" the view's default, “none” none.
    `what` is compared, runs or the values of a choice; `against` is the one that the others are compared with, "" the
    best; `closer` is the one of them that is shown by language, "" the best. `common`: runs are ranked on the questions
    that all of them answered. `family` and `series` are those of Retrieval; `scope` is the one that Documents shows, ""
    the view's default. `mark` is "" where no instances are open; they are listed in `order`, with scores `within` two
    bounds, "" for any; `page` counts from 1.
    """

    PAGE: ClassVar[str] = "dash"
    STRICT: ClassVar[bool] = True

    view: View = "leaderboard"
    metric: str = ""
    filter_: Annotated[Filter, flat_filter(*URL_NAMES)] = Filter()
    reference: str = ""
    what: Annotated[Comparison, _one_of("comparison", COMPARISONS)] = "run"
    against: str = ""
    closer: str = ""
    common: bool = True
    family: Family = "hit"
    series: Annotated[Series, _one_of("line of retrieval", SERIES)] = "mode"
    scope: Annotated[str, Param("shown")] = ""
    mark: Annotated[str, AfterValidator(_mark_or_nothing)] = ""
    order: Order = "worst"
    within: Within = ""
    page: Annotated[int, Field(ge=1, le=NUMBERS_LIMIT)] = 1

    def after(self, path: str) -> Self:
        """A mark of another figure, or one that the filters exclude, would mislead; another list begins at page 1."""
        if path in ("view", "metric") or path.startswith("filter_"):
            return self.with_(mark="", page=1, **({"reference": ""} if path == "view" else {}))
        return self.with_(page=1) if path in ("order", "within", "mark") else self


SESSION = PageSession(DashboardState)


def narrow(filter_: Filter, by: Filter) -> Filter:
    """The first filter with every field that the second one sets replaced by it; of choices those of its fields."""
    narrowed = {item.name: getattr(by, item.name) for item in fields(by) if getattr(by, item.name)}
    named = {choice.partition("=")[0] for choice in by.choices}
    others = tuple(choice for choice in filter_.choices if choice.partition("=")[0] not in named)
    return replace(filter_, **{**narrowed, "choices": (*others, *by.choices)})
