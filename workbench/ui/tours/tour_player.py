"""Playing a tour: one stop at a time, part by part, by buttons or keys.

Nothing here changes a tour, and nothing but its file is read.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from workbench.core import Translation, shorten
from workbench.experiments import Tour, TourStop, answer_of
from workbench.metrics import metric_name
from workbench.ui.ask import answer_view, documents, presentation
from workbench.ui.ask.presentation import BACK, DETAILS, NEXT, NOTES, PARTS, Part
from workbench.ui.parts import safe_html
from workbench.ui.parts.answer_rows import scores_table
from workbench.ui.parts.badges import chip
from workbench.ui.parts.safe_html import Html, element, escaped

PAGE = "pages/tour.py"
DIGITS = 4
MOST_FIGURES = 3
"""Metrics that a slide shows."""


@dataclass(frozen=True, slots=True)
class TourPlace:
    """Where a tour is: the stop, from 1, and how many of its parts are shown, from 1."""

    stop: int = 1
    parts: int = 1

    def after(self, tour: Tour) -> TourPlace:
        """The next place; the last one stays."""
        if self.parts < len(stages(tour.stops[self.stop - 1])):
            return TourPlace(self.stop, self.parts + 1)
        return TourPlace(self.stop + 1, 1) if self.stop < len(tour.stops) else self

    def before(self, tour: Tour) -> TourPlace:
        """The place before, which is a complete stop at a stop's beginning; the first one stays."""
        if self.parts > 1:
            return TourPlace(self.stop, self.parts - 1)
        return TourPlace(self.stop - 1, len(stages(tour.stops[self.stop - 2]))) if self.stop > 1 else self


def stages(stop: TourStop) -> tuple[Part, ...]:
    """The parts that a stop has; one without documents has no part for them."""
    return PARTS if stop.documents else tuple(part for part in PARTS if part != "documents")


def place_in(tour: Tour, stop: str, parts: str) -> TourPlace:
    """The place that a URL names; what is not there becomes the nearest place that is."""
    number = min(max(1, _number(stop)), len(tour.stops))
    return TourPlace(number, min(max(1, _number(parts)), len(stages(tour.stops[number - 1]))))


def draw(name: str, tour: Tour) -> None:
    """The stop that the URL names, as far as it is revealed, with the ways on and back."""
    place = place_in(tour, st.query_params.get("stop", ""), st.query_params.get("parts", ""))
    stop = tour.stops[place.stop - 1]
    shown = stages(stop)[: place.parts]
    for noun, number, count in (("stop", place.stop, len(tour.stops)), ("parts", place.parts, len(stages(stop)))):
        if (given := st.query_params.get(noun, str(number))) != str(number):
            safe_html.message(f"“{noun}” in the URL is “{shorten(given)}”. Allowed: 1 to {count}.", "error")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="slide_top"):
        safe_html.show(recorded_mark(stop, f"{place.stop} of {len(tour.stops)}"))
        _way("Back (←)", BACK, place, place.before(tour))
        _way("Next (→)", NEXT, place, place.after(tour))
        safe_html.show(presentation.full_screen_button())
        st.toggle("Notes (N)", key=NOTES, help="The presenter's note to each stop, if there is one.")
        st.toggle(
            "Details (D)", key=DETAILS, help="Documents, argument, scores, prompt, steps and recipe, once revealed."
        )
        with st.container(width="content", key="close_presentation"):
            st.page_link(PAGE, label="Close (Esc)", icon=":material/close:", query_params={"list": "1"})
    if st.session_state.get(NOTES) and stop.note:
        safe_html.message(stop.note)
    answer = answer_of(stop)
    english = Translation(**stop.english.model_dump()) if stop.english else None
    safe_html.show(
        presentation.slide(
            answer,
            stop.recipe_title,
            stop.headline,
            english,
            parts=shown,
            figures=slide_figures(stop),
            golds=stop.golds,
        )
    )
    if st.session_state.get(DETAILS):
        _details(stop, shown)
    presentation.listen(100 * place.stop + place.parts)
    st.query_params.from_dict({"tour": name, "stop": str(place.stop), "parts": str(place.parts)})


def recorded_mark(stop: TourStop, place: str) -> Html:
    """What is always in sight: that this is recorded, when, and where in the tour it is; `place` is “2 of 8”."""
    words = (element("b", escaped("Recorded")), escaped(f"on {stop.recorded}"), chip(place))
    return element("div", *words, css="wb-recorded wb-row", role="status")


def slide_figures(stop: TourStop) -> dict[str, str]:
    """The first scores, by the metrics' names."""
    scored = [score for score in stop.scores if score.value is not None][:MOST_FIGURES]
    return {metric_name(score.metric): f"{score.value:.2f}" for score in scored}


def _way(label: str, key: str, place: TourPlace, target: TourPlace) -> None:
    st.button(label, key=key, disabled=target == place, on_click=_turn, args=(target,))


def _turn(target: TourPlace) -> None:
    st.query_params["stop"], st.query_params["parts"] = str(target.stop), str(target.parts)


def _details(stop: TourStop, shown: tuple[Part, ...]) -> None:
    """What the slide leaves out, of the parts that are revealed."""
    answer = answer_of(stop)
    if stop.missing:
        safe_html.message(stop.missing)
    if "answer" in shown:
        safe_html.show(answer_view.presented_card(answer))
        if answer.sections:
            safe_html.show(
                element("section", answer_view.sections_card(answer.sections, answer.evidence), css="wb-answer")
            )
    if "documents" in shown:
        spans = answer.generation.spans if "answer" in shown else ()
        safe_html.show(documents.documents_list(answer.evidence, spans))
    if "scores" in shown:
        values = {score.metric: score.value for score in stop.scores}
        safe_html.show(scores_table(values, {score.metric: score.reason for score in stop.scores}))
        answer_view.draw_prompt(stop.system_prompt, stop.user_prompt)
        if stop.steps:
            safe_html.show(answer_view.steps_table(answer.steps))
        if stop.recipe:
            st.caption("Recipe")
            safe_html.source(stop.recipe)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= DIGITS else 1
