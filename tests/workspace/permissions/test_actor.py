"""The check: who is at work, in which thread, what they may do, and what is recorded of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Thread

import pytest

from workbench.workspace.permissions import (
    NOBODY,
    Actor,
    NotAllowed,
    Role,
    acting_as,
    actor,
    carried,
    check,
    default_actor,
    permits,
    set_resolver,
    system_user,
    verb,
)

Rows = list[tuple[str, str]]


@dataclass(frozen=True)
class Thing:
    name: str


def person(role: Role | None, rows: Rows | None = None) -> Actor:
    return Actor("Anna", role, lambda name, subject: (rows if rows is not None else []).append((name, subject)))


@verb("runs.delete", "{thing.name} {times}")
def delete(thing: Thing, times: int = 1) -> str:
    if times > 9:
        raise ValueError
    return f"{thing.name} is gone"


@verb("runs.rename", "{thing.name}")
def rename_and_delete(thing: Thing) -> str:
    return delete(thing)


@verb("screens.look")
def look() -> int:
    return 1


@verb("questions.ask")
def ask_and_delete(thing: Thing) -> str:
    return delete(thing)


@verb("questions.ask", allows=["runs.delete"])
def ask_and_replace(thing: Thing) -> str:
    return ask_and_delete(thing)


def test_without_anybody_else_whoever_started_the_process_may_do_everything() -> None:
    assert actor() == default_actor() and actor().role is Role.ADMIN and delete(Thing("a")) == "a is gone"


@pytest.mark.parametrize("role", [Role.READER, Role.ANNOTATOR])
def test_a_lower_role_is_refused_before_the_work_begins(role: Role) -> None:
    with acting_as(person(role)), pytest.raises(NotAllowed) as caught:
        delete(Thing("a"), times=99)
    assert str(caught.value) == (
        f"You need the role analyst to delete experiments with their results; your role is {role}. An admin of this "
        "workspace can change it."
    )


@pytest.mark.parametrize("role", [Role.ANALYST, Role.ADMIN])
def test_the_role_and_those_above_it_are_let_through(role: Role) -> None:
    with acting_as(person(role)):
        assert delete(Thing("a")) == "a is gone" and permits("runs.delete")


def test_nobody_may_do_anything() -> None:
    with acting_as(NOBODY), pytest.raises(NotAllowed, match="Sign in to look at the screens"):
        look()


def test_the_resolver_names_who_is_at_work() -> None:
    set_resolver(lambda: person(Role.READER))
    assert not permits("runs.delete") and permits("screens.look")


def test_the_actor_of_a_request_comes_before_the_resolver() -> None:
    set_resolver(lambda: NOBODY)
    with acting_as(person(Role.READER)):
        check("questions.ask")
    with pytest.raises(NotAllowed):
        check("questions.ask")


def test_what_succeeded_is_recorded_with_its_subject() -> None:
    rows: Rows = []
    with acting_as(person(Role.ANALYST, rows)):
        delete(Thing("tea"), times=2)
    assert rows == [("runs.delete", "tea 2")]


def test_what_failed_or_was_refused_is_not_recorded() -> None:
    rows: Rows = []
    with acting_as(person(Role.ANALYST, rows)), pytest.raises(ValueError):
        delete(Thing("tea"), times=99)
    with acting_as(person(Role.READER, rows)), pytest.raises(NotAllowed):
        delete(Thing("tea"))
    assert rows == []


def test_of_verbs_within_each_other_the_outermost_is_recorded() -> None:
    rows: Rows = []
    with acting_as(person(Role.ANALYST, rows)):
        rename_and_delete(Thing("tea"))
    assert rows == [("runs.rename", "tea")]


def test_a_verb_of_a_higher_role_is_refused_within_one_of_a_lower() -> None:
    with acting_as(person(Role.READER)), pytest.raises(NotAllowed, match="You need the role analyst to delete"):
        ask_and_delete(Thing("tea"))


def test_a_verb_that_another_allows_passes_within_it_alone() -> None:
    with acting_as(person(Role.READER)):
        assert ask_and_replace(Thing("tea")) == "tea is gone"
        with pytest.raises(NotAllowed):
            delete(Thing("tea"))


def test_a_failure_within_a_verb_leaves_the_next_one_checked() -> None:
    with acting_as(person(Role.ANALYST)), pytest.raises(ValueError):
        delete(Thing("tea"), times=99)
    with acting_as(person(Role.READER)), pytest.raises(NotAllowed):
        delete(Thing("tea"))


def test_looking_and_asking_are_not_recorded() -> None:
    rows: Rows = []
    with acting_as(person(Role.READER, rows)):
        look()
    assert rows == []


def test_a_thread_that_nobody_carried_is_not_the_person_who_started_it() -> None:
    set_resolver(lambda: NOBODY)
    seen: list[Actor] = []
    with acting_as(person(Role.ADMIN)):
        thread = Thread(target=lambda: seen.append(actor()))
        thread.start()
        thread.join()
    assert seen == [NOBODY]


def test_a_carried_function_acts_as_whoever_was_at_work_in_every_thread_of_a_pool() -> None:
    set_resolver(lambda: NOBODY)
    with acting_as(person(Role.ANALYST)):
        work = carried(lambda number: (actor().name, delete(Thing(str(number)))))
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(work, range(8))] == [("Anna", f"{number} is gone") for number in range(8)]


def test_a_verb_that_starts_a_thread_is_checked_and_recorded_once() -> None:
    rows: Rows = []

    @verb("runs.rename", "{thing.name}")
    def in_the_background(thing: Thing) -> Thread:
        thread = Thread(target=carried(delete), args=(thing,))
        thread.start()
        return thread

    with acting_as(person(Role.ANALYST, rows)):
        in_the_background(Thing("tea")).join()
    assert rows == [("runs.rename", "tea")]


def test_a_verb_or_subject_that_does_not_exist_fails_where_it_is_written() -> None:
    with pytest.raises(KeyError):
        verb("runs.burn")
    with pytest.raises(KeyError):
        verb("runs.delete", allows=["runs.burn"])
    with pytest.raises(KeyError):
        verb("runs.delete", "{other}")(look)


def test_a_long_subject_is_shortened_to_one_line() -> None:
    rows: Rows = []
    with acting_as(person(Role.ANALYST, rows)):
        delete(Thing("a\nb" * 500))
    assert len(rows[0][1]) == 200 and "\n" not in rows[0][1]


def test_a_user_without_a_name_is_recorded_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def nameless() -> str:
        raise KeyError("getpwuid(): uid not found: 10001")

    monkeypatch.setattr("getpass.getuser", nameless)
    monkeypatch.setattr("os.getuid", lambda: 10001)
    assert system_user() == "user 10001"
