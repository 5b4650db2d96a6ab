"""What a language model is asked to expand a question or to compress documents, by language: `prompts/<code>.yaml`.

Five prompts, each a system text and a user's turn. A language without a file gets the English texts, with its name in
them, and a note that says so. Checked when they are loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from workbench.core import fingerprint
from workbench.languages import ENGLISH, language
from workbench.workspace import READERS, Block, fill, language_blocks

NOTHING = "NONE"
"""The whole reply, in every language, where there is nothing to split or nothing that bears on the question."""
TURNS: Mapping[str, tuple[str, ...]] = {
    "decompose": ("question",),
    "hyde": ("question",),
    "multi_query": ("question",),
    "summarize": ("documents", "question"),
    "refine": ("notes", "documents", "question"),
}
"""The prompts, with the placeholders of each user's turn."""
COUNTED = ("decompose", "multi_query")
"""Those whose system text has the number of questions that are asked for."""
MAY_BE_NOTHING = ("decompose", "summarize", "refine")


@dataclass(frozen=True, slots=True)
class RewritingTexts:
    """The prompts of one language: `systems` and `turns` by name. `language` is the language that they ask for."""

    language: str
    written_in: str
    systems: Mapping[str, str]
    turns: Mapping[str, str]

    def system(self, name: str, count: int = 0) -> str:
        """The system text of a prompt. `count`: how many questions it asks for, where it asks for several."""
        return fill(self.systems[name], {"language": language(self.language).name, "count": str(count)})

    @property
    def note(self) -> str:
        """A sentence where the prompts are not in the language that they ask for, else ""."""
        if self.written_in == self.language:
            return ""
        return f"The prompt is in English, since there is none in {language(self.language).name}."


@dataclass(frozen=True, slots=True)
class RewritingCatalogue:
    """The prompts of every language that has some. `identity` changes whenever any text does."""

    blocks: Mapping[str, RewritingTexts]
    identity: str

    def texts(self, code: str) -> RewritingTexts:
        """The prompts that ask for a language, in English where it has none."""
        if code in self.blocks:
            return self.blocks[code]
        english = self.blocks[ENGLISH]
        return RewritingTexts(code, ENGLISH, english.systems, english.turns)


def load_rewriting_texts(folder: Traversable) -> RewritingCatalogue:
    """The prompts in a folder.

    Raises DataError, one sentence with the file's name, for the first thing that is missing, unknown or misspelt.
    """
    blocks = language_blocks(folder, "questions are expanded and documents compressed in")
    values = fingerprint("rewriting", {code: block.values for code, block in blocks.items()})
    return RewritingCatalogue({code: _texts(block, code) for code, block in blocks.items()}, values)


@cache
def shipped_rewriting_texts() -> RewritingCatalogue:
    """The prompts that ship with the workbench, loaded once."""
    return load_rewriting_texts(files("workbench.pipeline.rewriting").joinpath("prompts"))


def _texts(block: Block, code: str) -> RewritingTexts:
    systems = {name: f"{name}_system" for name in TURNS}
    block.check_keys(("language", "reviewed_by", "provenance", *systems.values(), *TURNS))
    block.choice("reviewed_by", READERS)
    block.text("provenance")
    named = {"language": 1} if code == ENGLISH else {}
    texts = RewritingTexts(
        code,
        code,
        {name: block.text(key, named | ({"count": 1} if name in COUNTED else {})) for name, key in systems.items()},
        {name: block.text(name, dict.fromkeys(places, 1)) for name, places in TURNS.items()},
    )
    for name, key in systems.items():
        fenced = f"<<<{{{'documents' if 'documents' in TURNS[name] else 'question'}}}>>>"
        if fenced not in texts.turns[name] or not all(mark in texts.systems[name] for mark in ("<<<", ">>>")):
            raise block.error(f"“{name}” must have {fenced}, and “{key}” must name <<< and >>>")
        if name in MAY_BE_NOTHING and NOTHING not in texts.systems[name]:
            raise block.error(f"“{key}” must name the reply {NOTHING}")
    return texts
