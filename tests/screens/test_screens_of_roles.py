"""Each role on each screen: what it may not use is left out or disabled with the reason, and refused where forced."""

from __future__ import annotations

from functools import partial

import pytest
import streamlit as st
from sqlalchemy import Engine
from streamlit.testing.v1 import AppTest

from tests.screens import team
from tests.screens.conftest import html
from tests.servers.misbehaving import misbehaving
from workbench.app.workbench import Workbench
from workbench.components.endpoint_file import workspace_endpoints
from workbench.core.errors import UsageError
from workbench.experiments.jobs.control import ExperimentJobs
from workbench.experiments.tours.tour import TourLibrary
from workbench.models import key_policy
from workbench.ui.parts import permitted
from workbench.ui.tours import tour_list
from workbench.workspace.permissions import NOBODY, VERBS, Actor, Role, acting_as

SCREENS = ("home", "ask", "compare", "data", "runs", "optimise", "dashboard", "inspect", "tour", "settings")
CONTROLS = {
    "runs": (("runs_start", Role.ANALYST), ("runs_pilot", Role.ANALYST)),
    "data": (("documents_files", Role.ANALYST),),
    "dashboard": (("dash_demonstrate", Role.ANALYST),),
    "optimise": (("optimise_how_start", Role.ANALYST),),
    "tour": (("tour_record", Role.ANALYST),),
    "settings": (("model_look", Role.ADMIN),),
}
"""By screen: controls on it, each with the lowest role that may use it."""


@pytest.fixture
def engine(bench: Workbench) -> Engine:
    """The database of a workspace with accounts, which the app shows."""
    return team.create_team(bench.settings.database_url)


def control(app: AppTest, key: str) -> object | None:
    """The button or field of this key, None where it is not drawn."""
    return next((item for item in [*app.button, *app.get("file_uploader")] if str(item.key).startswith(key)), None)


@pytest.mark.parametrize("role", list(Role))
def test_a_role_opens_every_screen_and_what_it_may_not_use_is_left_out_or_disabled_with_the_reason(
    engine: Engine, role: Role
) -> None:
    app = team.as_role(role)
    reason = "Needs the role {} or a higher one; yours is {}. Ask an admin."
    for page in SCREENS:
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception
        assert app.title[0].value != "Sign in"
        assert "unexpected error" not in html(app)
        assert "You need the role" not in html(app), page
        for key, lowest in CONTROLS.get(page, ()):
            drawn = control(app, key)
            if role.includes(lowest):
                assert drawn is not None, (page, key)
            else:
                why = reason.format(lowest, role)
                assert drawn is None or (drawn.disabled and drawn.help == why), (page, key)  # type: ignore[attr-defined]


def test_a_workspace_with_accounts_is_served_to_others_so_no_role_reaches_this_machines_ports(engine: Engine) -> None:
    assert not key_policy.is_shared()
    team.as_role(Role.READER)
    with pytest.raises(UsageError, match="served to others"):
        key_policy.check_endpoint("http://127.0.0.1:8625/v1", "")


@pytest.mark.parametrize("role", list(Role))
def test_a_control_of_each_verb_is_what_the_role_makes_it(role: Role) -> None:
    for item in VERBS:
        drawn: list[str] = []
        with acting_as(Actor("Somebody", role)):
            values = permitted.control(item.name, help="What it does.")
            permitted.form(item.name)(partial(drawn.append, "form"))()
        if role.includes(item.role):
            assert (values["disabled"], values["help"], drawn) == (False, "What it does.", ["form"]), item.name
        else:
            assert values["disabled"] and drawn == [], item.name
            assert values["help"] == f"Needs the role {item.role} or a higher one; yours is {role}. Ask an admin."


def test_a_control_that_is_disabled_anyway_stays_so() -> None:
    with acting_as(Actor("Somebody", Role.ADMIN)):
        assert permitted.control("runs.start", disabled=True)["disabled"]


def test_nobody_may_use_anything() -> None:
    with acting_as(NOBODY):
        assert (
            permitted.control("questions.ask")["help"] == "Needs the role reader or a higher one; nobody is signed in."
        )


def test_a_verb_that_does_not_exist_is_a_fault_of_the_screen() -> None:
    with pytest.raises(KeyError):
        permitted.control("runs.fly")


@pytest.mark.parametrize("role", [Role.READER, Role.ANNOTATOR])
def test_a_forged_start_of_an_experiment_is_refused_in_one_sentence(
    engine: Engine, bench: Workbench, role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permitted, "permits", lambda verb: True)
    app = team.as_role(role, "runs")
    app.button(key="runs_start").click().run()
    assert f"your role is {role}. An admin of this workspace can change it." in html(app)
    assert ExperimentJobs(bench.settings).statuses() == []


def test_a_forged_endpoint_is_refused_in_one_sentence(
    engine: Engine, bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permitted, "permits", lambda verb: True)
    app = team.as_role(Role.ANALYST, "settings")
    app.segmented_control(key="section").set_value("Endpoints").run()
    app.text_input(key="endpoint_name").input("mine")
    app.text_input(key="endpoint_url").input("http://gpu.example:8000/v1")
    next(button for button in app.button if button.label == "Add").click().run()
    assert "You need the role admin to" in html(app)
    assert not workspace_endpoints(bench.settings.home)


def test_a_forged_callback_is_refused_in_one_sentence_and_changes_nothing(
    engine: Engine, bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = TourLibrary(bench.settings.home)
    noticed: dict[str, tuple[str, str]] = {}
    monkeypatch.setattr(st, "session_state", noticed)
    with acting_as(Actor("Rita", Role.READER)):
        tour_list._noticed(lambda: library.remove("mine"))
    assert "You need the role analyst to" in noticed["tour_outcome"][0]


def test_who_is_signed_in_cannot_label_under_another_name(engine: Engine) -> None:
    app = team.as_role(Role.ANNOTATOR)
    app.query_params["view"] = "annotate"
    app.query_params["annotator"] = "Ada"
    app.switch_page("pages/inspect.py").run()
    assert app.session_state["inspect_state"].annotator == "Nina"


def test_a_reader_gets_no_name_to_label_under(engine: Engine) -> None:
    app = team.as_role(Role.READER)
    app.query_params["annotator"] = "Ada"
    app.switch_page("pages/inspect.py").run()
    assert app.session_state["inspect_state"].annotator == ""


def test_a_readers_model_at_this_machines_address_is_refused_in_one_sentence_unless_it_is_listed(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with misbehaving() as server:
        app = team.as_role(Role.READER, "ask")
        for name, value in {"q": "Who?", "lang": "en", "generator": f"openai-like:m@{server.url('well')}"}.items():
            app.query_params[name] = value
        app.run()
        refusal = "The host “127.0.0.1” is not allowed, since this workbench is served to others."
        assert refusal in html(after_asking(app))
        assert not server.requests
        monkeypatch.setenv("WORKBENCH_ENDPOINT_HOSTS", f"127.0.0.1:{server.port}")
        assert refusal not in html(after_asking(app))
        assert server.requests


def after_asking(app: AppTest) -> AppTest:
    """Presses Ask and waits for the answer, or for why there is none."""
    next(button for button in app.button if button.label == "Ask").click().run()
    if "asking" in app.session_state:
        app.session_state["asking"].wait(20.0)
    return app.run()
