"""Examples one click away, as cards: a phenomenon each, a question, what to look for, and a link that asks it.

The questions are from the sample; a test checks every id and language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from workbench.core import Question
from workbench.data import questions
from workbench.pipeline import make_recipe, mode
from workbench.ui.ask.ask_state import Choice
from workbench.ui.parts import safe_html
from workbench.ui.parts.badges import language_badge
from workbench.ui.parts.safe_html import Html, element, escaped, joined, text_block

PHENOMENA: Mapping[str, str] = {
    "scope": "Scope matters",
    "english-distracts": "English distracts",
    "conflict": "Sources conflict",
    "translation-misleads": "Translation misleads",
}


HINTS: Mapping[str, str] = {
    "scope": "Only one language's article knows the answer.",
    "english-distracts": "English articles are about something else.",
    "conflict": "Articles disagree, country by country.",
    "translation-misleads": "The question, once translated, finds other things.",
}
"""Each phenomenon in a sentence, for who knows none of the words."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question of the sample, how to ask it, and `look`: what to look for and what to change next."""

    phenomenon: str
    question_id: str
    language: str
    mode: str
    look: str

    @property
    def question(self) -> Question:
        """The sample's question with this id, in the example's language."""
        return next(question for question in questions(self.language) if question.id == self.question_id)

    @property
    def title(self) -> str:
        """The phenomenon in words, such as “Scope matters”."""
        return PHENOMENA[self.phenomenon]

    @property
    def headline(self) -> str:
        """What the example shows: the first sentence of `look`."""
        return f"{self.look.partition('. ')[0].rstrip('.')}."

    @property
    def choice(self) -> Choice:
        """The example as a choice that is answered when its link is opened."""
        return Choice(
            question=self.question.text,
            language=self.language,
            recipe=make_recipe({"mode": self.mode}),
            submitted=True,
        )


EXAMPLES: tuple[Example, ...] = (
    Example(
        "scope",
        "q30",
        "ar",
        "monorag",
        "Only the Arabic article says who founded the mosque. Set the scope to English: there is no answer.",
    ),
    Example(
        "english-distracts",
        "q32",
        "zh",
        "trag",
        "tRAG searches English, which covers only other lines, so there is no answer. Switch to monoRAG: 2008, "
        "from the Chinese article.",
    ),
    Example(
        "conflict",
        "q07",
        "en",
        "drag",
        "Articles name Daguerre, Niépce, Hercule Florence or Fox Talbot, depending on the country. D-RAG names each "
        "and shows which document supports which claim.",
    ),
    Example(
        "translation-misleads",
        "q41",
        "ja",
        "trag",
        "The translated question finds Times Square, not Japan's temple bells, so there is no answer. Switch to "
        "MultiRAG: 108 times.",
    ),
    Example(
        "scope",
        "q46",
        "pt",
        "monorag",
        "Only the Portuguese article covers tea from the Azores. Set the scope to English: there is no answer.",
    ),
    Example(
        "english-distracts",
        "q38",
        "de",
        "trag",
        "The English article names only Strasbourg, where Gutenberg lived. The German one names the city where he "
        "printed: switch to MultiRAG.",
    ),
    Example(
        "conflict",
        "q08",
        "ru",
        "drag",
        "Schools teach seven continents or six, depending on the country. Both claims are shown side by side, "
        "each with its document.",
    ),
    Example(
        "translation-misleads",
        "q51",
        "th",
        "trag",
        "English has no word for hun lakhon lek, so only passages about other puppets are found. Switch to monoRAG: "
        "three, from the Thai passage.",
    ),
)
"""In the order of the screen."""

FIRST = EXAMPLES[: len(PHENOMENA)]
"""One example per phenomenon."""


def of(choice: Choice) -> Example | None:
    """The example with the choice's question and language, whatever its recipe; None where there is none."""
    for example in EXAMPLES:
        if example.language == choice.language and example.question.text == choice.question:
            return example
    return None


ACROSS = 4
"""Number of cards side by side on a wide screen."""

ASK = "pages/ask.py"
Card = tuple[Html, str, Choice]
"""A card's content, the label of its link, and what the link asks."""


def cards(examples: Sequence[Example], *, short: bool = False) -> None:
    """The examples as cards, those of a phenomenon below one another; `short`: a hint in place of what to look for."""
    columns = [example for start in range(ACROSS) for example in examples[start::ACROSS]]
    grid([_card(example, short=short) for example in columns])


def grid(shown: Sequence[Card]) -> None:
    """Up to two rows of cards, column by column where there is room for columns."""
    with st.container(key=f"cards_{-(-len(shown) // ACROSS)}"):
        for content, label, choice in shown:
            safe_html.show(element("div", content, css="wb-example"))
            _link(label, choice)


def row() -> None:
    """The examples as one line of links, folded."""
    opened = st.expander(
        "More examples", key="more_examples", icon=":material/lightbulb:", type="compact", on_change="rerun"
    )
    if opened.open:
        with opened, st.container(horizontal=True, gap="small"):
            for example in EXAMPLES:
                _link(f"{example.title} ({example.language})", example.choice)


def _card(example: Example, *, short: bool) -> Card:
    title = element("span", escaped(example.title), css="wb-label")
    content = (
        element("div", title, language_badge(example.language), css="wb-row"),
        text_block(example.question.text, example.language, "wb-ask"),
        text_block(HINTS[example.phenomenon] if short else example.look, "en", "wb-muted"),
    )
    return joined(content), f"Ask with {mode(example.mode).title}", example.choice


def _link(label: str, choice: Choice) -> None:
    # The style sheet draws the arrow: an icon for each costs a browser more.
    st.page_link(ASK, label=label, query_params=choice.to_params())
