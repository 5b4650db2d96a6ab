"""Prompt files by language: a folder of `<code>.yaml`, complete for the workbench's languages."""

from __future__ import annotations

from importlib.resources.abc import Traversable

from workbench.core import DataError
from workbench.languages import CHIRKOVA_LANGUAGES
from workbench.workspace.yaml_blocks import Block, read_block

READERS = ("authors", "native speaker")
"""Who may have read a file's texts, as its `reviewed_by` says."""


def language_blocks(folder: Traversable, need: str) -> dict[str, Block]:
    """The files of a folder by the code of their language, in the order of the codes.

    `need` says what the languages are for, for messages: “judges are asked in”. Raises DataError, one sentence with the
    file's name, for a language of Chirkova et al. (2024) without a file, and for a file that states another language.
    """
    paths = {item.name.removesuffix(".yaml"): item for item in folder.iterdir() if item.name.endswith(".yaml")}
    for code in CHIRKOVA_LANGUAGES:
        if code not in paths:
            raise DataError(f"Prompt file {code}.yaml is missing: {need} {', '.join(CHIRKOVA_LANGUAGES)}.")
    blocks = {code: read_block(paths[code]) for code in sorted(paths)}
    for code, block in blocks.items():
        if block.values.get("language", code) != code:
            raise block.error(f"“language” must be “{code}”, as the file is named")
    return blocks
