"""The language identifier of a workspace: it identifies the language of questions and answers, also for metrics.

The workspace's `settings.yaml` names it, and the variable WORKBENCH_IDENTIFIER overrides that. Screens, command line
and jobs all read it here. An identifier whose file is missing is never replaced silently.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import regex
from pydantic import BaseModel, ConfigDict, Field

from workbench.components.adapter import Reference
from workbench.components.adapters.fasttext_files import LONGEST
from workbench.components.factory import surroundings
from workbench.components.references import adapter, adapters_for, known_models, reference
from workbench.core import MissingError, UsageError, fingerprint, shorten, unknown_name
from workbench.languages import Detector
from workbench.pipeline import BUILTIN
from workbench.workspace import YamlForm, atomic, settings, verb

FILE = "settings.yaml"
USE_BUILTIN = f"python -m workbench models use {BUILTIN}"
TRIAL_QUESTION = "Where is the Nile?"

LABEL_LIMIT = 40
"""Characters of an identifier's name in a mark: with the longest metric and MARK, within the width of the database's
column."""
MARK = 6
"""Characters of a fingerprint that distinguish two files of one name."""
PLAIN = regex.compile(r"[\w.+-]+")
"""Characters that are safe wherever metrics are named, as on the command line, where commas separate them."""

Source = Literal["default", "workspace", "environment"]


class WorkspaceSettings(BaseModel):
    """The settings in a workspace's settings.yaml: an identifier and a generator, each "" where none was chosen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    identifier: str = Field(default="", exclude_if=operator.not_)
    generator: str = Field(default="", exclude_if=operator.not_)


FORM = YamlForm(
    WorkspaceSettings,
    noun="settings file",
    example=f"identifier: {BUILTIN}",
    command=USE_BUILTIN,
    limit=10_000,
    remedy=f"Fix {FILE} in the workspace or delete it.",
)


@dataclass(frozen=True, slots=True)
class IdentifierChoice:
    """An identifier's name (`builtin`, a known model's or `fasttext:FILE`) and where the choice comes from."""

    name: str
    source: Source

    @property
    def summary(self) -> str:
        """Name and source in a few words."""
        words = {
            "default": "the default",
            "workspace": "chosen in this workspace",
            "environment": f"named by {settings.IDENTIFIER_VARIABLE}",
        }
        return f"{self.name}, {words[self.source]}"

    @property
    def clause(self) -> str:
        """Where the choice comes from, as a clause to follow the name."""
        return (
            f" that {settings.IDENTIFIER_VARIABLE} names"
            if self.source == "environment"
            else " that this workspace uses"
        )

    @property
    def reset_command(self) -> str:
        """The command that returns to the built-in identifier."""
        return f"unset {settings.IDENTIFIER_VARIABLE}" if self.source == "environment" else USE_BUILTIN


@dataclass(frozen=True, slots=True)
class IdentifierInUse:
    """An identifier that is ready to be used, with the name that chose it."""

    name: str
    detector: Detector

    @property
    def mark(self) -> str:
        """What a metric's name carries as a suffix, since figures of two identifiers are not comparable.

        "" for the built-in one, else a short name and the start of the file's fingerprint, since a name may come to
        mean another file. Raises MissingError where the file is missing.
        """
        if self.name == BUILTIN:
            return ""
        target = reference(self.name, "identifier")
        label = target.known.name if target.known else Path(target.model).name
        characters = "".join(PLAIN.findall(label))[:LABEL_LIMIT]
        return f"{characters}~{fingerprint('identifier', self.detector.identity)[:MARK]}"


def is_identifier(name: str) -> bool:
    """Whether a name is that of a language identifier, which may still be missing."""
    try:
        return "identifier" in adapter(reference(name).adapter, "identifier").roles
    except UsageError:
        return False


def identifier_choice(home: Path) -> IdentifierChoice:
    """The identifier of a workspace, ready or not. Raises UsageError for a settings.yaml that cannot be used."""
    if name := settings.environment_identifier():
        return IdentifierChoice(name, "environment")
    stored = stored_settings(home).identifier
    return IdentifierChoice(stored, "workspace") if stored else IdentifierChoice(BUILTIN, "default")


def identifier(home: Path) -> Detector:
    """The identifier in use; it loads when it is first used. Raises what `identifier_in_use` raises."""
    return identifier_in_use(home).detector


def identifier_in_use(home: Path) -> IdentifierInUse:
    """The identifier in use, by its name.

    Raises MissingError where its file is not on this machine, UsageError where its name means nothing: no other is
    used instead.
    """
    choice = identifier_choice(home)
    target = _reference(choice.name, choice.clause)
    try:
        return IdentifierInUse(choice.name, _detector(target, home))
    except MissingError as error:
        known = target.known
        remedy = f"fetch it ({adapter('fasttext').fetch_command(known, home)})" if known else "put its file back"
        raise MissingError(
            f"The language identifier “{shorten(choice.name, LONGEST)}”{choice.clause} is not on this machine: "
            f"{remedy} or go back to the built-in one ({choice.reset_command})."
        ) from error


@verb("settings.change", "{name}")
def choose(home: Path, name: str) -> str:
    """Sets the identifier of the workspace, atomically; returns the name as it is stored.

    It has to identify one sentence first. Raises UsageError, MissingError, or DataError for a file that is not an
    identifier.
    """
    target = _reference(name.strip())
    detector = _detector(target, home)
    detector.detect(TRIAL_QUESTION)
    stored_name = target.adapter
    if adapter(target.adapter, "identifier").takes_model:
        # The absolute path, so that the name means the same file from every folder.
        absolute = Path(target.model).expanduser().absolute()
        stored_name = target.known.name if target.known else f"{target.adapter}:{absolute}"
    store_settings(home, identifier=stored_name)
    return stored_name


def named_identifier(name: str, home: Path) -> Detector:
    """The identifier `name`. Raises UsageError, or MissingError with the command that fetches its file."""
    return _detector(_reference(name.strip()), home)


def _detector(target: Reference, home: Path) -> Detector:
    maker = adapter(target.adapter, "identifier").identifier
    assert maker is not None
    return maker(target, surroundings(home))


def stored_settings(home: Path) -> WorkspaceSettings:
    """What the workspace's settings.yaml says. Raises UsageError for one that cannot be used."""
    path = home / FILE
    return FORM.read_file(path) if path.exists() else WorkspaceSettings()


def store_settings(home: Path, **changes: str) -> None:
    """Changes settings, atomically. Raises UsageError."""
    changed = stored_settings(home).model_copy(update=changes)
    atomic.write_text(home / FILE, FORM.write(changed, ["What this workspace uses."]))


def _reference(name: str, clause: str = "") -> Reference:
    try:
        return reference(name, "identifier")
    except UsageError as error:
        names = [item.name for item in adapters_for("identifier") if not item.takes_model]
        names += [model.name for model in known_models() if model.role == "identifier"]
        hint = f"Or a fastText file: {adapter('fasttext').example}"
        raise unknown_name(f"language identifier{clause}", name, names, hint) from error
