"""An instance and what asks the same again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.recipes.recipe import make_recipe
from workbench.results.queries.instances import Instance
from workbench.results.queries.run_list import StoredRun
from workbench.ui.dashboard.instances_view import again

RECIPE = make_recipe({"mode": "trag", "k": 3})
RUN = StoredRun(
    0,
    "a run",
    "sample",
    "sample",
    "trag",
    "en",
    "p",
    "m",
    3,
    "none",
    RECIPE.model_dump_json(),
    "",
    id=1,
    experiment_id="e",
)
ITEM = Instance(
    1, RUN, 1, "q01", "fi", "Kuka keksi radion?", ("Marconi",), (), "", "Marconi", "fi", (), 0.1, None, None, ""
)


def test_an_answer_can_be_asked_for_again_with_its_own_recipe() -> None:
    choice = again(ITEM)
    assert choice is not None
    assert (choice.question, choice.language, choice.recipe, choice.submitted) == (ITEM.text, "fi", RECIPE, True)


@pytest.mark.parametrize(
    "run",
    [
        replace(RUN, recipe=""),
        replace(RUN, perturbation="shuffle"),
        replace(RUN, recipe='{"mode": "a mode that is no more"}'),
        replace(RUN, recipe="cut"),
    ],
    ids=["from elsewhere", "perturbed", "of another version", "not JSON"],
)
def test_what_ask_would_not_do_in_the_same_way_is_not_offered(run: StoredRun) -> None:
    assert again(replace(ITEM, run=run)) is None
