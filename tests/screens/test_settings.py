"""The Settings screen over a fake workbench, with a stand-in for calls and downloads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import FakeWorkbench
from tests.screens.conftest import APP, html
from workbench import settings
from workbench.errors import MissingError
from workbench.models.background import Downloads
from workbench.models.download import DownloadStopped, Plan
from workbench.pipeline.readiness import Trial
from workbench.ui import model_actions, workspace

PATIENCE = 20.0
PLANTED = "sk-planted-never-shown"


@dataclass
class Calls:
    """What was asked of models and of the hub. `hold` keeps a download going until it is set or cancelled."""

    tried: list[tuple[str, str]] = field(default_factory=list)
    planned: list[str] = field(default_factory=list)
    hold: Event = field(default_factory=Event)
    begun: Event = field(default_factory=Event)
    offline: bool = False

    def try_out(self, role: str, name: str, home: Path) -> Trial:
        self.tried.append((role, name))
        return Trial(True, "It said <b>hello</b>.", 0.25)

    def plan(self, name: str) -> Plan:
        self.planned.append(name)
        if self.offline:
            raise MissingError("The hub gave no answer.")
        return Plan("maker/<i>small</i>", "main", "c", (("a", 2_270_000_000),), "mit", False)

    def fetch(self, name: str, progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> Path:
        progress(1_000_000_000, 2_000_000_000)
        self.begun.set()
        while not self.hold.wait(0.01):
            if cancelled():
                raise DownloadStopped("The download was stopped; what came is kept.")
        return Path()


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    made = Calls()
    downloads = Downloads(made.fetch)
    monkeypatch.setattr(model_actions, "try_out", made.try_out)
    monkeypatch.setattr(model_actions, "plan_download", made.plan)
    monkeypatch.setattr(workspace, "downloads", lambda: downloads)
    monkeypatch.setattr(settings, "secret", lambda name: PLANTED if name == "GROQ_API_KEY" else None)
    return made


@pytest.fixture
def app(fake: FakeWorkbench, calls: Calls, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    from workbench.pipeline import inventory

    monkeypatch.setattr(inventory, "encoders_of", lambda corpus: (), raising=False)
    return AppTest.from_file(str(APP), default_timeout=20).run().switch_page("pages/settings.py").run()


def section(app: AppTest, name: str) -> AppTest:
    return app.segmented_control(key="settings_section").set_value(name).run()


def keys(app: AppTest) -> set[str]:
    return {str(button.key) for button in app.button}


def codes(app: AppTest) -> str:
    return "\n".join(item.value for item in app.code)


def test_the_built_in_part_comes_first_and_known_models_say_what_brings_them(app: AppTest) -> None:
    assert not app.exception
    shown = html(app)
    assert shown.index("Built-in encoder") < shown.index("BGE-M3")
    for fact in ("2.3 GB", "MIT", "more than 100 languages", "2.3 GB (32 bits)", "hub card"):
        assert fact in shown
    assert "python -m workbench models download bge-m3" in codes(app)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Rerankers", "BGE reranker v2 M3"),
        ("Generators", "Command R 35B"),
        ("Translators", "NLLB-200 distilled 600M"),
        ("Language identification", "GlotLID v3"),
    ],
)
def test_each_role_has_its_components(app: AppTest, name: str, expected: str) -> None:
    shown = html(section(app, name))
    assert expected in shown
    assert "built in" in shown


def test_a_test_is_one_call_and_shows_time_and_result_as_text(app: AppTest, calls: Calls) -> None:
    app.button(key="test_encoder_builtin").click().run()
    assert calls.tried == [("encoder", "builtin")]
    assert "It works, 0.25 s. It said &lt;b&gt;hello&lt;/b&gt;." in html(app)


def test_a_service_says_where_texts_go_before_its_test_is_pressed(app: AppTest, calls: Calls) -> None:
    section(app, "Translators")
    assert "Texts leave this machine: they are sent to translate.google.com." in html(app)
    assert app.button(key="test_translator_google").label == "Test: sends a sentence to translate.google.com"
    assert not calls.tried


def test_a_service_without_its_key_names_the_variable_and_the_command(app: AppTest) -> None:
    section(app, "Generators")
    assert "not set: OPENAI_API_KEY" in html(app)
    assert "export OPENAI_API_KEY=…" in codes(app)
    assert "test_generator_gpt-4o" not in keys(app)


def test_a_download_says_size_and_licence_and_begins_only_when_agreed(app: AppTest, calls: Calls) -> None:
    app.button(key="download_bge-m3").click().run()
    assert calls.planned == ["bge-m3"]
    assert "maker/&lt;i&gt;small&lt;/i&gt;: 2.27 GB in 1 files, licence mit." in html(app)
    assert not calls.begun.is_set()
    app.button(key="not_now_bge-m3").click().run()
    assert "download_bge-m3" in keys(app)
    assert not calls.begun.is_set()


def test_a_download_shows_progress_can_be_cancelled_and_goes_on(app: AppTest, calls: Calls) -> None:
    app.button(key="download_bge-m3").click().run()
    app.button(key="fetch_bge-m3").click().run()
    calls.begun.wait(PATIENCE)
    app.run()
    assert app.get("progress")[0].proto.text == "1.00 GB of 2.00 GB · 50%"
    app.button(key="cancel_bge-m3").click().run()
    workspace.downloads().wait("bge-m3", PATIENCE)
    app.run()
    assert "what came is kept" in html(app)
    assert app.button(key="download_bge-m3").label == "Go on with the download"


def test_a_download_survives_a_visit_elsewhere(app: AppTest, calls: Calls) -> None:
    app.button(key="download_bge-m3").click().run()
    app.button(key="fetch_bge-m3").click().run()
    calls.begun.wait(PATIENCE)
    section(app, "Keys")
    section(app, "Encoders")
    assert "cancel_bge-m3" in keys(app)
    calls.hold.set()


def test_a_hub_that_cannot_be_reached_is_one_sentence(app: AppTest, calls: Calls) -> None:
    calls.offline = True
    app.button(key="download_bge-m3").click().run()
    assert "The hub gave no answer." in html(app)
    assert "download_bge-m3" in keys(app)


def test_any_other_model_is_tested_by_its_adapter(app: AppTest, calls: Calls) -> None:
    section(app, "Generators")
    app.text_input(key="any_generator").input("openai-like:m@http://far.example/v1").run()
    assert "they are sent to far.example" in html(app)
    name = "test_generator_openai-like:m@http://far.example/v1"
    assert app.button(key=name).label == "Test: sends a sentence to far.example"
    app.button(key=name).click().run()
    assert calls.tried == [("generator", "openai-like:m@http://far.example/v1")]


def test_a_name_that_means_nothing_is_one_sentence(app: AppTest, calls: Calls) -> None:
    app.text_input(key="any_encoder").input("magic:x").run()
    assert "Unknown model adapter" in html(app)
    assert not calls.tried


def test_keys_are_named_and_set_or_not_and_never_shown(app: AppTest) -> None:
    section(app, "Keys")
    shown = html(app)
    assert ">set</span>" in shown
    assert ">not set</span>" in shown
    assert "GROQ_API_KEY" in shown
    assert PLANTED not in shown


def test_an_endpoint_is_added_by_name_address_and_the_name_of_its_keys_variable(
    app: AppTest, fake: FakeWorkbench
) -> None:
    section(app, "Endpoints")
    app.text_input(key="endpoint_name").input("mine")
    app.text_input(key="endpoint_url").input("http://gpu.example:8000/v1")
    app.text_input(key="endpoint_key").input("MY_KEY")
    press(app, "Add")
    assert "http://gpu.example:8000/v1" in html(app)
    assert "texts leave for gpu.example" in html(app)
    assert "mine" in (fake.home / "endpoints.yaml").read_text()


def test_a_key_typed_for_its_variables_name_is_refused_dropped_and_written_nowhere(
    app: AppTest, fake: FakeWorkbench
) -> None:
    section(app, "Endpoints")
    app.text_input(key="endpoint_name").input("mine")
    app.text_input(key="endpoint_url").input("http://gpu.example:8000/v1")
    app.text_input(key="endpoint_key").input(PLANTED)
    press(app, "Add")
    assert "never the key itself" in html(app)
    assert app.text_input(key="endpoint_key").value == ""
    assert PLANTED not in html(app)
    assert not (fake.home / "endpoints.yaml").exists()


def test_a_model_of_an_endpoint_is_tested(app: AppTest, calls: Calls) -> None:
    section(app, "Endpoints")
    app.selectbox(key="endpoint_tested").set_value("ollama").run()
    app.text_input(key="endpoint_model").input("llama3").run()
    app.button(key="test_generator_openai-like:llama3@ollama").click().run()
    assert calls.tried == [("generator", "openai-like:llama3@ollama")]


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()
