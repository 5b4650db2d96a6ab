"""Who may do what: the roles, the catalogue of verbs, and the check that every verb makes of the person at work.

A verb is something that a person can do here, with the lowest of the four roles that may. docs/people.md shows them as
a table, which a test compares with the catalogue.

The check is at the domain function, so no screen, route or command can forget it. Who is at work is the actor set for
the present context (a request, a background thread), else what the process's resolver says (the screens'), else whoever
started the process: that person has the workspace's files and may do everything.
"""

from __future__ import annotations

import getpass
import inspect
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, wraps
from string import Formatter
from typing import ParamSpec, TypeVar

from workbench.core import WorkbenchError, shorten, unknown_name


class Role(StrEnum):
    """What a person may do, from least to most."""

    READER = "reader"
    ANNOTATOR = "annotator"
    ANALYST = "analyst"
    ADMIN = "admin"

    @property
    def sentence(self) -> str:
        """What the role is for, in one sentence."""
        return SENTENCES[self]

    def includes(self, other: Role) -> bool:
        """Whether this role may everything that `other` may.

        >>> Role.ANALYST.includes(Role.READER), Role.READER.includes(Role.ANALYST)
        (True, False)
        """
        order = tuple(Role)
        return order.index(self) >= order.index(other)


SENTENCES = {
    Role.READER: "Asks questions, compares answers, looks at every result and downloads it.",
    Role.ANNOTATOR: "Also labels answers, votes, decides disagreements, reviews questions and demonstrations.",
    Role.ANALYST: "Also runs experiments and searches, creates queues to label, adds and changes corpora and datasets.",
    Role.ADMIN: "Also downloads models, changes settings, deletes corpora and datasets, and manages accounts.",
}


def role_named(name: str) -> Role:
    """The role of this name. Raises UsageError for a name that no role has."""
    try:
        return Role(name.strip().casefold())
    except ValueError:
        raise unknown_name("role", name, list(Role)) from None


@dataclass(frozen=True, slots=True)
class Verb:
    """One thing that a person can do: its name, the lowest role that may, and what it does in words after “to”.

    `is_recorded` False: it changes nothing and is done too often for an audit that people read.
    """

    name: str
    role: Role
    action: str
    is_recorded: bool = True

    @property
    def sentence(self) -> str:
        """What it does, as a sentence for tables."""
        return f"{self.action[0].upper()}{self.action[1:]}."


READER, ANNOTATOR, ANALYST, ADMIN = Role

VERBS = (
    Verb("screens.look", READER, "look at the screens and download what they show", is_recorded=False),
    Verb("questions.ask", READER, "ask and compare answers, search passages, and replay stored answers", False),
    Verb("votes.reveal", READER, "see which run of a ballot is which, after which your votes are not blind"),
    Verb("password.change", READER, "change your password"),
    Verb("labels.save", ANNOTATOR, "label the answers of a queue, take labels back, and skip answers"),
    Verb("labels.take", ANNOTATOR, "get the answers of a queue to label, one by one", is_recorded=False),
    Verb("votes.cast", ANNOTATOR, "vote blindly, and take votes back"),
    Verb("decisions.save", ANNOTATOR, "decide disagreements between labels"),
    Verb("proposals.run", ANNOTATOR, "run the rules that propose causes of wrong answers"),
    Verb("drafts.review", ANNOTATOR, "accept, edit and reject written questions and demonstrations"),
    Verb(
        "drafts.write",
        ANALYST,
        "write questions and demonstrations with a model, import demonstrations, and delete both",
    ),
    Verb("runs.start", ANALYST, "start and resume experiments and pilots, and measure searches"),
    Verb("runs.stop", ANALYST, "stop experiments and pilots"),
    Verb("runs.import", ANALYST, "import answers of other programs as runs"),
    Verb("runs.rename", ANALYST, "rename experiments"),
    Verb("runs.delete", ANALYST, "delete experiments with their results"),
    Verb("searches.start", ANALYST, "start and resume searches for the best recipe"),
    Verb("searches.stop", ANALYST, "stop searches for the best recipe"),
    Verb("searches.delete", ANALYST, "delete searches for the best recipe"),
    Verb("corpora.add", ANALYST, "add corpora, and add documents to them or remove documents"),
    Verb("corpora.index", ANALYST, "index corpora, and stop indexing"),
    Verb("corpora.rename", ANALYST, "rename corpora"),
    Verb("datasets.add", ANALYST, "add datasets"),
    Verb("datasets.rename", ANALYST, "rename datasets"),
    Verb("imports.change", ANALYST, "upload files, and stop and discard imports and the writing of drafts"),
    Verb("queues.create", ANALYST, "create queues of answers to label, and ballots to vote on"),
    Verb("queues.change", ANALYST, "move a queue to another version of its taxonomy"),
    Verb("queues.delete", ANALYST, "delete queues"),
    Verb("labels.export", ANALYST, "export labels and decisions as files"),
    Verb("labels.import", ANALYST, "import labels from files"),
    Verb("tours.save", ANALYST, "record, change and delete tours"),
    Verb("filters.save", ANALYST, "save and delete filters by name"),
    Verb("models.tune", ANALYST, "tune models on demonstrations, stop that, and delete tuned models"),
    Verb("models.download", ADMIN, "download models, and cancel downloads"),
    Verb("models.use", ADMIN, "try models out on this machine"),
    Verb("settings.change", ADMIN, "change the settings of the workspace"),
    Verb("corpora.delete", ADMIN, "delete corpora, and older versions of them"),
    Verb("datasets.delete", ADMIN, "delete datasets"),
    Verb("database.move", ADMIN, "move the workspace to another database"),
    Verb("accounts.manage", ADMIN, "add and remove accounts, and change their roles and passwords"),
    Verb("keys.manage", ADMIN, "create and remove keys of accounts"),
    Verb("audit.look", ADMIN, "see who did what", is_recorded=False),
)

_BY_NAME: Mapping[str, Verb] = {item.name: item for item in VERBS}


def verb_named(name: str) -> Verb:
    """The verb of this name. Raises KeyError: names of verbs are written in code alone."""
    return _BY_NAME[name]


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
