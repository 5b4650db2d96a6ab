"""The texts of the prompt families by language, checked when they are loaded: `families/<language>.yaml`.

Each file has one system text per family for a prompt with documents, and one for a prompt without (mode `baseline`).
In English `{UL}` stands where the name of the user's language goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from workbench.core import fingerprint
from workbench.languages import ENGLISH
from workbench.pipeline.prompts.variant import FAMILIES, variant
from workbench.pipeline.prompts.variant_texts import REVIEWERS
from workbench.workspace import Block, language_blocks


@dataclass(frozen=True, slots=True)
class FamilyTexts:
    """The system texts of the families in one language, by family; `reviewed_by` as in `variant_texts.Wording`."""

    reviewed_by: str
    provenance: str
    with_documents: Mapping[str, str]
    without_documents: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FamilyCatalogue:
    """All texts by language code. `identity` changes whenever any text does."""

    texts: Mapping[str, FamilyTexts]
    identity: str

    def is_reviewed(self, language: str) -> bool:
        """Whether there is a translation into a language that anybody has read."""
        return language in self.texts and self.texts[language].reviewed_by != REVIEWERS[0]

    def system(self, family: str, language: str, *, has_documents: bool) -> str:
        """The system text of a family in a language that has one."""
        texts = self.texts[language]
        return (texts.with_documents if has_documents else texts.without_documents)[family]


def load(folder: Traversable | None = None) -> FamilyCatalogue:
    """The families in `folder` (by default the ones that ship).

    Raises DataError, one sentence with the file's name, for the first thing that is missing, unknown or misspelt.
    """
    root = (files("workbench.pipeline.prompts") if folder is None else folder).joinpath("families")
    blocks = language_blocks(root, "the families are needed in")
    texts = {code: _texts(block, code) for code, block in blocks.items()}
    return FamilyCatalogue(texts, fingerprint("families", {code: block.values for code, block in blocks.items()}))


@cache
def shipped() -> FamilyCatalogue:
    """The families that ship with the workbench, loaded once."""
    return load()


def _texts(block: Block, code: str) -> FamilyTexts:
    block.check_keys(("language", "reviewed_by", "provenance", "with_documents", "without_documents"))
    return FamilyTexts(
        block.choice("reviewed_by", REVIEWERS),
        block.text("provenance"),
        _systems(block.block("with_documents"), code),
        _systems(block.block("without_documents"), code),
    )


def _systems(block: Block, code: str) -> dict[str, str]:
    block.check_keys(FAMILIES)
    return {
        family: block.text(family, {"UL": 1} if code == ENGLISH and variant(family).asks_answer_in == "ul" else {})
        for family in FAMILIES
    }
