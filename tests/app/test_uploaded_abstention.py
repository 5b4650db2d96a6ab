"""A question that documents people added do not answer: the answer says so in the user's language, as an abstention."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.app.workbench import Workbench
from workbench.data.documents.reading import ReadingOptions, add_files
from workbench.languages.catalogue import language
from workbench.metrics.answers.abstention import abstains
from workbench.metrics.catalogue import MEASURES
from workbench.metrics.measure import Case
from workbench.pipeline.prompts.compose import nothing_retrieved_answer
from workbench.pipeline.recipe import make_recipe

TEXT = """Care of the office coffee machine

Empty the drip tray every evening. Descale the machine on the first Monday of each month with citric acid. The grinder
holds 250 grams of beans. Spare filters are kept in the cupboard below the sink.
"""
ASTRONOMY = {
    "en": "Which astronomer discovered the rings of Saturn?",
    "fi": "Kuka tähtitieteilijä löysi Saturnuksen renkaat?",
    "ar": "من هو عالم الفلك الذي اكتشف حلقات زحل؟",
    "zh": "哪位天文学家发现了土星环？",
}


@pytest.fixture(scope="module")
def uploaded(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """A workspace whose only corpus is a text that somebody added."""
    from workbench.workspace import settings

    home = tmp_path_factory.mktemp("uploaded")
    file = Path(home) / "coffee.txt"
    file.write_text(TEXT, encoding="utf-8")
    bench = Workbench(settings.load(home))
    add_files(bench.library, "office", [file], ReadingOptions())
    return bench


@pytest.mark.parametrize("code", list(ASTRONOMY))
def test_a_question_about_something_else_is_answered_by_not_in_the_documents(uploaded: Workbench, code: str) -> None:
    recipe = make_recipe({"mode": "multirag", "corpus": "office", "scope": "all"})
    answer = uploaded.ask(ASTRONOMY[code], code, recipe)
    assert answer.text == nothing_retrieved_answer(code)
    assert abstains(answer.text)
    case = Case(answer.text, (), language(code), unanswerable=True)
    (score,) = MEASURES["hallucination"].score([case])
    assert score.value == 0


def test_a_question_about_the_document_is_answered(uploaded: Workbench) -> None:
    recipe = make_recipe({"mode": "multirag", "corpus": "office", "scope": "all"})
    assert "250 grams" in uploaded.ask("How many grams of beans does the grinder hold?", "en", recipe).text
