"""Run by `test_new_field.py` in a copy of the project whose recipe has one field more, `toy_width`."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from tests.experiments.replays.stored_answers import stored_answer
from tests.fakes import FakeWorkbench
from tests.screens.conftest import APP, Open, html
from workbench.app.workbench import Workbench
from workbench.cli.command_line import app as command_line
from workbench.experiments.experiment import idle_fields, make_experiment, runs_of
from workbench.optimise.space.search_space import SearchSpace, node_type
from workbench.optimise.space.space_files import space_to_yaml
from workbench.pipeline.fields import fields_table, flat
from workbench.ui.ask.ask_state import Choice

TITLE = "Toy width"
SPACE = {"nodes": [{"node": "augmenter", "modules": [{"name": "toy", "values": {"toy_width": [3, 7]}}]}]}


def page(name: str, **params: str) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.switch_page(f"pages/{name}.py")
    for key, value in params.items():
        app.query_params[key] = value
    return app.run()


def test_it_is_on_the_command_line() -> None:
    for verb in ("ask", "retrieve"):
        assert "--toy-width" in CliRunner().invoke(command_line, [verb, "--help"], env={"COLUMNS": "200"}).output


def test_experiments_vary_it_where_it_has_an_effect() -> None:
    experiment = make_experiment({"modes": ["baseline", "multirag"], "vary": {"toy_width": [3, 7]}})
    runs = [(run.recipe.mode, flat(run.recipe)["toy_width"]) for run in runs_of(experiment, str)]
    assert ("multirag", 3) in runs and ("baseline", 3) in runs and len(runs) == 3
    assert idle_fields(experiment) == (f"No retrieval: {TITLE}: no effect here, only in a mode that searches.",)


def test_search_spaces_have_it_at_its_node() -> None:
    assert "toy_width" in node_type("augmenter").fields
    assert SearchSpace.model_validate(SPACE).size == 2


def test_the_page_of_fields_and_links_have_it() -> None:
    assert (
        f"| `toy_width` | **{TITLE}**. How wide the toy is. | 1 to 9 | `7` | in a mode that searches |"
        in fields_table()
    )
    choice, problems = Choice.from_params({"toy_width": ["3"]})
    assert (choice.to_params()["toy_width"], problems) == (["3"], ())
    assert Choice.from_params({"toy_width": ["12"]})[1]


def test_ask_has_its_control(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask(q="Who?", lang="en", ask="1")
    box = app.number_input(key="ask_toy_width")
    assert (box.label, box.value, box.min, box.max, box.disabled) == (TITLE, 7, 1, 9, False)
    box.set_value(3).run()
    assert app.query_params["toy_width"] == "3"
    assert fake.requests[-1][2].model_dump()["toy_width"] == 3
    app.segmented_control(key="ask_mode").set_value("baseline").run()
    assert app.number_input(key="ask_toy_width").disabled
    assert TITLE in html(app)


def test_compare_has_its_control(fake: FakeWorkbench) -> None:
    app = page("compare")
    app.multiselect(key="compare_0_further").select("toy_width").run()
    app.number_input(key="compare_0_toy_width").set_value(3).run()
    assert not app.exception
    assert "toy_width=3" in app.query_params["recipe"][0]


def test_runs_and_optimise_have_its_control(bench: Workbench) -> None:
    app = page("runs")
    app.multiselect(key="matrix_vary_fields").select("toy_width").run()
    assert app.multiselect(key="matrix_vary_toy_width").label == TITLE
    app = AppTest.from_file(str(APP), default_timeout=60)
    for fold in ("new_search", "optimise_change", "optimise_yaml_fold"):
        app.session_state[fold] = True
    app = app.switch_page("pages/optimise.py").run()
    app.text_area(key="optimise_yaml").set_value(space_to_yaml(SearchSpace.model_validate(SPACE))).run()
    assert TITLE in [box.label for box in app.multiselect]


def test_inspect_has_its_control(bench: Workbench) -> None:
    item = stored_answer(bench, language="en")
    app = page("inspect", instance=str(item.answer))
    app.button_group(key=f"inspect_change_thing_{item.answer}").set_value("other").run()
    app.selectbox(key=f"inspect_change_other_{item.answer}").select("toy_width").run()
    assert app.number_input(key=f"inspect_change_toy_width_{item.answer}").label == TITLE
