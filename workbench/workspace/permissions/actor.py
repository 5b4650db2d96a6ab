"""The person at work, and the check that every verb makes of them.

The check is at the domain function, so no screen, route or command can forget it. Who is at work is the actor set for
the present context (a request, a background thread), else what the process's resolver says (the screens'), else whoever
started the process: that person has the workspace's files and may do everything.
"""

from __future__ import annotations

import getpass
import inspect
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from functools import cache, wraps
from string import Formatter
from typing import ParamSpec, TypeVar

from workbench.core import WorkbenchError, shorten
from workbench.workspace.permissions.verbs import Role, Verb, verb_named

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Record = Callable[[str, str], None]
Resolver = Callable[[], "Actor"]

SUBJECT_LIMIT = 200
"""Characters of a subject that are recorded."""


class NotAllowed(WorkbenchError):
    """The person at work may not do this; the message names the role that may."""


def record_nothing(_verb: str, _subject: str) -> None:
    """Records nothing: where sign-in is off there is nobody to name."""


@dataclass(frozen=True, slots=True)
class Actor:
    """A person at work: a name, a role (None: nobody is signed in), and how what they did is recorded.

    `record` is called with a verb's name and its subject after the verb has succeeded.
    """

    name: str
    role: Role | None
    record: Record = field(default=record_nothing, repr=False, compare=False)

    def may(self, entry: Verb) -> bool:
        """Whether the role is enough for a verb."""
        return self.role is not None and self.role.includes(entry.role)

    def check(self, entry: Verb) -> None:
        """Raises NotAllowed where the role is not enough."""
        if self.may(entry):
            return
        if self.role is None:
            raise NotAllowed(f"Sign in to {entry.action}.")
        raise NotAllowed(
            f"You need the role {entry.role} to {entry.action}; your role is {self.role}. An admin of this workspace "
            "can change it."
        )


NOBODY = Actor("", None)
"""Where sign-in is on and nobody is signed in: nothing is allowed."""

_context: ContextVar[Actor | None] = ContextVar("actor", default=None)
_allowed: ContextVar[frozenset[str]] = ContextVar("allowed_verbs", default=frozenset())
"""The verbs that the verbs under way may call whatever the person's role."""
_recording: ContextVar[bool] = ContextVar("recording_a_verb", default=False)
"""Whether a verb runs that will be recorded: those that it calls are then parts of it."""
_resolver: Resolver | None = None


@cache
def default_actor() -> Actor:
    """Whoever started the process, under the operating system's name; they may do everything."""
    return Actor(system_user(), Role.ADMIN)


def system_user() -> str:
    """The name of the operating system's user."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        return f"user {os.getuid()}" if hasattr(os, "getuid") else "unknown"


def set_resolver(resolver: Resolver | None) -> None:
    """Sets who says, for the complete process, who is at work where the context names nobody; None: the default.

    It is called at each verb, in the thread of the verb, and returns NOBODY where nothing is allowed.
    """
    global _resolver
    _resolver = resolver


def actor() -> Actor:
    """The person at work."""
    present = _context.get()
    if present is not None:
        return present
    return default_actor() if _resolver is None else _resolver()


@contextmanager
def acting_as(person: Actor) -> Iterator[None]:
    """Within it, in this thread or task, `person` is at work."""
    token = _context.set(person)
    try:
        yield
    finally:
        _context.reset(token)


def carried(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """`function` for another thread: there it runs as the person who is at work now, as part of the verb that runs now.

    A new thread knows neither by itself, so a thread that calls verbs is started with a carried function.
    """
    person, context = actor(), copy_context()

    @wraps(function)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        def as_person() -> Result:
            with acting_as(person):
                return function(*args, **kwargs)

        # A copy, because a context is entered once at a time and a pool may call this in several threads.
        return context.copy().run(as_person)

    return run


def permits(name: str) -> bool:
    """Whether the person at work may do the verb: to hide or disable a control. Raises KeyError where there is none."""
    return actor().may(verb_named(name))


def check(name: str) -> None:
    """Raises NotAllowed where the person at work may not do the verb, KeyError where there is none."""
    entry = verb_named(name)
    if entry.name not in _allowed.get():
        actor().check(entry)


def verb(
    name: str, subject: str = "", *, allows: Collection[str] = ()
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Makes a function a verb: it is checked before it runs, and recorded after it has succeeded.

    `subject` says in the record what it was done to, with parameters in braces (`{experiment.name}`). A verb that
    another one calls is a part of it and not recorded, but checked like any other, unless the calling one `allows` it.
    Raises KeyError where there is no such verb or parameter.
    """
    entry, within = verb_named(name), frozenset(verb_named(item).name for item in allows)

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        signature = inspect.signature(function)
        fields = {name.partition(".")[0] for _, name, _, _ in Formatter().parse(subject) if name}
        if unknown := fields - set(signature.parameters):
            raise KeyError(unknown)

        @wraps(function)
        def checked(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            check(entry.name)
            person, is_part = actor(), _recording.get()
            recording, allowed = _recording.set(True), _allowed.set(_allowed.get() | within)
            try:
                result = function(*args, **kwargs)
            finally:
                _recording.reset(recording)
                _allowed.reset(allowed)
            if entry.is_recorded and not is_part and person.record is not record_nothing:
                person.record(entry.name, _subject(signature.bind(*args, **kwargs), subject))
            return result

        vars(checked)["verb"] = entry
        return checked

    return decorate


def _subject(values: inspect.BoundArguments, template: str) -> str:
    values.apply_defaults()
    return shorten(template.format(**values.arguments), SUBJECT_LIMIT)
