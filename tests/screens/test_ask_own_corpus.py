"""Ask about a corpus of one's own: what is offered is about its documents."""

from __future__ import annotations

from tests.screens.conftest import html, open_page
from workbench.app.workbench import Workbench
from workbench.core.records import Passage, Question
from workbench.data.datasets.dataset_library import DatasetLibrary


def _add_corpus(bench: Workbench) -> None:
    passages = [
        Passage("hall", "hall.txt", "The <b>Tampere</b> hall", "en", "It was opened in 1990."),
        Passage("salle", "salle.txt", "La salle de Lyon", "fr", "Elle a ouvert en 1975."),
    ]
    bench.library.add("halls", passages, source="own", licence="own")


def test_without_a_dataset_its_documents_are_named_and_no_question_of_the_sample_is_offered(bench: Workbench) -> None:
    _add_corpus(bench)
    app = open_page("ask", corpus="halls")
    shown = html(app)
    assert "Corpus: halls, in 2 languages." in shown
    assert "The &lt;b&gt;Tampere&lt;/b&gt; hall" in shown and "La salle de Lyon" in shown
    assert [item.value for item in app.header] == ["Documents of this corpus"]
    assert app.text_input(key="ask_question").placeholder == "Ask in any language about halls"


def test_the_questions_of_a_dataset_over_it_are_offered_one_of_each_language_first(bench: Workbench) -> None:
    _add_corpus(bench)
    questions = [
        Question("a", "When was it opened?", "en", ("1990",), ("hall",)),
        Question("b", "Where is the hall?", "en", ("Tampere",), ("hall",)),
        Question("c", "Quand a-t-elle ouvert ?", "fr", ("1975",), ("salle",)),
    ]
    DatasetLibrary(bench.settings.datasets).add("about-halls", "halls", questions, aligned=False)
    app = open_page("ask", corpus="halls")
    shown = html(app)
    assert [item.value for item in app.header] == ["Questions about these documents"]
    assert (
        shown.index("When was it opened?") < shown.index("Quand a-t-elle ouvert ?") < shown.index("Where is the hall?")
    )
