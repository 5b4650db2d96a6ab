"""The sections People and Audit of the Settings screen."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import Engine
from streamlit.testing.v1 import AppTest

from tests.fakes import FakeWorkbench
from tests.screens import team
from tests.screens.conftest import cells, codes, html
from tests.screens.team import PASSWORD, PEOPLE
from workbench.ui.parts import signed_in
from workbench.ui.people import audit_view, people_section
from workbench.workspace.accounts.accounts import AccountKeys, Accounts
from workbench.workspace.accounts.audit import PAGE, AuditLog
from workbench.workspace.accounts.credentials import SignInFailed
from workbench.workspace.accounts.sign_in import Sessions, sign_in, sign_out
from workbench.workspace.permissions import Actor, NotAllowed, Role, acting_as

NEW = "another five words kept secret"


@pytest.fixture
def engine(fake: FakeWorkbench) -> Engine:
    """The database of a workspace with accounts, which the app shows."""
    return team.create_team(fake.settings.database_url)


def section(role: Role, name: str = "People") -> AppTest:
    """A section of the Settings screen, as the person of a role sees it."""
    app = team.as_role(role, "settings")
    return app.segmented_control(key="section").set_value(name).run()


def press(app: AppTest, key: str) -> AppTest:
    return app.button(key=key).click().run()


def test_a_workspace_without_accounts_has_no_such_sections(fake: FakeWorkbench) -> None:
    app = team.opened("settings")
    assert not {"People", "Audit"} & set(app.segmented_control(key="section").options)


@pytest.mark.parametrize("role", list(Role))
def test_only_an_admin_sees_other_accounts_keys_and_the_audit(engine: Engine, role: Role) -> None:
    app = section(role)
    is_admin = role is Role.ADMIN
    assert ("Audit" in app.segmented_control(key="section").options) is is_admin
    assert ("people_add" in team.keys(app)) is is_admin
    assert ("people_key_create" in team.keys(app)) is is_admin
    assert "people_change" in team.keys(app)
    others = [name for other, name in PEOPLE.items() if other is not role]
    assert all((name in html(app) + cells(app)) is is_admin for name in others)


def test_the_menus_link_opens_the_section_which_the_address_holds(engine: Engine) -> None:
    app = team.as_role(Role.READER)
    app.query_params["section"] = "People"
    app.switch_page("pages/settings.py").run()
    assert app.segmented_control(key="section").value == "People"
    assert "".join(app.query_params["section"]) == "People"


def change_password(app: AppTest, present: str, new: str, again: str) -> AppTest:
    for key, value in ((people_section.PRESENT, present), (people_section.NEW, new), (people_section.AGAIN, again)):
        app.text_input(key=key).input(value)
    return press(app, "people_change")


def test_anybody_changes_their_password_and_stays_signed_in_here_alone(engine: Engine) -> None:
    elsewhere = sign_in(engine, "Rita", PASSWORD)
    app = change_password(section(Role.READER), PASSWORD, NEW, NEW)
    assert "Your password is changed." in html(app)
    assert Sessions(engine).account(app.session_state[signed_in.TOKEN]) is not None
    assert Sessions(engine).account(elsewhere) is None
    assert sign_in(engine, "Rita", NEW)
    with pytest.raises(SignInFailed):
        sign_in(engine, "Rita", PASSWORD)


@pytest.mark.parametrize(
    ("present", "new", "again", "sentence"),
    [
        ("not my password", NEW, NEW, "The name or the password is wrong"),
        (PASSWORD, NEW, f"{NEW}!", people_section.DIFFERENT),
        (PASSWORD, "short", "short", "This password has 5 characters; 12 to 1,024 are allowed."),
    ],
)
def test_a_password_that_cannot_be_changed_stays_with_one_sentence(
    engine: Engine, present: str, new: str, again: str, sentence: str
) -> None:
    app = change_password(section(Role.READER), present, new, again)
    assert sentence in html(app)
    assert app.text_input(key=people_section.NEW).value == ""
    assert sign_in(engine, "Rita", PASSWORD)


def test_an_admin_adds_an_account_that_can_sign_in(engine: Engine) -> None:
    app = section(Role.ADMIN)
    app.text_input(key="people_name").input("Omar")
    app.selectbox(key="people_role").set_value(Role.ANALYST)
    app.text_input(key="people_password").input(NEW)
    press(app, "people_add")
    assert "Omar has an account with the role analyst." in html(app)
    assert sign_in(engine, "Omar", NEW)


def test_an_account_that_cannot_be_added_is_one_sentence(engine: Engine) -> None:
    app = section(Role.ADMIN)
    app.text_input(key="people_name").input("rita")
    app.text_input(key="people_password").input(NEW)
    press(app, "people_add")
    assert "There is an account “rita” already" in html(app)
    assert len(Accounts(engine).all()) == len(PEOPLE)


def test_an_admin_gives_another_role_and_password_and_disables_and_enables(engine: Engine) -> None:
    app = section(Role.ADMIN)
    number = Accounts(engine).account("Rita").id
    app.selectbox(key="people_account").set_value("Rita").run()
    app.selectbox(key=f"people_new_role_{number}").set_value(Role.ANNOTATOR)
    press(app, "people_set_role")
    assert Accounts(engine).account("Rita").role is Role.ANNOTATOR
    app.text_input(key=f"people_new_password_{number}").input(NEW)
    press(app, "people_set_password")
    assert sign_in(engine, "Rita", NEW)
    press(app, "people_disable")
    assert Accounts(engine).account("Rita").is_disabled
    assert "| disabled" in cells(app)
    press(app, "people_enable")
    assert not Accounts(engine).account("Rita").is_disabled
    press(app, "people_remove_now")
    assert "The account Rita is removed." in html(app)


def test_the_last_admin_stays_one(engine: Engine) -> None:
    app = section(Role.ADMIN)
    app.selectbox(key="people_account").set_value("Ada").run()
    press(app, "people_disable")
    assert "Ada is the last admin" in html(app)
    assert not Accounts(engine).account("Ada").is_disabled


def test_a_key_is_shown_once_and_works_until_it_is_removed(engine: Engine) -> None:
    app = section(Role.ADMIN)
    app.selectbox(key="people_key_owner").set_value("Rita")
    app.text_input(key="people_key_note").input("nightly job")
    press(app, "people_key_create")
    text = codes(app)
    account = AccountKeys(engine).account(text)
    assert account is not None and account.name == "Rita"
    assert "nightly job" in cells(app)
    app.run()
    assert not codes(app)
    press(app, "people_key_remove")
    assert AccountKeys(engine).account(text) is None


def test_the_audit_is_filtered_by_person_verb_and_days_and_paged(engine: Engine) -> None:
    log = AuditLog(engine)
    for number in range(PAGE + 5):
        log.append("Nina", "labels.save", f"queue {number}", "screen")
    app = section(Role.ADMIN, "Audit")
    app.selectbox(key="audit_person").set_value("Nina").run()
    assert f"queue {PAGE + 4} " in cells(app) and "queue 4 " not in cells(app)
    app.number_input(key="audit_page").set_value(2).run()
    assert "queue 4 " in cells(app) and f"queue {PAGE + 4} " not in cells(app)
    app.selectbox(key="audit_verb").set_value("sign_in").run()
    assert "No entries match" in html(app)
    app.selectbox(key="audit_person").set_value("").run()
    assert "Ada" in cells(app)
    app.date_input(key="audit_days").set_value((date(2021, 1, 1), date(2021, 1, 2))).run()
    assert "No entries match" in html(app)


def test_days_are_whole_from_the_first_to_the_last() -> None:
    since, until = audit_view.seconds_of([date(2026, 3, 1), date(2026, 3, 2)])
    assert since is not None and until is not None
    assert until - since == 2 * 86_400
    assert audit_view.seconds_of([]) == (None, None)


def test_what_is_done_on_a_screen_is_in_the_audit(engine: Engine) -> None:
    app = section(Role.ADMIN)
    app.selectbox(key="people_account").set_value("Rita").run()
    press(app, "people_disable")
    app.segmented_control(key="section").set_value("Audit").run()
    assert "accounts.manage" in cells(app)


def test_an_arabic_name_turns_no_line_of_the_audit_around(engine: Engine) -> None:
    name = PEOPLE[Role.ANALYST]
    AuditLog(engine).append("Ada", "accounts.manage", f"{name}: added as analyst", "screen")
    assert f"\N{LEFT-TO-RIGHT MARK}{name}: added as analyst" in cells(section(Role.ADMIN, "Audit"))


@pytest.mark.parametrize("end", ["role", "sign out"])
def test_a_file_is_written_for_who_is_signed_in_when_its_button_is_pressed(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    token = sign_in(engine, "Ada", PASSWORD)
    monkeypatch.setattr(signed_in, "token", lambda: token)
    write = signed_in.at_click(lambda: AuditLog(engine).as_csv())
    assert "Ada" in write()
    if end == "role":
        with acting_as(Actor("Ada", Role.ADMIN)):
            Accounts(engine).set_role("Nina", Role.ADMIN)
            Accounts(engine).set_role("Ada", Role.READER)
    else:
        sign_out(engine, token)
    with pytest.raises(NotAllowed):
        write()
