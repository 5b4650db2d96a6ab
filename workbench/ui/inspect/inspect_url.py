"""What the Inspect screen shows as a URL and back: a link opened elsewhere shows the same.

No Streamlit in here. Reading never fails: for each value that is not allowed there is a sentence, and the default is
used instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from workbench.core import shorten
from workbench.experiments import Filter
from workbench.ui.dashboard.dashboard_state import URL_NAMES, WITHIN, bounds

InspectView = Literal["browse", "annotate"]
VIEWS: tuple[InspectView, ...] = get_args(InspectView)
FILTERS = ("experiments", "runs", "modes", "scopes", "prompts", "languages")
"""The fields of a filter that this screen offers."""
NUMBERED = ("runs",)
WRONG_LANGUAGE, WITHOUT_LABEL = "wrong-language", "unlabelled"
ONLY = (WRONG_LANGUAGE, WITHOUT_LABEL)
"""Instances that are listed alone: answers in another language than the question's, and those without any label."""
DIGITS = 9
"""Digits of a number in the URL at most."""
NAME_LIMIT = 60
"""Characters of an annotator's name."""
Params = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class InspectState:
    """Everything that a user can choose on the Inspect screen.

    Browse: `search` is a text that question, golds or answer contain; `within` two bounds of `metric`'s scores, "" for
    any; `only` some of `ONLY`; `page` counts from 1; `instance` is the stored id of the one that is open, 0 for none.

    Annotate: `queue` is a queue's id, "" for none; `annotator` a person's name and `reads` the languages that they
    read; `item` the number of the item that is open, 0 for the next one, and `showing` whether it is shown for the
    first or the second time.
    """

    view: InspectView = VIEWS[0]
    filter_: Filter = field(default_factory=Filter)
    search: str = ""
    metric: str = ""
    within: str = ""
    only: tuple[str, ...] = ()
    page: int = 1
    instance: int = 0
    queue: str = ""
    annotator: str = ""
    reads: tuple[str, ...] = ()
    item: int = 0
    showing: int = 1


def to_params(state: InspectState) -> dict[str, list[str]]:
    """The state as query parameters; defaults are left out."""
    params = {URL_NAMES[name]: [str(value) for value in getattr(state.filter_, name)] for name in FILTERS}
    params |= {"only": list(state.only), "reads": list(state.reads)}
    texts = {
        "view": "" if state.view == VIEWS[0] else state.view,
        "search": state.search,
        "metric": state.metric,
        "within": state.within,
        "page": str(state.page) if state.page > 1 else "",
        "instance": str(state.instance or ""),
        "queue": state.queue,
        "annotator": state.annotator,
        "item": str(state.item or ""),
        "showing": str(state.showing) if state.item and state.showing > 1 else "",
    }
    params |= {name: [text] for name, text in texts.items() if text}
    return {name: values for name, values in params.items() if values}


def from_params(params: Params) -> tuple[InspectState, tuple[str, ...]]:
    """The state that a URL names, and a sentence for each value in it that is not allowed.

    Unknown parameters, such as those of trackers, are ignored.
    """
    problems: list[str] = []
    first = {name: values[0] for name, values in params.items() if values}
    view = _one_of("view", first.get("view", VIEWS[0]), VIEWS, problems)
    state = InspectState(
        view="annotate" if view == "annotate" else "browse",
        filter_=_filter(params, problems),
        search=first.get("search", ""),
        metric=first.get("metric", ""),
        within=first.get("within", ""),
        only=tuple(name for name in params.get("only", ()) if _one_of("only", name, ONLY, problems) == name),
        page=max(1, _number("page", first.get("page", "1"), problems)),
        instance=_number("instance", first.get("instance", "0"), problems),
        queue=first.get("queue", ""),
        annotator=first.get("annotator", "")[:NAME_LIMIT],
        reads=tuple(dict.fromkeys(params.get("reads", ()))),
        item=_number("item", first.get("item", "0"), problems),
        showing=min(2, max(1, _number("showing", first.get("showing", "1"), problems))),
    )
    if state.within and bounds(state.within) is None:
        problems.append(f"“within” in the URL must be two numbers, for example: within=0{WITHIN}0.5")
        state = replace(state, within="")
    return state, tuple(problems)


def _filter(params: Params, problems: list[str]) -> Filter:
    values: dict[str, tuple[object, ...]] = {}
    for name in FILTERS:
        texts = tuple(dict.fromkeys(params.get(URL_NAMES[name], ())))
        numbers = (_number(URL_NAMES[name], text, problems) for text in texts)
        values[name] = tuple(number for number in numbers if number) if name in NUMBERED else texts
    return Filter(**values)  # type: ignore[arg-type]


def _one_of(name: str, value: str, allowed: Sequence[str], problems: list[str]) -> str:
    if value in allowed:
        return value
    problems.append(f"“{name}” in the URL is “{shorten(value)}”. Allowed: {', '.join(allowed)}.")
    return allowed[0]


def _number(name: str, text: str, problems: list[str]) -> int:
    if text.isascii() and text.isdecimal() and len(text) <= DIGITS:
        return int(text)
    problems.append(f"“{name}” in the URL must be a whole number, for example: {name}=5")
    return 0
