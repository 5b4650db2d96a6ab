"""The state of Inspect as a URL and back."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from workbench.experiments.results.filters import Filter
from workbench.ui.inspect.inspect_state import ONLY_TITLES, InspectState

WORDS = st.text(min_size=1, max_size=20).filter(lambda text: text == text.strip())
STATES = st.builds(
    InspectState,
    view=st.sampled_from(["browse", "annotate"]),
    filter_=st.builds(
        Filter,
        experiments=st.lists(WORDS, unique=True, max_size=3).map(tuple),
        runs=st.lists(st.integers(1, 9_999), unique=True, max_size=3).map(tuple),
        languages=st.lists(st.sampled_from(["fi", "ar", "en"]), unique=True).map(tuple),
    ),
    search=WORDS,
    metric=WORDS,
    within=st.sampled_from(["", "0-0.5", "0.25-1"]),
    only=st.lists(st.sampled_from(list(ONLY_TITLES)), unique=True).map(tuple),
    page=st.integers(1, 999),
    instance=st.integers(0, 99_999),
    queue=WORDS,
    annotator=WORDS,
    reads=st.lists(st.sampled_from(["fi", "ar"]), unique=True).map(tuple),
    item=st.integers(1, 999),
    showing=st.integers(1, 2),
)


@given(STATES)
def test_a_link_shows_the_same(state: InspectState) -> None:
    assert InspectState.from_params(state.to_params()) == (state, ())


def test_what_is_shown_first_needs_no_parameters() -> None:
    assert InspectState().to_params() == {}


@pytest.mark.parametrize(
    "params",
    [{"page": ["-1"]}, {"instance": ["x"]}, {"run": ["٣"]}, {"view": ["both"]}, {"within": ["0"]}, {"only": ["all"]}],
)
def test_what_is_not_allowed_is_named_and_the_default_used(params: dict[str, list[str]]) -> None:
    state, problems = InspectState.from_params(params)
    assert state == InspectState()
    (name,) = params
    assert len(problems) == 1
    assert f"“{name}” in the URL" in problems[0]


def test_parameters_of_trackers_are_ignored() -> None:
    assert InspectState.from_params({"utm_source": ["x"]}) == (InspectState(), ())
