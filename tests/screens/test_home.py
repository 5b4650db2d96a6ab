"""The Home screen over a fake workbench."""

from __future__ import annotations

import importlib

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import FakeWorkbench
from tests.screens.conftest import html, open_page
from tests.servers.model_servers import model_server
from workbench.app.doctor import Check
from workbench.components import endpoint_file, model_servers
from workbench.components.endpoint_file import NamedEndpoint
from workbench.components.model_servers import choose_generator, default_generator
from workbench.data.corpora import sample
from workbench.models import key_policy
from workbench.ui.home import home_view
from workbench.ui.parts import access


def keys(app: AppTest) -> set[str]:
    return {str(button.key) for button in app.button}


def labels(app: AppTest) -> list[str]:
    return [str(item.proto.expandable.label) for item in app.get("expandable")] or [item.label for item in app.expander]


def test_home_counts_what_the_workspace_holds(fake: FakeWorkbench) -> None:
    app = open_page("home", "home_data")
    assert not app.exception
    assert any(label.startswith("2 corpora · 2 languages · 6 passages · ") for label in labels(app))
    assert "English (en)" in html(app)


def test_home_offers_an_example_of_each_phenomenon(fake: FakeWorkbench) -> None:
    shown = html(open_page("home"))
    assert all(
        title in shown for title in ("Scope matters", "English distracts", "Sources conflict", "Translation misleads")
    )


def test_home_draws_no_chart_and_no_grid(fake: FakeWorkbench) -> None:
    app = open_page("home", "home_data")
    assert not app.get("plotly_chart") and not app.dataframe


def test_the_sentence_on_home_states_what_its_benchmark_wrote() -> None:
    benchmark = importlib.import_module("benchmarks.scopes.__main__")
    assert home_view.MEASURED == benchmark.MEASURED
    figures, shown = home_view.measured(), home_view.result()
    english, every = figures["english"], figures["all"]
    assert f"alone answer {english['mean']:.0%} of the sample&#x27;s questions" in shown
    assert f"in all languages {every['mean']:.0%}: {figures['not_in_english']} of its" in shown
    assert figures["not_in_english"] == sum(one.evidence_in == "other" for one in sample.questions("en"))
    assert f"English alone answers {figures['english_of_the_rest']['mean']:.0%}." in shown
    assert f"{figures['in_another_language']:.0%} are right in another and count as wrong" in shown
    assert english["mean"] < figures["english_of_the_rest"]["mean"]
    assert f"{figures['answers']:,} answers of the built-in reader to {figures['questions']} questions" in shown
    assert english["low"] < english["mean"] < english["high"] < every["low"] < every["mean"] < every["high"]
    answerable = {code: sum(not one.unanswerable for one in sample.questions(code)) for code in sample.languages()}
    assert (figures["languages"], figures["answers"]) == (len(answerable), sum(answerable.values()))


def test_the_pictures_documents_are_the_samples() -> None:
    texts = {code: [item.text for item in sample.passages() if item.language == code] for code in home_view.DOCUMENTS}
    for code, sentence in home_view.DOCUMENTS.items():
        assert any(sentence in text for text in texts[code]), code


def test_a_look_shows_the_models_of_this_machine_and_one_press_makes_one_the_default(
    fake: FakeWorkbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_servers, "MOMENT", 10.0)
    with model_server("ollama", "llama3:8b", "nomic-embed-text") as server:
        monkeypatch.setattr(endpoint_file, "KNOWN", {"ollama": NamedEndpoint(url=server.url)})
        app = open_page("home")
        assert not server.requests
        app.button(key="model_look").click().run()
        assert app.selectbox(key="model_choice").options == ["llama3:8b on Ollama, this machine"]
        app.button(key="home_use").click().run()
    assert not app.exception
    assert default_generator(fake.home) == "openai-like:llama3:8b@ollama"


def test_where_nothing_answers_home_says_which_servers_were_asked(
    fake: FakeWorkbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_server("vllm") as server:
        monkeypatch.setattr(endpoint_file, "KNOWN", {"ollama": NamedEndpoint(url=server.url)})
    app = open_page("home")
    app.button(key="model_look").click().run()
    assert "Ollama, this machine" in html(app) and "nothing answers" in html(app)
    assert "home_use" not in keys(app)


def test_who_has_a_model_is_offered_none(fake: FakeWorkbench) -> None:
    choose_generator(fake.home, "openai-like:m@ollama")
    assert "model_look" not in keys(open_page("home"))


def test_no_look_is_offered_where_the_screens_are_served_to_others(
    fake: FakeWorkbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(key_policy.SHARED, "1")
    assert "model_look" not in keys(open_page("home"))


def test_what_is_missing_is_said_with_its_command(fake: FakeWorkbench, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = [Check("package faiss", False, "missing (dense search)", "pip install -r requirements.txt")]
    monkeypatch.setattr(access, "components", lambda: checks)
    assert "Missing: package faiss, missing (dense search). To mend it, type: pip install" in html(open_page("home"))
