"""Files to download."""

import csv
import io
import json

from tests.fakes import answer, evidence
from workbench.core.records import Evidence, Passage
from workbench.pipeline.recipe import make_recipe
from workbench.ui.parts.downloads import answer_json, documents_csv


def test_the_documents_come_as_one_row_each_with_one_column_per_score() -> None:
    rows = list(csv.DictReader(io.StringIO(documents_csv(evidence("one", "=two")))))
    assert [(row["rank"], row["text"], row["lexical"], row["hybrid"]) for row in rows] == [
        ("1", "one", "2.5", "1.0"),
        ("2", "'=two", "2.5", "0.5"),
    ]


def test_a_negative_score_stays_a_number() -> None:
    item = Evidence(Passage("a", "a", "t", "en", "x"), 1, {"dense": -0.25})
    assert next(csv.DictReader(io.StringIO(documents_csv([item]))))["dense"] == "-0.25"


def test_the_answer_comes_as_the_json_of_the_command_line() -> None:
    data = json.loads(answer_json(answer(), make_recipe({})))
    assert (data["answer"], data["mode"], data["passages"][0]["id"]) == ("Marconi", "multirag", "doc.1")
