"""Language models that were tuned in a workspace, as components: `tuned:NAME`.

Each is a folder `tuned/NAME/` with its weights, safetensors only, and its card, which is written last and atomically:
no card, no model. A tuning by LoRA has the adapter alone and is used with the base that it was tuned on; a full one has
all weights.
"""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, ValidationError

from workbench.core import DataError, Generator, MissingError, UsageError, fingerprint, shorten, unknown_name
from workbench.data import checked_name
from workbench.models import HuggingFaceGenerator, merge_adapter
from workbench.workspace import DamagedFile, check_files, checksums, verb, write_text

TUNED, CARD = "tuned", "card.json"
"""The adapter's name, which is also the folder's in the workspace; and the card's name in a model's folder."""
WEIGHTS = ("*.safetensors", "*config.json")
"""The files by which a base is known again."""


class CurvePoint(BaseModel):
    """The loss after a step: of the step's demonstrations, or of the held-out ones. `seconds` since the beginning."""

    model_config = ConfigDict(frozen=True)
    step: int
    epoch: float
    loss: float
    seconds: float


class TrainingData(BaseModel):
    """What a model was tuned on: the file by its SHA-256, and counts of demonstrations.

    `count` were trained on, in `groups` groups, and `holdout` were not, in `holdout_groups` others. Left out were those
    that are `too_long`, `unshared` ones by the share, and `other_kinds`.
    """

    model_config = ConfigDict(frozen=True)
    sha256: str
    count: int
    groups: int
    holdout: int
    holdout_groups: int
    too_long: int
    unshared: int
    other_kinds: int
    tokens: int
    by_kind: Mapping[str, int]
    by_language: Mapping[str, int]
    datasets: tuple[str, ...]
    licences: tuple[str, ...]


class TrainingRecord(BaseModel):
    """What a training used and how it went.

    `parameters` counts weights, `trained` those of them that were trained; `machine` and `packages` are words, `memory`
    is the highest in bytes.
    """

    model_config = ConfigDict(frozen=True)
    data: TrainingData
    parameters: int
    trained: int
    training: tuple[CurvePoint, ...]
    holdout: tuple[CurvePoint, ...]
    seconds: float
    machine: str
    packages: str
    memory: int


class TunedCard(TrainingRecord):
    """The card of a tuned model: its training, and what it was made of, by whom and when.

    `base` is the base's name as a component; `base_files` are the checksums of its files then, `files` those of this
    model's. `settings` are those of the tuning, `departures` sentences on where they differ from the paper's. `created`
    is ISO 8601 in UTC.
    """

    name: str
    base: str
    base_files: Mapping[str, str]
    method: Literal["lora", "full"]
    settings: Mapping[str, Any]
    departures: tuple[str, ...]
    author: str
    created: str
    files: Mapping[str, str]

    @property
    def reference(self) -> str:
        """The name by which recipes use the model."""
        return f"{TUNED}:{self.name}"

    @property
    def summary(self) -> str:
        """What it is in a sentence."""
        losses = [point.loss for point in self.holdout]
        fall = f"; held-out loss {losses[0]:.3f} → {losses[-1]:.3f}" if losses else ""
        how = "LoRA" if self.method == "lora" else "all weights"
        return f"{self.base} tuned on {self.data.count:,} demonstrations ({how}){fall}."


@dataclass(frozen=True, slots=True)
class TunedModels:
    """The tuned models of the workspace in `home`; `make` makes the generator of a name, for their bases."""

    home: Path
    make: Callable[[str], Generator] = field(compare=False)

    def folder(self, name: str) -> Path:
        """The folder of a model, there or not. Raises UsageError for what cannot be a name."""
        return self.home / TUNED / checked_name(name, "model")

    def names(self) -> list[str]:
        """The names of all models, sound or not."""
        return sorted(path.parent.name for path in (self.home / TUNED).glob(f"[!.]*/{CARD}"))

    def cards(self) -> list[TunedCard]:
        """The cards of all models, the newest first; those that cannot be read are left out."""
        return tuned_cards(self.home)

    def present(self, name: str) -> Path:
        """The folder of a model that is there, sound or not. Raises UsageError for a name that no model has."""
        folder = self.folder(name)
        if not (folder / CARD).exists():
            raise unknown_name("tuned model", name, self.names(), command="See them: mrag tuned list")
        return folder

    def card(self, name: str) -> TunedCard:
        """The card of a model. Raises UsageError for a name that no model has, DataError for a damaged card."""
        return _card(self.present(name))

    def check_free(self, name: str) -> None:
        """Raises UsageError for the name of a model that is there."""
        if (self.folder(name) / CARD).exists():
            raise UsageError(f"There is a tuned model “{name}” already: type another name, or delete that model first.")

    @verb("models.tune", "{card.name}")
    def store(self, card: TunedCard, weights: Path) -> None:
        """Makes the folder `weights`, in this workspace, the model of the card. Raises UsageError for a name in use."""
        self.check_free(card.name)
        write_text(weights / CARD, card.model_dump_json(indent=1))
        folder = self.folder(card.name)
        folder.parent.mkdir(exist_ok=True)
        weights.rename(folder)

    @verb("models.tune", "{name}")
    def delete(self, name: str) -> None:
        """Removes a model. Raises UsageError for a name that no model has."""
        folder = self.present(name)
        leaving = folder.rename(folder.with_name(f".{uuid4().hex}"))
        shutil.rmtree(leaving, ignore_errors=True)

    def generator(self, name: str) -> HuggingFaceGenerator:
        """The model, ready to be loaded. Raises UsageError, MissingError where its base is not the one it was."""
        return _generator(self, name, tuned_version(self.home, name))

    @verb("screens.look")
    def archive(self, name: str) -> bytes:
        """A model's files with its card as a ZIP file."""
        self.card(name)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as file:
            for path in sorted(self.folder(name).iterdir()):
                file.write(path, f"{name}/{path.name}")
        return buffer.getvalue()

    def base(self, name: str) -> HuggingFaceGenerator:
        """The language model `name` on this machine, which can be tuned.

        Raises UsageError for one that cannot, MissingError for one that is not on this machine.
        """
        base = self.make(name)
        if not isinstance(base, HuggingFaceGenerator) or base.is_adapted:
            raise UsageError(
                f"“{shorten(name)}” cannot be tuned: type a language model whose weights are on this machine, such as "
                "smollm2 or huggingface:FOLDER. A model that was tuned by LoRA is one once it is exported merged."
            )
        if base.files.folder.is_file():
            raise UsageError(
                f"“{shorten(name)}” is a GGUF file, whose packed weights cannot be trained: type huggingface: and the "
                "folder of the model's own checkpoint."
            )
        return base

    def export(self, name: str, target: Path, *, merged: bool) -> None:
        """Copies a model with its card to the new folder `target`; `merged`: one checkpoint, base and adapter in one.

        Raises UsageError where the target exists, and as `generator` does.
        """
        card = self.card(name)
        if target.exists():
            raise UsageError(f"“{shorten(target)}” exists already: type the path of a new folder.")
        part = target.absolute().with_name(f".{uuid4().hex}.part")
        try:
            if merged and card.method == "lora":
                self.generator(name)  # checks the files of both
                merge_adapter(self.base(card.base).files, self.folder(name), part)
                write_text(part / CARD, card.model_dump_json(indent=1))
            else:
                shutil.copytree(self.folder(name), part)
            part.rename(target)
        except OSError as error:
            raise UsageError(f"“{shorten(target)}” cannot be written ({error.strerror}): type another path.") from error
        finally:
            shutil.rmtree(part, ignore_errors=True)


def base_files(base: HuggingFaceGenerator) -> dict[str, str]:
    """The checksums by which a base is known again."""
    folder = base.files.folder
    return checksums(folder, {path for pattern in WEIGHTS for path in folder.glob(pattern)})


def tuned_cards(home: Path) -> list[TunedCard]:
    """The cards of a workspace's tuned models, the newest first; those that cannot be read are left out."""
    cards = []
    for path in (home / TUNED).glob(f"[!.]*/{CARD}"):
        with suppress(DataError):
            cards.append(_card(path.parent))
    return sorted(cards, key=lambda card: card.created, reverse=True)


def tuned_version(home: Path, name: str) -> str:
    """Changes whenever the tuned model of this name does; "" where there is none. Raises UsageError, DataError."""
    folder = home / TUNED / checked_name(name, "model")
    return fingerprint("tuned model", dict(_card(folder).files)) if (folder / CARD).exists() else ""


def _card(folder: Path) -> TunedCard:
    try:
        return TunedCard.model_validate_json((folder / CARD).read_bytes())
    except (ValidationError, OSError) as error:
        raise DataError(
            f"The card of the tuned model “{folder.name}” cannot be read: delete the model and tune it again."
        ) from error


@lru_cache(maxsize=4)
def _generator(models: TunedModels, name: str, version: str) -> HuggingFaceGenerator:
    card, folder = models.card(name), models.folder(name)
    _check(folder, card.files, f"The tuned model “{name}” is damaged", "delete it and tune it again")
    if card.method == "full":
        return HuggingFaceGenerator(str(folder))
    base = models.base(card.base)
    changed = f"The base of the tuned model “{name}”, {card.base}, is not as it was when it was tuned"
    _check(base.files.folder, card.base_files, changed, "bring that back, or tune it again")
    return base.with_adapter(folder, version)


def _check(folder: Path, files: Mapping[str, str], problem: str, remedy: str) -> None:
    try:
        check_files(folder, files)
    except DamagedFile as error:
        raise MissingError(f"{problem} ({error}): {remedy}.") from error
