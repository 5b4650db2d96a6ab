"""Taxonomies: shipped, a team's, versions, and files that are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.annotation.material import LABELS, SEVERAL, SINGLE
from workbench.annotation.error_taxonomy import FOLDER, TaxonomyLabel, taxonomies, taxonomy
from workbench.core.errors import UsageError

GOOD = """
version: 2
title: Ours
source: the team
question: What is it?
several: true
labels:
  - {key: one, name: One, definition: The first., example: An example.}
"""


def write(home: Path, text: str, name: str = "ours") -> None:
    (home / FOLDER).mkdir(exist_ok=True)
    (home / FOLDER / f"{name}.yaml").write_text(text, encoding="utf-8")


def test_five_taxonomies_are_shipped(tmp_path: Path) -> None:
    names = [item.name for item in taxonomies(tmp_path)]
    assert names == ["abstention", "answer-faithfulness", "answer-relevance", "chirkova-table-8", "what-went-wrong"]


def test_the_errors_of_the_paper_are_fourteen_beside_one_of_ours_and_may_be_combined(tmp_path: Path) -> None:
    item = taxonomy("chirkova-table-8", tmp_path)
    assert item.value(["right-other-language"]) == 1.0
    assert (len(item.labels) - 1, item.several, item.source[:35]) == (14, True, "Chirkova et al. (2024), Table 8 (th")


def test_a_teams_file_adds_a_taxonomy(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    item = taxonomy("ours", tmp_path)
    assert (item.version, item.keys, item.label("one").definition) == (2, ("one",), "The first.")


def test_a_teams_file_replaces_a_shipped_taxonomy_of_its_name(tmp_path: Path) -> None:
    write(tmp_path, GOOD, "abstention")
    assert taxonomy("abstention", tmp_path).title == "Ours"


def test_an_unknown_taxonomy_is_answered_with_the_known(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Unknown taxonomy “x”\. Allowed: abstention, answer-faithfulness"):
        taxonomy("x", tmp_path)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (GOOD.replace("version: 2", "version: 0"), "The taxonomy's version is “0”"),
        (GOOD.replace("version: 2", "version: two"), "The taxonomy's version is “two”"),
        (GOOD.replace("several: true", "several: perhaps"), "The taxonomy's several is “perhaps”"),
        (GOOD.replace("title: Ours\n", ""), "The taxonomy's title is"),
        (GOOD + "colour: red\n", "Unknown taxonomy key “colour”"),
        (GOOD.replace("key: one", "key: One two"), "The taxonomy's labels.0.key is “One two”"),
        (GOOD + "  - {key: one, name: N, definition: D, example: E}\n", "two labels with the key “one”"),
        ("- a list", "holds no taxonomy"),
        ("a: [", "is not YAML at line 1"),
        ("a: &x 1\nb: *x", "uses YAML aliases"),
        ("version: 1\nlabels: []", "The taxonomy's"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence_that_names_it(text: str, sentence: str, tmp_path: Path) -> None:
    write(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        taxonomies(tmp_path)
    assert str(caught.value).startswith("Taxonomy file ours.yaml: ") and sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_whose_name_is_no_name_is_refused(tmp_path: Path) -> None:
    write(tmp_path, GOOD, "Our Errors")
    with pytest.raises(UsageError, match=r"“Our Errors\.yaml” cannot be named so"):
        taxonomies(tmp_path)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        (("good",), ""),
        ((), ""),
        (("good", "bad"), "allows one: choose one of them."),
        (("x",), "Unknown label “x”. Allowed: good, bad, odd."),
        (("good", "good"), "listed twice"),
    ],
)
def test_labels_that_do_not_go_together_are_named(keys: tuple[str, ...], sentence: str) -> None:
    assert sentence in SINGLE.problem(keys) and bool(sentence) == bool(SINGLE.problem(keys))


def test_a_taxonomy_of_several_labels_allows_them_together() -> None:
    assert SEVERAL.problem(("good", "odd")) == ""


def test_a_changed_definition_touches_its_label_alone() -> None:
    changed = (LABELS[0], replace(LABELS[1], definition="Half of it is wrong."), LABELS[2])
    assert replace(SEVERAL, version=2, labels=changed).touched(SEVERAL) == {"bad"}


def test_a_label_that_was_removed_is_touched() -> None:
    assert replace(SEVERAL, version=2, labels=LABELS[1:]).touched(SEVERAL) == {"good"}


def test_another_name_or_example_and_further_labels_touch_nothing() -> None:
    further = TaxonomyLabel("new", "New", "Something new.", "An example.")
    labels = (replace(LABELS[0], name="Fine", example="Another."), *LABELS[1:], further)
    assert replace(SEVERAL, version=2, labels=labels).touched(SEVERAL) == frozenset()


def test_another_question_touches_every_label() -> None:
    assert replace(SEVERAL, version=2, question="Is it?").touched(SEVERAL) == {"good", "bad", "odd"}


def test_a_label_that_a_taxonomy_does_not_have_is_answered_with_those_it_has() -> None:
    assert SEVERAL.label("odd") == LABELS[2]
    with pytest.raises(UsageError, match=r"Unknown label “ugly”\. Allowed: bad, good, odd\."):
        SEVERAL.label("ugly")
