"""Who calls the service: keys of accounts and of the environment, with their roles, on every route."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from sqlalchemy import delete

from tests.server.running import RunningService, running
from workbench.app.workbench import Workbench
from workbench.server.access_gate import Callers, ServeKeys, serve_keys
from workbench.workspace import settings, tables
from workbench.workspace.accounts import credentials
from workbench.workspace.accounts.accounts import AccountKeys, Accounts, forget_state, has_sign_in
from workbench.workspace.accounts.audit import AuditLog
from workbench.workspace.database import opened_store
from workbench.workspace.permissions import NOBODY, Actor, Role, actor

ENVIRONMENT_KEY = "a-key-of-the-environment"
QUESTION = {"question": "Who invented radio?", "language": "en"}
CHAT = {"model": "radio", "messages": [{"role": "user", "content": "Who invented radio?"}]}
ROUTES = (
    *(("POST", "/v1/ask", QUESTION), ("POST", "/v1/retrieve", QUESTION), ("POST", "/v1/stream", QUESTION)),
    *(("POST", "/v1/chat/completions", CHAT), ("GET", "/v1/models", None), ("GET", "/metrics", None)),
)
OPEN_PATHS = ("/health", "/docs", "/openapi.json")


@pytest.fixture(scope="module")
def team(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workbench, dict[str, str]]]:
    """A workspace with an account of each role and one that is disabled; the key of each."""
    home = tmp_path_factory.mktemp("team")
    (home / "corpora").symlink_to(sample_home / "corpora")
    bench = Workbench(settings.load(home))
    engine = opened_store(bench.settings.database_url)
    real = credentials.password_hasher
    credentials.password_hasher = lambda: PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)  # type: ignore[assignment]
    accounts, keys = Accounts(engine), AccountKeys(engine)
    try:
        for role in reversed(Role):
            accounts.create(role.value, role, password="seven quiet otters")
        accounts.create("gone", Role.READER, password="seven quiet otters")
        texts = {account.name: keys.create(account.name).text for account in accounts.all()}
        accounts.disable("gone")
        yield bench, texts
    finally:
        credentials.password_hasher = real


@pytest.fixture(scope="module")
def service(team: tuple[Workbench, dict[str, str]]) -> Iterator[RunningService]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_SERVE_KEYS", ENVIRONMENT_KEY)
        keys = serve_keys()
    with running(team[0], {"scope": "en", "k": 1}, keys=keys) as running_service:
        yield running_service
        assert running_service.failures == []


def status(service: RunningService, method: str, path: str, body: object, key: str) -> int:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with service.client() as client:
        return client.request(method, path, json=body, headers=headers).status_code


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
def test_a_key_of_an_account_of_each_role_is_let_in(
    service: RunningService, team: tuple[Workbench, dict[str, str]], method: str, path: str, body: object, role: Role
) -> None:
    assert status(service, method, path, body, team[1][role]) == 200


@pytest.mark.parametrize("key", ["", "mrag_a-guess-of-a-key", "gone"])
@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
def test_without_a_key_that_works_nobody_is_let_in(
    service: RunningService, team: tuple[Workbench, dict[str, str]], method: str, path: str, body: object, key: str
) -> None:
    assert status(service, method, path, body, team[1].get(key, key)) == 401


@pytest.mark.parametrize("path", OPEN_PATHS)
def test_what_says_nothing_of_questions_needs_no_key(service: RunningService, path: str) -> None:
    assert status(service, "GET", path, None, "") == 200


def test_an_answer_is_written_in_its_thread_as_the_person_of_the_key(
    service: RunningService, team: tuple[Workbench, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    people: list[Actor] = []
    search: Callable[..., object] = Workbench.search

    def watched(self: Workbench, *args: object, **kwargs: object) -> object:
        people.append(actor())
        return search(self, *args, **kwargs)

    monkeypatch.setattr(Workbench, "search", watched)
    status(service, "POST", "/v1/retrieve", QUESTION, team[1]["analyst"])
    status(service, "POST", "/v1/retrieve", QUESTION, ENVIRONMENT_KEY)
    assert [(person.name, person.role) for person in people] == [
        ("analyst", Role.ANALYST),
        ("a key of the environment", Role.READER),
    ]


def test_a_role_that_is_not_enough_is_403_in_the_form_of_the_api(
    service: RunningService, team: tuple[Workbench, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Callers, "caller", lambda *_args, **_kwargs: NOBODY)
    for method, path, body in ROUTES:
        assert status(service, method, path, body, team[1]["admin"]) == 403
    error = service.post("/v1/ask", QUESTION).json()["error"]
    assert (error["type"], error["code"]) == ("permission_error", "not_allowed")


def test_asking_is_not_recorded(service: RunningService, team: tuple[Workbench, dict[str, str]]) -> None:
    status(service, "POST", "/v1/ask", QUESTION, team[1]["reader"])
    assert AuditLog(opened_store(team[0].settings.database_url)).count() == 0


def test_a_removed_key_is_refused_at_once(service: RunningService, team: tuple[Workbench, dict[str, str]]) -> None:
    keys = AccountKeys(opened_store(team[0].settings.database_url))
    new = keys.create("reader")
    assert status(service, "GET", "/v1/models", None, new.text) == 200
    keys.remove(new.id)
    assert status(service, "GET", "/v1/models", None, new.text) == 401


def test_a_service_that_other_machines_reach_needs_a_key_even_without_accounts(home: Path) -> None:
    url = settings.load(home).database_url
    assert not has_sign_in(url)
    assert Callers(ServeKeys(), url, is_reachable=True).needs_key()
    assert not Callers(ServeKeys(), url).needs_key()


def test_once_the_accounts_are_gone_a_key_of_the_environment_alone_is_let_in(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Workbench(settings.load(home))
    engine = opened_store(bench.settings.database_url)
    Accounts(engine).create("anna", Role.ADMIN, password="seven quiet otters")
    key = AccountKeys(engine).create("anna").text
    monkeypatch.setenv("WORKBENCH_SERVE_KEYS", ENVIRONMENT_KEY)
    with running(bench, {"scope": "en", "k": 1}, keys=serve_keys()) as service:
        assert status(service, "GET", "/v1/models", None, key) == 200
        with engine.begin() as connection:
            connection.execute(delete(tables.account_keys))
            connection.execute(delete(tables.accounts))
        forget_state(engine.url)
        assert status(service, "GET", "/v1/models", None, key) == 503
        assert status(service, "GET", "/v1/models", None, "") == 401
        assert status(service, "GET", "/v1/models", None, ENVIRONMENT_KEY) == 200


def test_with_accounts_a_service_may_listen_for_other_machines(team: tuple[Workbench, dict[str, str]]) -> None:
    from workbench.server.access_gate import check_binding

    check_binding("0.0.0.0", ServeKeys(), has_accounts=True)
