"""The language identifier of a workspace: it tells the language of a question and of an answer, also for metrics.

The workspace's `settings.yaml` names it, and the variable WORKBENCH_IDENTIFIER outweighs that. All who ask read it
here: screens, command line and jobs. Nothing ever stands in for one that is gone.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import regex
from pydantic import BaseModel, ConfigDict

from workbench import settings
from workbench.components.reference import Reference, reference
from workbench.errors import MissingError, UsageError, shorten, unknown
from workbench.identity import fingerprint
from workbench.languages.detect import Detector
from workbench.models.known import Model, known_models
from workbench.storage import atomic
from workbench.storage.yaml_files import YamlForm

FILE = "settings.yaml"
FOLDER = "identifiers"
"""Where in the workspace the files lie that come from elsewhere than the hub."""
BUILTIN = "builtin"
USE_BUILTIN = f"python -m workbench models use {BUILTIN}"
TRIED = "Where is the Nile?"
LONGEST = 200
"""Characters of a path that a message repeats: a path that is cut is of no use."""

LABEL_LIMIT = 40
"""Characters of an identifier's name in a mark: with the longest metric and MARK, fewer than the database's column
has."""
MARK = 6
"""Characters of a fingerprint that tell two files of one name apart."""
PLAIN = regex.compile(r"[\w.+-]+")
"""What needs no care anywhere that metrics are named, as on the command line, where commas part them."""

By = Literal["default", "workspace", "environment"]


class Choices(BaseModel):
    """What a workspace has chosen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    identifier: str = BUILTIN


FORM = YamlForm(
    Choices,
    noun="settings file",
    example=f"identifier: {BUILTIN}",
    typed=USE_BUILTIN,
    limit=10_000,
    remedy=f"Mend {FILE} in the workspace or delete it.",
)


@dataclass(frozen=True, slots=True)
class IdentifierChoice:
    """An identifier's name (`builtin`, a known model's or `fasttext:FILE`) and what chose it."""

    name: str
    by: By

    @property
    def told(self) -> str:
        """Both in a few words."""
        said = {
            "default": "the default",
            "workspace": "chosen in this workspace",
            "environment": f"named by {settings.IDENTIFIER}",
        }
        return f"{self.name}, {said[self.by]}"

    @property
    def whose(self) -> str:
        """What chose it, as a clause behind its name."""
        return f" that {settings.IDENTIFIER} names" if self.by == "environment" else " that this workspace uses"

    @property
    def way_out(self) -> str:
        """The command that brings the built-in identifier back."""
        return f"unset {settings.IDENTIFIER}" if self.by == "environment" else USE_BUILTIN


@dataclass(frozen=True, slots=True)
class IdentifierInUse:
    """An identifier that can be asked, with the name that chose it."""

    name: str
    detector: Detector

    @property
    def mark(self) -> str:
        """What a figure carries behind its metric's name, since two identifiers' figures do not compare: "" for the
        built-in one, else a short name and the start of the file's fingerprint, for a name may come to mean another
        file. Raises MissingError where the file is gone.
        """
        if self.name == BUILTIN:
            return ""
        found = reference(self.name, "identifier")
        label = found.known.name if found.known else Path(found.model).name
        signs = "".join(PLAIN.findall(label))[:LABEL_LIMIT]
        return f"{signs}~{fingerprint('identifier', self.detector.identity)[:MARK]}"


def identifier_choice(home: Path) -> IdentifierChoice:
    """The identifier in use, here or not. Raises UsageError for a settings.yaml that cannot be used."""
    if named := settings.named_identifier():
        return IdentifierChoice(named, "environment")
    found = _choices(home)
    return IdentifierChoice(BUILTIN, "default") if found is None else IdentifierChoice(found.identifier, "workspace")


def identifier(home: Path) -> Detector:
    """The identifier in use; it loads when it is first asked. Raises what `in_use` raises."""
    return identifier_in_use(home).detector


def identifier_in_use(home: Path) -> IdentifierInUse:
    """The identifier in use, by its name.

    Raises MissingError where its file is not here, UsageError where its name means nothing: no other is taken.
    """
    now = identifier_choice(home)
    if now.name == BUILTIN:
        return IdentifierInUse(BUILTIN, Detector())
    found = _reference(now.name, now.whose)
    path = _path(found, home)
    if path is None:
        bringing = f"bring it ({bring(found.known, home)})" if found.known else "put its file back"
        raise MissingError(
            f"The language identifier “{_shown(now.name)}”{now.whose} is not on this machine: {bringing} or go back to "
            f"the built-in one ({now.way_out})."
        )
    return IdentifierInUse(now.name, Detector(path))


def choose(home: Path, name: str) -> str:
    """Makes the identifier called `name` the workspace's, atomically; returns the name as it is kept.

    It tells one sentence first. Raises UsageError, MissingError, or DataError for a file that is no identifier.
    """
    path = file_of(name, home)
    Detector(path).detect(TRIED)
    kept = BUILTIN
    if path is not None:
        known = _reference(name).known
        # Whole, so that it is the same file from whatever folder it is asked for.
        kept = known.name if known else f"fasttext:{path.absolute()}"
    changed = (_choices(home) or Choices()).model_copy(update={"identifier": kept})
    atomic.write_text(home / FILE, FORM.write(changed, ["What this workspace uses."]))
    return kept


def file_of(name: str, home: Path) -> Path | None:
    """The file of the identifier called `name`; None for the built-in one.

    Raises UsageError for a name that means nothing, MissingError with the command that brings the file.
    """
    if name.strip() == BUILTIN:
        return None
    found = _reference(name)
    path = _path(found, home)
    if path is None:
        if found.known is None:
            raise MissingError(f"There is no language identification file “{_shown(found.model)}”: check its path.")
        raise MissingError(
            f"The language identifier “{_shown(name)}” is not on this machine. Type: {bring(found.known, home)}"
        )
    return path


def known_file(model: Model, home: Path) -> Path | None:
    """The file of a known identifier where it was downloaded: in the hub's cache, or in the workspace."""
    if model.url:
        path = home / FOLDER / model.model
        return path if path.is_file() else None
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(model.model, str(model.defaults.get("file", "model.bin")), revision=model.revision)
    return Path(found) if isinstance(found, str) else None


def bring(model: Model, home: Path) -> str:
    """The command that brings a known identifier."""
    if model.url:
        return f"curl -fL --create-dirs -o {shlex.quote(str(home / FOLDER / model.model))} {model.url}"
    return f"python -m workbench models download {model.name}"


def _choices(home: Path) -> Choices | None:
    path = home / FILE
    return FORM.read_file(path) if path.exists() else None


def _path(found: Reference, home: Path) -> Path | None:
    if found.known is not None:
        return known_file(found.known, home)
    path = Path(found.model).expanduser()
    return path if path.is_file() else None


def _reference(name: str, whose: str = "") -> Reference:
    try:
        return reference(name, "identifier")
    except UsageError as error:
        names = [BUILTIN, *(model.name for model in known_models() if model.role == "identifier")]
        hint = "Or a fastText file: fasttext:/models/lid.176.bin"
        raise unknown(f"language identifier{whose}", name, names, hint) from error


def _shown(name: str) -> str:
    return shorten(name, LONGEST)
