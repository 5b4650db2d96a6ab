"""The four roles, each of which may do all that the one before it may, and the catalogue of verbs.

A verb is something that a person can do here, with the lowest role that may. docs/people.md shows them as a table,
which a test compares with the catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from workbench.core import unknown_name


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
    Role.ANNOTATOR: "Also labels answers, votes, decides disagreements and reviews written questions.",
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
    Verb("drafts.review", ANNOTATOR, "accept, edit and reject written questions"),
    Verb("drafts.write", ANALYST, "write questions from passages with a model, and delete written ones"),
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
    Verb("imports.change", ANALYST, "upload files, and stop and discard imports and the writing of questions"),
    Verb("queues.create", ANALYST, "create queues of answers to label, and ballots to vote on"),
    Verb("queues.change", ANALYST, "move a queue to another version of its taxonomy"),
    Verb("queues.delete", ANALYST, "delete queues"),
    Verb("labels.export", ANALYST, "export labels and decisions as files"),
    Verb("labels.import", ANALYST, "import labels from files"),
    Verb("tours.save", ANALYST, "record, change and delete tours"),
    Verb("filters.save", ANALYST, "save and delete filters by name"),
    Verb("models.download", ADMIN, "download models, and cancel downloads"),
    Verb("models.use", ADMIN, "try models out on this machine"),
    Verb("settings.change", ADMIN, "change the settings of the workspace"),
    Verb("corpora.delete", ADMIN, "delete corpora, and former versions of them"),
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
