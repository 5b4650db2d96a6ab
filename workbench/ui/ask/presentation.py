"""An answer as a slide, to be read from six metres: a column per claim with the languages that support it.

Ask presents an answer in this way and goes on to the next mode by a key; a tour shows its stops so. The keyboard works
only here, and never while somebody types: arrows, space and a presenter's remote turn, F fills the screen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import streamlit as st

from workbench.app import answer_claims, argument_claims
from workbench.core import Answer, Evidence, Translation
from workbench.experiments import choice_name, in_english
from workbench.languages import is_known, language
from workbench.pipeline import MODES, Recipe, mode
from workbench.ui.ask import asking, controls
from workbench.ui.ask.answer_view import KINDS
from workbench.ui.ask.asking import Asking
from workbench.ui.parts import access, keyboard, safe_html
from workbench.ui.parts.badges import hue
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, text_block

ASK = "pages/ask.py"
NEXT, BACK, NOTES, DETAILS = "slide_next", "slide_back", "slide_notes", "slide_details"
"""The keys of the controls that the keyboard presses."""
FULL = "full-screen"
"""The anchor of the button that fills the screen: only a click or a key may ask the browser for that."""
SHORT = 90
"""Characters up to which an answer is set larger."""
GOLDS_SHOWN = 2
"""Gold answers that a slide names."""
SIDE_BY_SIDE = 2
"""Sentences that have room as columns; more are set as one text, while names have room for more."""
Part = Literal["question", "documents", "answer", "scores"]
PARTS: tuple[Part, ...] = ("question", "documents", "answer", "scores")
"""The parts of a slide in the order in which they appear."""

KEYBOARD = Path(__file__).with_name("slide_keys.js").read_text("utf-8")
FROM_THE_TOP = "setTimeout(() => document.querySelector('.stMain')?.scrollTo({top: 0}), 60)"
"""What comes next is shown from the top."""


def listen(number: int) -> None:
    """Makes the keyboard work on this page; `number` differs from slide to slide."""
    keyboard.listen(KEYBOARD)
    safe_html.run_script(FROM_THE_TOP, number)


def full_screen_button() -> Html:
    """The button that fills the screen with the page."""
    return element("button", escaped("Full screen (F)"), css="wb-button", anchor=FULL)


def slide(
    answer: Answer,
    method: str,
    headline: str = "",
    english: Translation | None = None,
    *,
    parts: Collection[Part] = PARTS,
    figures: Mapping[str, str] | None = None,
    golds: Sequence[str] = (),
) -> Html:
    """The question with what its `parts` show; `method` names mode and scope, `figures` are at most three."""
    shown = [text_block(headline, css="wb-slide-headline")] if headline else []
    shown += [
        element("div", escaped(method), css="wb-slide-method"),
        text_block(answer.question, answer.language, "wb-slide-question"),
    ]
    if english is not None:
        words = (inline(english.text, "en"), element("small", escaped(f" English: {KINDS[english.kind]}")))
        shown.append(element("div", *words, css="wb-slide-english"))
    if "answer" in parts:
        shown.append(_claims(answer))
    elif "documents" in parts:
        pieces = [_supports(count, code, True) for code, count in _languages(answer.evidence).items()]
        shown.append(element("div", *pieces, css="wb-slide-languages"))
    if "documents" in parts and answer.evidence:
        shown.append(sources(answer.evidence))
    if "scores" in parts and (figures or golds):
        pairs = [
            element("span", element("b", escaped(value)), escaped(f" {name}"))
            for name, value in (figures or {}).items()
        ]
        if golds:
            names = [inline(gold, answer.language, "wb-chip") for gold in golds[:GOLDS_SHOWN]]
            more = escaped(f" and {len(golds) - GOLDS_SHOWN} more" if len(golds) > GOLDS_SHOWN else "")
            pairs.append(element("span", escaped("Gold "), *names, more))
        shown.append(element("div", *pairs, css="wb-slide-figures"))
    return element("section", *shown, css="wb-slide")


def _claims(answer: Answer) -> Html:
    """A column per claim of the argument, or the answer as one, with the languages; filled where they support it."""
    ranks = tuple(dict.fromkeys(span.rank for span in answer.generation.spans))
    code = answer.answer_language or answer.language
    argued = argument_claims(answer)
    columns = [(claim.point, "", claim.ranks) for claim in argued]
    support = {claim.point: claim.support for claim in argued}
    stated = answer_claims(answer)
    if not columns and len(stated) == SIDE_BY_SIDE:
        columns = [(claim.text, code, tuple(span.rank for span in claim.spans)) for claim in stated]
    if not columns:
        columns = [(answer.text.strip(), code, ranks)]
    every = _languages(answer.evidence)
    pieces = []
    for text, lang, supporting in columns:
        counts = _languages([item for item in answer.evidence if item.rank in supporting])
        size = "wb-slide-short" if len(text) <= SHORT else ""
        claim_text = text_block(text or "No answer", lang if text else "en", f"wb-slide-claim {size}")
        languages = [_supports(counts.get(name, 0), name, name in counts) for name in every]
        words = support.get(text, "")
        note = element("div", escaped(words), css="wb-slide-english") if words else NOTHING
        head = element("div", claim_text, note)
        pieces.append(element("div", head, element("div", *languages, css="wb-slide-languages")))
    alone = "" if len(columns) > 1 else " wb-slide-alone"
    return element("div", *pieces, css=f"wb-slide-claims{alone}", role="group")


def _languages(evidence: Sequence[Evidence]) -> dict[str, int]:
    """How many documents each language has, the most first."""
    return dict(Counter(item.passage.language for item in evidence).most_common())


def _supports(count: int, code: str, is_supporting: bool) -> Html:
    """A language, filled where its documents support what it stands under; the number of them where it is not one."""
    words = _words(count, code)
    if is_supporting:
        return element("span", escaped(words), css="wb-slide-yes", hue=hue(code))
    return element("span", escaped(words), element("span", escaped(": not cited"), css="wb-unseen"), css="wb-slide-no")


def sources(evidence: Sequence[Evidence]) -> Html:
    """The documents' titles, each once, with the languages that it stands in."""
    titles: dict[str, list[Evidence]] = {}
    for item in evidence:
        titles.setdefault(item.passage.title or item.passage.id, []).append(item)
    pieces = [
        element(
            "span",
            inline(title, items[0].passage.language, "wb-title"),
            escaped(f" ({', '.join(_words(count, code) for code, count in _languages(items).items())})"),
        )
        for title, items in titles.items()
    ]
    head = element("span", escaped("Read" if len(evidence) == 1 else f"Read {len(evidence)} passages:"))
    return element("div", head, *pieces, css="wb-slide-sources")


def _words(count: int, code: str) -> str:
    name = language(code).name if is_known(code) else code
    return f"{name} × {count}" if count > 1 else name


def is_wanted() -> bool:
    """A button that is to open the presentation: whether it was pressed."""
    return st.button(
        "Presentation view",
        key="open_presentation",
        icon=":material/slideshow:",
        help="Question, claims and sources in large type, mode by mode. Esc closes it.",
    )


def draw(request: Asking) -> None:
    """The presentation of a choice, with the ways to the next mode and back. Raises what asking raises."""
    choice, recipe = request.choice, request.choice.recipe
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="slide_top"):
        before, after = _neighbours(recipe)
        for key, to, keys in ((BACK, before, "←"), (NEXT, after, "→")):
            st.button(
                f"{mode(to.mode).title} ({keys})",
                key=key,
                on_click=_turn,
                args=(to,),
                help=f"The same question in the mode {'after' if key == NEXT else 'before'} this one.",
            )
        safe_html.show(full_screen_button())
        with st.container(width="content", key="close_presentation"):
            back = choice.with_(presentation=False).to_params()
            st.page_link(ASK, label="Close (Esc)", icon=":material/close:", query_params=back)
    is_turned = bool(st.session_state.pop(TURNED, False))
    shown = asking.ask(access.workbench(), replace(request, pressed=request.pressed or is_turned))
    safe_html.show(element("div", css="wb-presenting"))
    if shown is not None:
        answer = shown.answer
        english = in_english(access.workbench(), answer.question, answer.language)
        safe_html.show(slide(answer, method(recipe), english=english))
    listen(sum(map(ord, recipe.fingerprint)))


TURNED = "slide_turned"
"""The session's key for the wish to answer in the mode that was turned to."""


def method(recipe: Recipe) -> str:
    """Mode and scope in words."""
    title = mode(recipe.mode).title
    return title if recipe.mode == "baseline" else f"{title}, {choice_name('scope', recipe.scope)}"


def _neighbours(recipe: Recipe) -> tuple[Recipe, Recipe]:
    """The same recipe in the mode before its own and in the one after, each with the scope of its definition."""
    place = next(number for number, item in enumerate(MODES) if item.name == recipe.mode)
    before, after = MODES[place - 1], MODES[(place + 1) % len(MODES)]
    return recipe.with_(mode=before.name, scope=before.scope), recipe.with_(mode=after.name, scope=after.scope)


def _turn(recipe: Recipe) -> None:
    with controls.SESSION.noticed():
        st.session_state[TURNED] = True
        controls.SESSION.change(recipe=recipe)
