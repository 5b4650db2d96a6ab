"""Keys go only where whoever runs the workbench lets them: by the name of their variable, and by host."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.components.endpoint_file import FILE, KNOWN, NamedEndpoint, endpoints, save_endpoint, split_model
from workbench.components.factory import dense_encoder
from workbench.components.registry import Registry
from workbench.core.errors import UsageError
from workbench.core.records import Passage, Prompt, Task
from workbench.models import key_policy
from workbench.models.key_policy import check_endpoint, foreign_headers, is_shared, key_for, serve_at
from workbench.workspace import settings

SECRET = "planted-cloud-secret"
ELSEWHERE = "https://collector.example/v1"
PROMPT = Prompt("", "Who?", Task("", "en"))
PASSAGE = Passage("a", "a", "Radio", "en", "Who?")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (key_policy.KEY_NAMES, key_policy.ENDPOINT_HOSTS, key_policy.SHARED, key_policy.SCREEN_HOSTS):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "MY_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, SECRET)


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(key_policy.SHARED, "1")


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with misbehaving() as running:
        yield running


@pytest.mark.parametrize("name", ["AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "HOME", "WORKBENCH_DATABASE_URL", "API_KEY"])
def test_what_is_not_named_as_a_key_is_never_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.workspace.settings.secret", lambda name: pytest.fail(f"{name} was read"))
    with pytest.raises(UsageError) as caught:
        key_for("http://127.0.0.1:9/v1", name)
    message = str(caught.value)
    assert name in message and "Allowed: *_API_KEY" in message and "export WORKBENCH_KEY_NAMES=" in message
    assert SECRET not in message


def test_names_of_keys_are_for_whoever_runs_the_workbench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(key_policy.KEY_NAMES, "LAB_TOKEN, AWS_*,")
    assert key_for("http://127.0.0.1:9/v1", "AWS_SECRET_ACCESS_KEY") == SECRET
    assert key_for("http://127.0.0.1:9/v1", "LAB_TOKEN") is None
    with pytest.raises(UsageError, match=r"Allowed: LAB_TOKEN, AWS_\*"):
        key_for("http://127.0.0.1:9/v1", "OPENAI_API_KEY")


def test_a_forbidden_variable_in_a_file_that_a_person_wrote_stays_readable_and_is_not_sent(
    tmp_path: Path, server: MisbehavingServer
) -> None:
    (tmp_path / FILE).write_text(f"lab: {{url: '{server.url('well')}', key: AWS_SECRET_ACCESS_KEY}}")
    assert endpoints(tmp_path)["lab"].key == "AWS_SECRET_ACCESS_KEY"
    for call in (
        lambda: Registry(tmp_path).generator("openai-like:m@lab").generate([PROMPT]),
        lambda: dense_encoder("openai-like:m@lab", tmp_path).encode_passages([PASSAGE]),
    ):
        with pytest.raises(UsageError, match="is not allowed as the key of an endpoint") as caught:
            call()
        assert "\n" not in str(caught.value)
    assert server.requests == []


def test_neither_form_nor_file_accepts_a_forbidden_key(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="AWS_SECRET_ACCESS_KEY"):
        save_endpoint(tmp_path, "lab", NamedEndpoint(url=ELSEWHERE, key="AWS_SECRET_ACCESS_KEY"))
    assert not (tmp_path / FILE).exists()


def test_where_only_this_machine_reaches_the_screens_any_host_may_be_added(tmp_path: Path) -> None:
    save_endpoint(tmp_path, "lab", NamedEndpoint(url=ELSEWHERE, key="MY_API_KEY"))
    assert key_for(ELSEWHERE, "MY_API_KEY") == SECRET


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("url", "key"),
    [
        (ELSEWHERE, "MY_API_KEY"),
        (ELSEWHERE, ""),
        ("https://api.openai.com.evil.example/v1", "OPENAI_API_KEY"),
        ("https://api.groq.com/v1", "OPENAI_API_KEY"),
        ("http://169.254.169.254/v1", ""),
        ("http://0.0.0.0:8000/v1", ""),
        ("http://127.0.0.1:8000/v1", ""),
        ("http://localhost:11434/v1", ""),
        ("http://[::1]:8000/v1", ""),
        ("http://api.openai.com\\.evil.example/v1", "OPENAI_API_KEY"),
    ],
)
def test_where_others_are_served_no_other_host_is_called(url: str, key: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="served to others") as caught:
        save_endpoint(tmp_path, "lab", NamedEndpoint(url=url, key=key))
    assert "Allowed: api.openai.com, api.groq.com." in str(caught.value)
    assert "export WORKBENCH_ENDPOINT_HOSTS=" in str(caught.value)
    with pytest.raises(UsageError):
        key_for(url, key)


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("role", ["generator", "encoder"])
def test_where_others_are_served_an_address_in_a_models_name_is_no_way_around(role: str, tmp_path: Path) -> None:
    name = f"openai-like:m@{ELSEWHERE}"
    with pytest.raises(UsageError, match=r"collector\.example.*served to others"):
        if role == "generator":
            Registry(tmp_path).generator(name).generate([PROMPT])
        else:
            dense_encoder(name, tmp_path).encode_passages([PASSAGE])


@pytest.mark.usefixtures("shared")
def test_where_others_are_served_listed_hosts_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(key_policy.ENDPOINT_HOSTS, "models.example.org, *.lan, 127.0.0.1:9, [::1]:9, localhost")
    for url in (
        "https://Models.Example.org/v1",
        "http://gpu.lan:8000/v1",
        "http://127.0.0.1:9/v1",
        "http://[::1]:9/v1",
        "http://localhost:11434/v1",
        KNOWN["openai"].url,
    ):
        assert key_for(url, "OPENAI_API_KEY") == SECRET
    with pytest.raises(UsageError, match=r"Allowed: .*models\.example\.org, \*\.lan"):
        check_endpoint("https://lan/v1", "")
    with pytest.raises(UsageError, match="served to others"):
        check_endpoint("http://127.0.0.1:22/v1", "")


def test_the_services_are_those_that_come_with_the_workbench() -> None:
    places = {
        urlsplit(endpoint.url).hostname: place.key
        for place in KNOWN.values()
        for endpoint in place.endpoints
        if not endpoint.is_local
    }
    assert dict(key_policy.SERVICES) == places


@pytest.mark.parametrize(
    ("address", "others"),
    [("localhost", False), ("127.0.0.1", False), ("::1", False), ("", True), ("0.0.0.0", True), ("192.0.2.1", True)],
)
def test_others_are_served_unless_the_address_is_this_machines(address: str, others: bool) -> None:
    serve_at(address)
    assert is_shared() is others


def test_others_are_served_where_the_screens_answer_under_further_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(key_policy.SCREEN_HOSTS, "workbench.example.org")
    serve_at("localhost")
    assert is_shared()


@pytest.mark.parametrize("role", ["generator", "encoder"])
def test_nothing_else_from_the_environment_reaches_an_endpoint(
    role: str, server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY", "OPENAI_WEBHOOK_SECRET"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Gateway: {SECRET}")
    name = f"openai-like:m@{server.url('well')}"
    if role == "generator":
        Registry(tmp_path).generator(name).generate([PROMPT])
    else:
        with pytest.raises(Exception):  # noqa: B017 - the server knows no embeddings
            dense_encoder(name, tmp_path).encode_passages([PASSAGE])
    assert server.requests and SECRET not in str([request.headers for request in server.requests])


@pytest.mark.parametrize(
    ("file", "key"),
    [
        ("MY_API_KEY = 'other'\nLAB_API_KEY = 'in the file'", "in the file"),
        ("LAB_API_KEY = ''", None),
        ("LAB_API_KEY = 7", None),
        ("LAB_API_KEY = ", None),
        ("", None),
    ],
)
def test_a_key_that_is_not_in_the_environment_is_looked_up_in_the_file_of_secrets(
    file: str, key: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "SECRETS_FILE", tmp_path / "secrets.toml")
    assert settings.secret("LAB_API_KEY") is None
    (tmp_path / "secrets.toml").write_text(file, encoding="utf-8")
    assert settings.secret("LAB_API_KEY") == key
    assert settings.secret("MY_API_KEY") == SECRET, "the environment comes first"


def test_what_openais_client_takes_from_the_environment_is_for_openais_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway: 1\n\nX-Team : 2")
    assert foreign_headers("https://api.openai.com/v1") == ()
    account = ("OpenAI-Organization", "OpenAI-Project")
    assert foreign_headers("https://api.openai.com.example.org/v1") == (*account, "X-Gateway", "X-Team")


def test_an_address_names_no_key(tmp_path: Path) -> None:
    assert split_model(f"m@{ELSEWHERE}", tmp_path)[1].key == ""


def test_a_key_goes_to_no_public_host_without_encryption() -> None:
    with pytest.raises(UsageError, match="unencrypted"):
        check_endpoint("http://api.openai.com/v1", "OPENAI_API_KEY")
    check_endpoint("http://api.example.org/v1", "")
    check_endpoint("http://192.168.1.5:8000/v1", "OPENAI_API_KEY")
