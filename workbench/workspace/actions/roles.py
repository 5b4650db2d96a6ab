"""The four roles. Each may do everything that the one before it may."""

from __future__ import annotations

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
