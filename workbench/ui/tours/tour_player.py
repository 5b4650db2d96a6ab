"""Playing a tour: one stop at a time, part by part. Nothing here changes a tour, and nothing but its file is read."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from workbench.experiments import Tour, TourStop
from workbench.ui.ask import step_table
from workbench.ui.parts import safe_html
from workbench.ui.tours import tour_cards, tour_keys

PAGE = "pages/tour.py"
QUESTION, DOCUMENTS, ANSWER, SCORES = "question", "documents", "answer", "scores"
STAGES = (QUESTION, DOCUMENTS, ANSWER, SCORES)
"""The parts of a stop in the order in which they appear; a stop without documents has no part for them."""
DIGITS = 4


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


def stages(stop: TourStop) -> tuple[str, ...]:
    """The parts that a stop has."""
    return STAGES if stop.documents else tuple(stage for stage in STAGES if stage != DOCUMENTS)


def place_in(tour: Tour, stop: str, parts: str) -> TourPlace:
    """The place that a URL names; what is not there becomes the nearest place that is."""
    number = min(max(1, _number(stop)), len(tour.stops))
    return TourPlace(number, min(max(1, _number(parts)), len(stages(tour.stops[number - 1]))))


def draw(name: str, tour: Tour) -> None:
    """The stop that the URL names, as far as it is revealed, with the ways on and back."""
    place = place_in(tour, st.query_params.get("stop", ""), st.query_params.get("parts", ""))
    stop = tour.stops[place.stop - 1]
    shown = stages(stop)[: place.parts]
    with st.container(key="tour_top"):
        safe_html.show(tour_cards.recorded_mark(stop, f"{place.stop} of {len(tour.stops)}"))
        _ways(tour, place)
    if st.session_state.get(tour_keys.NOTES) and stop.note:
        safe_html.message(stop.note)
    safe_html.show(tour_cards.question_card(stop))
    if ANSWER in shown:
        safe_html.show(tour_cards.answer_card(stop))
    if SCORES in shown:
        safe_html.show(tour_cards.scores_card(stop))
    if ANSWER in shown:
        safe_html.show(tour_cards.argument_card(stop))
    if SCORES in shown:
        _origin(stop)
    if DOCUMENTS in shown:
        st.header(f"Documents given to the generator ({len(stop.documents)})")
        safe_html.show(tour_cards.documents_card(stop, marked=ANSWER in shown))
    tour_keys.listen(100 * place.stop + place.parts)
    safe_html.show(tour_keys.keys_line())
    st.query_params.from_dict({"tour": name, "stop": str(place.stop), "parts": str(place.parts)})


def _ways(tour: Tour, place: TourPlace) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _way("Back", tour_keys.BACK, ":material/arrow_back:", place, place.before(tour))
        _way("Next", tour_keys.NEXT, ":material/arrow_forward:", place, place.after(tour))
        safe_html.show(tour_keys.full_screen_button())
        st.toggle("Notes (N)", key=tour_keys.NOTES, help="The presenter's note to each stop, if there is one.")
        st.page_link(PAGE, label="Close", icon=":material/close:", query_params={"list": "1"})


def _way(label: str, key: str, icon: str, place: TourPlace, target: TourPlace) -> None:
    st.button(label, key=key, icon=icon, disabled=target == place, on_click=_turn, args=(target,))


def _turn(target: TourPlace) -> None:
    st.query_params["stop"], st.query_params["parts"] = str(target.stop), str(target.parts)


def _origin(stop: TourStop) -> None:
    """The exact prompt, the steps and the recipe, closed until somebody asks for them."""
    if stop.missing:
        safe_html.message(stop.missing)
    if stop.system_prompt or stop.user_prompt:
        with st.expander("Exact prompt", icon=":material/chat:"):
            st.caption("System")
            safe_html.source(stop.system_prompt)
            st.caption("User")
            safe_html.source(stop.user_prompt)
    if stop.steps:
        with st.expander("Steps and timings", icon=":material/timer:"):
            safe_html.show(step_table.steps_table(tour_cards.steps(stop)))
    if stop.recipe:
        with st.expander("Recipe", icon=":material/tune:"):
            safe_html.source(stop.recipe)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= DIGITS else 1
