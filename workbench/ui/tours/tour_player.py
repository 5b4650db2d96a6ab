"""Playing a tour: one stop at a time, part by part, by buttons or keys.

Nothing here changes a tour, and nothing but its file is read. The keyboard works only while a tour is played, and never
while somebody types: arrows, space and a presenter's remote turn it, F fills the screen, N shows the notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from workbench.core import Evidence, Passage, Sections, Span, Step, Translation
from workbench.experiments import Tour, TourDocument, TourStop
from workbench.languages import ENGLISH
from workbench.metrics import metric_help
from workbench.ui.ask import answer_view, documents
from workbench.ui.ask.answer_view import sections_card
from workbench.ui.parts import keyboard, safe_html
from workbench.ui.parts.badges import chip, language_badge
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, joined, rich_block, table, text_block

LONG = 160
"""Number of characters above which an answer is set in a smaller size."""


def recorded_mark(stop: TourStop, place: str) -> Html:
    """The line that is always in sight: that this is recorded, when, and under which recipe; `place` is “2 of 8”."""
    words = (
        element("b", escaped("Recorded")),
        escaped(f"on {stop.recorded} with"),
        inline(stop.recipe_title),
        chip(place),
    )
    return element("div", *words, css="wb-recorded wb-row", role="status")


def question_card(stop: TourStop) -> Html:
    """The question in its language."""
    line = element("div", _label("Question"), *_badge(stop.language), css="wb-row")
    return element("section", line, text_block(stop.question, stop.language, "wb-tour-question"), css="wb-tour")


def answer_card(stop: TourStop) -> Html:
    """The answer with its language."""
    line = element("div", _label("Answer"), *_badge(stop.answer_language), css="wb-row")
    if not stop.answer.strip():
        return element("section", line, text_block("No answer", ENGLISH, "wb-none"), css="wb-answer")
    size = "wb-said wb-long" if len(stop.answer) > LONG else "wb-said"
    ranks = [document.rank for document in stop.documents]
    answer = rich_block(stop.answer, stop.answer_language or stop.language, size, ranks)
    return element("section", line, answer, css="wb-answer")


def argument_card(stop: TourStop) -> Html:
    """In D-RAG the parts that lead to the answer; nothing otherwise."""
    if not stop.sections:
        return NOTHING
    return element("section", sections_card(_sections(stop), evidence(stop.documents)), css="wb-answer")


def documents_card(stop: TourStop, *, marked: bool) -> Html:
    """The documents in their order, golds named; `marked`: with what the answer was taken from."""
    spans = [Span(document.rank, *mark) for document in stop.documents for mark in document.marks] if marked else []
    golds = [str(document.rank) for document in stop.documents if document.gold]
    named = [element("div", escaped(f"Gold passages: {', '.join(golds)}"), css="wb-muted")] if golds and marked else []
    return joined([*named, documents.documents_list(evidence(stop.documents), spans)])


def scores_card(stop: TourStop) -> Html:
    """Golds and scores, or that none are known."""
    golds = [inline(gold, stop.language, "wb-chip") for gold in stop.golds] or [chip("none is known")]
    head = element("div", _label("Gold answers"), *golds, css="wb-row")
    if not stop.scores:
        return element("section", head, css="wb-answer")
    rows = [
        [
            inline(score.metric, css="wb-title"),
            escaped("unscored" if score.value is None else f"{score.value:.3f}"),
            inline(score.reason or ("" if score.value is None else metric_help(score.metric)), css="wb-muted"),
        ]
        for score in stop.scores
    ]
    return element("section", head, table(["Metric", "Value", "What it measures"], rows, "wb-stacked"), css="wb-answer")


def steps(stop: TourStop) -> list[Step]:
    """The steps as they are drawn elsewhere."""
    return [Step(step.name, step.component, step.seconds, step.cached, dict(step.facts)) for step in stop.steps]


def evidence(items: Sequence[TourDocument]) -> list[Evidence]:
    """The documents as they are drawn elsewhere."""
    return [
        Evidence(
            Passage(item.id, item.id, item.title, item.language or ENGLISH, item.text),
            item.rank,
            dict(item.scores),
            Translation(**item.translation.model_dump()) if item.translation else None,
        )
        for item in items
    ]


def _sections(stop: TourStop) -> Sections:
    parts = stop.sections
    return Sections(parts.get("extraction", ""), parts.get("explanation", ""), parts.get("argumentation", ""))


def _badge(code: str) -> list[Html]:
    return [language_badge(code)] if code else [chip("language not known")]


def _label(text: str) -> Html:
    return element("span", escaped(text), css="wb-label")


NEXT, BACK, NOTES = "tour_next", "tour_back", "tour_notes"
"""The keys of the controls that the keyboard presses."""
FULL = "tour-full-screen"
"""The anchor of the button that fills the screen: only a click or a key may ask the browser for that."""

KEYBOARD = """(() => {
  if (window.wbTourKeys) return;
  window.wbTourKeys = true;
  const names = {ArrowRight: 'tour_next', ' ': 'tour_next', PageDown: 'tour_next', ArrowLeft: 'tour_back',
    PageUp: 'tour_back', n: 'tour_notes', N: 'tour_notes'};
  const fields = 'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="combobox"], '
    + '[role="dialog"]';
  const turns = '.st-key-tour_next, .st-key-tour_back';
  wbKeys.expect('.st-key-tour_next button, .st-key-tour_back button, .st-key-tour_notes input');
  const fill = () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.().catch(() => {});
  };
  document.addEventListener('keydown', event => {
    const at = event.target, isFull = event.key === 'f' || event.key === 'F';
    if (wbKeys.isOther(event) || !document.querySelector('.st-key-tour_next') || at.closest?.(fields)) return;
    if (event.key === ' ' && at.closest?.('button, a, summary, input') && !at.closest(turns)) return;
    if (!isFull && !names[event.key]) return;
    event.preventDefault();
    if (isFull) fill();
    else wbKeys.press(names[event.key]);
  }, true);
  document.addEventListener('keyup', event => {
    if (event.key === ' ' && event.target.closest?.(turns)) event.preventDefault();
  }, true);
  document.addEventListener('click', event => {
    if (event.target.closest?.('#tour-full-screen')) fill();
  });
})()"""

FROM_THE_TOP = "setTimeout(() => document.querySelector('.stMain')?.scrollTo({top: 0}), 60)"
"""A further part of a stop is shown from the top: the answer comes above its documents."""


def listen(number: int) -> None:
    """Makes the keyboard work on this page; `number` differs from place to place of the tour."""
    keyboard.listen(KEYBOARD)
    safe_html.run_script(FROM_THE_TOP, number)


def full_screen_button() -> Html:
    """The button that fills the screen with the page."""
    return element("button", escaped("Full screen (F)"), css="wb-button", anchor=FULL)


def keys_line() -> Html:
    """The keys, as a line of small print."""
    return keyboard.keys_line(("→ space", "next"), ("←", "back"), ("F", "full screen"), ("N", "notes"))


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
        safe_html.show(recorded_mark(stop, f"{place.stop} of {len(tour.stops)}"))
        _ways(tour, place)
    if st.session_state.get(NOTES) and stop.note:
        safe_html.message(stop.note)
    safe_html.show(question_card(stop))
    if ANSWER in shown:
        safe_html.show(answer_card(stop))
    if SCORES in shown:
        safe_html.show(scores_card(stop))
    if ANSWER in shown:
        safe_html.show(argument_card(stop))
    if SCORES in shown:
        _origin(stop)
    if DOCUMENTS in shown:
        st.header(f"Documents given to the generator ({len(stop.documents)})")
        safe_html.show(documents_card(stop, marked=ANSWER in shown))
    listen(100 * place.stop + place.parts)
    safe_html.show(keys_line())
    st.query_params.from_dict({"tour": name, "stop": str(place.stop), "parts": str(place.parts)})


def _ways(tour: Tour, place: TourPlace) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _way("Back", BACK, ":material/arrow_back:", place, place.before(tour))
        _way("Next", NEXT, ":material/arrow_forward:", place, place.after(tour))
        safe_html.show(full_screen_button())
        st.toggle("Notes (N)", key=NOTES, help="The presenter's note to each stop, if there is one.")
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
            safe_html.show(answer_view.steps_table(steps(stop)))
    if stop.recipe:
        with st.expander("Recipe", icon=":material/tune:"):
            safe_html.source(stop.recipe)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= DIGITS else 1
