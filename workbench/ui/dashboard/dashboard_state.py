"""What the Dashboard looks at, as an address and back. Pure: no Streamlit in here. Reading never fails.

A mark is what a click on a figure stands for: a narrower filter, kept as a query of its own inside the address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Literal, get_args
from urllib.parse import parse_qs, urlencode

from workbench.errors import UsageError, unknown_name
from workbench.results.filters import Filter
from workbench.results.run_pairs import COMPARISONS, Comparison

View = Literal[
    "leaderboard", "languages", "prompts", "modes", "documents", "retrieval", "deltas", "cost", "metrics", "published"
]
VIEWS: tuple[View, ...] = get_args(View)

SINGULAR: Mapping[str, str] = {
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
}
"""A filter's field and its name in the address, which repeats it for each value."""
PLURAL = {name: field for field, name in SINGULAR.items()}
NUMBERS = ("runs", "k")
DOCUMENT, ANSWER, APART, FAILED = "document", "answer", "apart", "failed"
"""In a mark: the language of a document that the cell was given; the answer's, `none` where it was not detected; each
of two metrics that are apart; failed cells alone."""
NO_LANGUAGE = "none"


@dataclass(frozen=True, slots=True)
class Mark:
    """What a mark stands for: a filter, the language of a document ("" for any), the answer's (None for any, "" for one
    that was not detected), only failed cells where said, and two metrics that give different values, or none.
    """

    chosen: Filter = field(default_factory=Filter)
    document: str = ""
    answer: str | None = None
    failed: bool = False
    apart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DashboardState:
    """Everything that the Dashboard lets one choose. `metric` "" means the first there is; `reference` names published
    figures, "" the view's own, “none” none; `what` is compared, runs or the values of a choice, `against` the one that
    the others are compared with, "" the best, and `closer` the one of them that is in each language, "" the best;
    `mark` is "" where no instances are open; `page` counts from 1.
    """

    view: View = "leaderboard"
    metric: str = ""
    chosen: Filter = field(default_factory=Filter)
    reference: str = ""
    what: Comparison = "run"
    against: str = ""
    closer: str = ""
    mark: str = ""
    page: int = 1


def to_params(look: DashboardState) -> dict[str, list[str]]:
    """The look as query parameters, what is not the default."""
    params: dict[str, list[str]] = {}
    for key, value, usual in (
        ("view", look.view, VIEWS[0]),
        ("metric", look.metric, ""),
        ("reference", look.reference, ""),
        ("what", look.what, COMPARISONS[0]),
        ("against", look.against, ""),
        ("closer", look.closer, ""),
        ("mark", look.mark, ""),
        ("page", look.page, 1),
    ):
        if value != usual:
            params[key] = [str(value)]
    return params | _filter_params(look.chosen)


def link(look: DashboardState, page: str = "dashboard") -> str:
    """The look as an address relative to the app's own."""
    return f"{page}?{urlencode(to_params(look), doseq=True)}"


def from_params(params: Mapping[str, Sequence[str]]) -> tuple[DashboardState, tuple[str, ...]]:
    """The look that an address asks for, and a sentence for each thing in it that cannot be had."""
    problems: list[str] = []
    first = {key: values[0] for key, values in params.items() if values}
    look = DashboardState(
        metric=first.get("metric", ""),
        chosen=_filter(params, problems),
        reference=first.get("reference", ""),
        against=first.get("against", ""),
        closer=first.get("closer", ""),
        mark=first.get("mark", ""),
    )
    view, what = first.get("view", VIEWS[0]), first.get("what", COMPARISONS[0])
    if view in VIEWS:
        look = replace(look, view=view)
    else:
        problems.append(str(unknown_name("view", view, VIEWS)))
    if what in COMPARISONS:
        look = replace(look, what=what)
    else:
        problems.append(str(unknown_name("comparison", what, COMPARISONS)))
    try:
        from_mark(look.mark)
    except UsageError as error:
        problems.append(str(error))
        look = replace(look, mark="")
    page = _number(first.get("page", "1"))
    if page is None:
        problems.append("“page” in the address must be a whole number, for example: page=1")
    return replace(look, page=max(1, page or 1)), tuple(problems)


def mark(
    *,
    document: str = "",
    answer: str | None = None,
    failed: bool = False,
    apart: Sequence[str] = (),
    **values: object,
) -> str:
    """The mark of what has these values, by field of the filter; one value a field.

    >>> mark(modes="trag", languages="fi")
    'mode=trag&language=fi'
    """
    pairs = [(SINGULAR[name], str(value)) for name, value in values.items() if value != ""]
    pairs += [(DOCUMENT, document)] if document else []
    pairs += [(ANSWER, answer or NO_LANGUAGE)] if answer is not None else []
    pairs += [(FAILED, "1")] if failed else []
    return urlencode([*pairs, *((APART, name) for name in apart)])


def from_mark(text: str) -> Mark:
    """What a mark stands for. Raises UsageError for one that is none of ours."""
    if len(text) > 2_000:
        raise UsageError("The mark in the address is too long to be one: click the figure again.")
    params = parse_qs(text, max_num_fields=200)
    parts = (*SINGULAR.values(), DOCUMENT, ANSWER, FAILED, APART)
    for key in params:
        if key not in parts:
            raise unknown_name("part of a mark", key, parts)
    problems: list[str] = []
    chosen = _filter(params, problems)
    if problems:
        raise UsageError(problems[0])
    apart = tuple(params.get(APART, ()))
    if len(apart) not in (0, 2):
        raise UsageError("A mark in the address names two metrics that are apart: click the figure again.")
    answer = params.get(ANSWER, [None])[0]
    return Mark(
        chosen,
        document=params.get(DOCUMENT, [""])[0],
        answer="" if answer == NO_LANGUAGE else answer,
        failed=FAILED in params,
        apart=apart,
    )


def narrowed(chosen: Filter, by: Filter) -> Filter:
    """The first filter, with what the second one says in place of its own."""
    return replace(chosen, **{item.name: getattr(by, item.name) for item in fields(by) if getattr(by, item.name)})


def _filter_params(chosen: Filter) -> dict[str, list[str]]:
    return {
        name: [str(value) for value in getattr(chosen, key)] for key, name in SINGULAR.items() if getattr(chosen, key)
    }


def _filter(params: Mapping[str, Sequence[str]], problems: list[str]) -> Filter:
    values: dict[str, tuple[object, ...]] = {}
    for key, name in SINGULAR.items():
        given = tuple(dict.fromkeys(params.get(name, ())))
        if key not in NUMBERS:
            values[key] = given
            continue
        numbers = [_number(item) for item in given]
        if None in numbers:
            problems.append(f"“{name}” in the address must be a whole number, for example: {name}=5")
        values[key] = tuple(number for number in numbers if number is not None)
    return Filter(**values)  # type: ignore[arg-type]


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
