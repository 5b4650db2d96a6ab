"""Signing in and out: nothing is seen before, errors are one sentence, and sessions end."""

from __future__ import annotations

import time

import pytest
import streamlit as st
from sqlalchemy import Engine
from streamlit.errors import StreamlitAuthError
from streamlit.testing.v1 import AppTest

from tests.fakes import FakeWorkbench
from tests.screens import team
from tests.screens.conftest import APP, LONG, html
from tests.screens.team import PASSWORD, PEOPLE
from workbench.ui.parts import frame, signed_in
from workbench.ui.sign_in import entrance, provider
from workbench.workspace.accounts.accounts import Accounts
from workbench.workspace.accounts.sign_in import sign_in
from workbench.workspace.permissions import NOBODY, Actor, NotAllowed, Role, acting_as, actor

ADMIN = Actor("Ada", Role.ADMIN)


@pytest.fixture
def engine(fake: FakeWorkbench) -> Engine:
    """The database of a workspace with accounts, which the app shows."""
    return team.create_team(fake.settings.database_url)


def test_a_workspace_without_accounts_shows_its_screens_to_whoever_opens_them(fake: FakeWorkbench) -> None:
    app = team.opened()
    assert app.title[0].value == "mRAG workbench"
    assert "sign_out" not in team.keys(app)


def test_nobody_sees_a_screen_or_its_name_before_signing_in(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    titles: list[str] = []
    navigation = st.navigation

    def watched(pages: list[st.Page], **options: str) -> object:
        titles.extend(page.title for page in pages)
        return navigation(pages, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(st, "navigation", watched)
    for page in ("", "ask", "runs", "settings"):
        app = team.opened(page)
        assert [item.value for item in app.title] == ["Sign in"]
        assert {str(button.key) for button in app.button} <= {"sign_in_go"}
    assert set(titles) == {frame.CLOSED}


def test_a_wrong_name_or_password_is_the_same_sentence(engine: Engine) -> None:
    for name, password in (("Rita", "not the password at all"), ("Nobody", PASSWORD), ("", "")):
        app = team.sign_in(team.opened(), name, password)
        assert "The name or the password is wrong, or the account is disabled." in html(app)
        assert app.text_input(key="sign_in_password").value == ""
        assert app.title[0].value == "Sign in"


def test_the_right_password_opens_the_screen_that_was_asked_for(engine: Engine) -> None:
    app = team.opened("tour")
    app.query_params["tour"] = "mine"
    team.sign_in(app, "rita")
    assert app.title[0].value == "Tour"
    assert app.query_params["tour"] == "mine"
    assert "Rita" in html(app)


def test_many_failures_in_a_row_are_slowed_down_in_one_sentence(engine: Engine) -> None:
    app = team.opened()
    for _ in range(6):
        team.sign_in(app, "Rita", "not the password at all")
    assert "Too many failed attempts with this name. Try again in" in html(app)


def test_a_disabled_account_cannot_sign_in(engine: Engine) -> None:
    with acting_as(ADMIN):
        Accounts(engine).disable("Rita")
    assert team.sign_in(team.opened(), "Rita").title[0].value == "Sign in"


def test_signing_out_ends_the_session_and_empties_the_tab(engine: Engine) -> None:
    app = team.as_role(Role.READER)
    token = app.session_state[signed_in.TOKEN]
    app.session_state["something_of_ritas"] = "hers"
    app.button(key="sign_out").click().run()
    assert entrance.SIGNED_OUT in html(app)
    assert "something_of_ritas" not in app.session_state
    app.session_state[signed_in.TOKEN] = token
    assert app.run().title[0].value == "Sign in"


@pytest.mark.parametrize("hours", [8.1, 73])
def test_a_session_ends_after_its_hours_and_signing_in_again_leads_back(engine: Engine, hours: float) -> None:
    app = team.as_role(Role.ANALYST, "tour")
    team.pass_hours(engine, hours)
    app.run()
    assert app.title[0].value == "Sign in"
    assert entrance.EXPIRED in html(app)
    assert team.sign_in(app, PEOPLE[Role.ANALYST]).title[0].value == "Tour"


def test_a_session_in_use_lasts_longer_than_its_idle_hours(engine: Engine) -> None:
    app = team.as_role(Role.READER)
    for _ in range(2):
        team.pass_hours(engine, 7)
        app.run()
    assert app.title[0].value == "mRAG workbench"


def test_disabling_an_account_and_another_role_take_effect_with_the_next_click(engine: Engine) -> None:
    app = team.as_role(Role.READER, "tour")
    assert "tour_record" not in team.keys(app)
    with acting_as(ADMIN):
        Accounts(engine).set_role("Rita", Role.ANALYST)
    assert "tour_record" in team.keys(app.run())
    with acting_as(ADMIN):
        Accounts(engine).disable("Rita")
    assert app.run().title[0].value == "Sign in"


def test_what_one_person_did_in_a_tab_is_gone_when_another_signs_in(engine: Engine) -> None:
    app = team.as_role(Role.READER)
    app.session_state["something_of_ritas"] = "hers"
    team.pass_hours(engine, 9)
    team.sign_in(app.run(), "Ada")
    assert "something_of_ritas" not in app.session_state


def test_the_same_person_finds_what_they_did_before_their_session_ended(engine: Engine) -> None:
    app = team.as_role(Role.READER)
    app.session_state["something_of_ritas"] = "hers"
    team.pass_hours(engine, 9)
    team.sign_in(app.run(), "Rita")
    assert app.session_state["something_of_ritas"] == "hers"


def test_what_one_person_did_in_a_tab_is_gone_when_its_session_becomes_anothers(engine: Engine) -> None:
    app = team.as_role(Role.READER)
    app.session_state["something_of_ritas"] = "hers"
    token = sign_in(engine, "Ada", PASSWORD)
    app.session_state[signed_in.TOKEN] = token
    # A server draws every run from the frame; AppTest starts at the screen's own file, as a server's first run may.
    app.session_state[frame.INSIDE] = False
    app.run()
    assert "something_of_ritas" not in app.session_state
    assert app.session_state[signed_in.TOKEN] == token and app.title[0].value == "mRAG workbench"


def test_what_one_person_did_is_gone_for_a_new_account_under_the_same_name(engine: Engine) -> None:
    app = team.as_role(Role.READER)
    app.session_state["something_of_ritas"] = "hers"
    with acting_as(ADMIN):
        Accounts(engine).remove("Rita")
        Accounts(engine).create("Rita", Role.READER, password=PASSWORD)
    team.sign_in(app.run(), "Rita")
    assert "something_of_ritas" not in app.session_state


def test_a_part_that_redraws_itself_draws_nothing_once_nobody_is_signed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    class Again(Exception):
        """The complete page is drawn again."""

    def rerun() -> None:
        raise Again

    drawn: list[str] = []
    monkeypatch.setattr(st, "fragment", lambda function, run_every: function)
    monkeypatch.setattr(st, "rerun", rerun)
    part = signed_in.refreshed(1.0)(lambda: drawn.append("a secret"))
    with acting_as(Actor("Rita", Role.READER)):
        part()
    with acting_as(NOBODY), pytest.raises(Again):
        part()
    assert drawn == ["a secret"]


def test_only_parts_that_check_the_session_redraw_themselves() -> None:
    sources = [*(team.ROOT / "workbench" / "ui").rglob("*.py"), *(team.ROOT / "pages").glob("*.py")]
    by_themselves = [path.name for path in sources if "st.fragment" in path.read_text(encoding="utf-8")]
    assert by_themselves == ["signed_in.py"]


def test_a_workspace_that_cannot_be_read_lets_nobody_in(fake: FakeWorkbench) -> None:
    (fake.home / "test.db").write_bytes(b"not a database at all, but long enough to be taken for one" * 20)
    app = team.opened("runs")
    assert [item.value for item in app.title] == [frame.TITLE]
    assert "wb-error" in html(app)
    assert not app.button


def test_a_thread_that_is_no_screens_is_nobody(engine: Engine) -> None:
    signed_in.install()
    assert actor().role is None
    with pytest.raises(NotAllowed, match="Sign in to"):
        Accounts(engine).disable("Rita")


class TestProvider:
    """What becomes of a provider's word, without a provider: tests/browser has a real one."""

    @pytest.fixture
    def claims(self, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
        """The claims that Streamlit has of the person, as the provider said them just now."""
        with acting_as(ADMIN):
            Accounts(engine).create("Olga", Role.ANNOTATOR, email="olga@example.org")
        person = {"email": "Olga@example.org", "email_verified": True, "sub": "1"}
        values: dict[str, object] = {"is_logged_in": True, "iat": time.time(), "provider": "example", **person}
        monkeypatch.setattr(provider, "_used", {})
        return values

    def opened(self, claims: dict[str, object], auth: dict[str, object] | None = None) -> AppTest:
        """The app with what Streamlit knows of the person, and the section `auth` of its secrets."""
        app = AppTest.from_file(str(APP), default_timeout=LONG)
        app.user = claims
        app.secrets = {"auth": auth} if auth else {}
        return app.run()

    def test_a_person_with_an_account_has_its_role(self, claims: dict[str, object]) -> None:
        app = self.opened(claims)
        assert app.title[0].value == "mRAG workbench"
        assert "Olga" in html(app) and "annotator" in html(app)

    @pytest.mark.parametrize(
        "change",
        [
            {"email": "else@example.org"},
            {"email": ""},
            *({"email_verified": value} for value in (False, "false", None, 1, "no")),
        ],
    )
    def test_a_person_without_an_account_gets_one_sentence(
        self, claims: dict[str, object], change: dict[str, object]
    ) -> None:
        app = self.opened({**claims, **change})
        assert app.title[0].value == "Sign in"
        assert "your e-mail address opens no account here" in html(app)

    @pytest.mark.parametrize(
        ("auth", "is_in"),
        [
            (None, False),
            ({"example": {"client_id": "a"}}, False),
            ({"example": {"client_id": "a", "trust_email": True}}, True),
            ({"trust_email": True, "example": {"client_id": "a"}}, False),
            ({"other": {"client_id": "a", "trust_email": True}, "example": {"client_id": "a"}}, False),
        ],
    )
    def test_a_provider_that_says_nothing_of_the_address_is_believed_where_its_section_trusts_it(
        self, claims: dict[str, object], auth: dict[str, object] | None, is_in: bool
    ) -> None:
        del claims["email_verified"]
        assert (self.opened(claims, auth).title[0].value == "mRAG workbench") is is_in

    def test_an_unnamed_provider_is_trusted_by_the_section_itself(self, claims: dict[str, object]) -> None:
        del claims["email_verified"]
        app = self.opened({**claims, "provider": "default"}, {"client_id": "a", "trust_email": True})
        assert app.title[0].value == "mRAG workbench"

    def test_a_trusted_provider_that_calls_an_address_unverified_is_believed_too(
        self, claims: dict[str, object]
    ) -> None:
        app = self.opened({**claims, "email_verified": False}, {"example": {"client_id": "a", "trust_email": True}})
        assert app.title[0].value == "Sign in"

    @pytest.mark.parametrize("age", [provider.FRESH + 60, -provider.FRESH - 60])
    def test_an_old_word_opens_no_session(self, claims: dict[str, object], age: float) -> None:
        assert self.opened({**claims, "iat": time.time() - age}).title[0].value == "Sign in"

    def test_a_word_opens_one_session_so_that_an_ended_one_stays_ended(
        self, claims: dict[str, object], engine: Engine
    ) -> None:
        app = self.opened(claims)
        team.pass_hours(engine, 9)
        assert app.run().title[0].value == "Sign in"
        assert self.opened(claims).title[0].value == "Sign in"

    def test_an_unnamed_provider_is_called_by_its_host_and_named_ones_by_their_names(self, engine: Engine) -> None:
        section = {"client_id": "a", "server_metadata_url": "https://login.example.org/.well-known/openid"}
        app = self.opened(
            {"is_logged_in": False}, {**section, "other-lab": {"client_id": "b"}, "no-provider": {"a": 1}}
        )
        labels = [
            button.label.replace("\\", "") for button in app.button if str(button.key).startswith("sign_in_with_")
        ]
        assert labels == ["Sign in with login.example.org", "Sign in with Other Lab"]

    @pytest.mark.parametrize(
        ("error", "words"),
        [
            (StreamlitAuthError("redirect_uri is missing"), "is not set up completely"),
            (ImportError("no Authlib"), "needs the package Authlib. Type: pip install"),
        ],
    )
    def test_a_provider_that_is_not_set_up_is_one_sentence_without_its_secrets(
        self, engine: Engine, error: Exception, words: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def login(_name: str | None) -> None:
            raise error

        monkeypatch.setattr(st, "login", login)
        app = self.opened({"is_logged_in": False}, {"example": {"client_id": "planted-client"}})
        next(button for button in app.button if button.label == "Sign in with Example").click().run()
        assert words in html(app) and "planted-client" not in html(app)
        assert app.title[0].value == "Sign in"

    def test_signing_out_has_streamlit_forget_the_person_too(
        self, claims: dict[str, object], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        calls: list[str] = []
        monkeypatch.setattr(st, "logout", lambda: calls.append("logout"))
        app = self.opened(claims)
        app.button(key="sign_out").click().run()
        assert calls == ["logout"]

    def test_words_that_opened_a_session_are_remembered_only_while_they_are_fresh(
        self, claims: dict[str, object]
    ) -> None:
        provider._used.update(old=time.time() - 1, fresh=time.time() + 60)
        self.opened(claims)
        assert len(provider._used) == 2 and "old" not in provider._used
