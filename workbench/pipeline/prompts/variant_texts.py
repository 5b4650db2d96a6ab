"""The catalogue of prompts: every wording in every language, checked when it is loaded.

`variants/<language>.yaml` has the texts in a language, `templates/rag.yaml` the layout of a prompt. The variants whose
prompt language is English are in `en.yaml` alone, with `{UL}` where the language's English name goes; its `-ul`
variants also are the fallback for languages without a reviewed translation. Another language is added by a file:
nothing else needs to change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from workbench.core import fingerprint
from workbench.languages import ENGLISH, language
from workbench.pipeline.prompts.variant import VARIANTS, Variant
from workbench.workspace import READERS, Block, language_blocks, read_block

LABELS = ("instructions", "evidence", "question", "answer")
REVIEWERS = ("nobody", *READERS)
"""Who has read a translation: a text that nobody has read is not used."""
LABEL_PLACEHOLDERS = {f"{label}_label": 1 for label in LABELS}


@dataclass(frozen=True, slots=True)
class Labels:
    """The headings of a prompt's blocks, as printed, with hash, colon and the spacing that the language requires."""

    instructions: str
    evidence: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of the prompts in one language.

    `systems` maps a variant's name to its system text; `reviewed_by` is one of `REVIEWERS`; `instruction` asks to
    answer from the evidence.
    """

    language: str
    reviewed_by: str
    provenance: str
    systems: Mapping[str, str]
    labels: Labels
    instruction: str

    @property
    def is_reviewed(self) -> bool:
        """Whether anybody has read it."""
        return self.reviewed_by != REVIEWERS[0]


@dataclass(frozen=True, slots=True)
class RagTemplate:
    """The layout of a RAG prompt's user text, and of a document in it with a title and without."""

    with_documents: str
    without_documents: str
    document: str
    untitled: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All wordings by language code. `identity` changes whenever any text does, for the cache."""

    wordings: Mapping[str, Wording]
    rag: RagTemplate
    identity: str

    def wording(self, item: Variant, ul: str) -> tuple[Wording, str]:
        """The wording of a variant for the user's language, and a sentence where that is a fallback to English.

        The sentence is "" where it is not a fallback.
        """
        english = self.wordings[ENGLISH]
        if item.prompt_language == "en":
            return english, ""
        translated = self.wordings.get(ul)
        if translated is not None and translated.is_reviewed:
            return translated, ""
        return english, fallback_note(item, ul)


def fallback_note(item: Variant, ul: str) -> str:
    """The sentence where a prompt is in English for lack of a reviewed translation."""
    return f"The prompt is in English: “{item.name}” has no reviewed translation into {language(ul).name}."


def load(folder: Traversable | None = None) -> Catalogue:
    """The catalogue in `folder` (by default the one that ships).

    Raises DataError, one sentence with the file's name, for the first thing that is missing, unknown or misspelt.
    """
    root = files("workbench.pipeline.prompts") if folder is None else folder
    blocks = language_blocks(root.joinpath("variants"), "the variants are needed in")
    template = read_block(root.joinpath("templates").joinpath("rag.yaml"))
    wordings = {code: _wording(block, code) for code, block in blocks.items()}
    content = {block.where: block.values for block in (*blocks.values(), template)}
    return Catalogue(wordings, _rag_template(template), fingerprint("prompts", content))


@cache
def shipped() -> Catalogue:
    """The catalogue that ships with the workbench, loaded once."""
    return load()


def _wording(block: Block, code: str) -> Wording:
    block.check_keys(("language", "reviewed_by", "provenance", "system", "labels", "instruction"))
    systems = block.block("system")
    names = [item.name for item in VARIANTS if code == ENGLISH or item.prompt_language == "ul"]
    systems.check_keys(names)
    labels = block.block("labels")
    labels.check_keys(LABELS)
    return Wording(
        language=code,
        reviewed_by=block.choice("reviewed_by", REVIEWERS),
        provenance=block.text("provenance"),
        systems={item.name: systems.text(item.name, _places(item, code)) for item in VARIANTS if item.name in names},
        labels=Labels(*(labels.text(label) for label in LABELS)),
        instruction=block.text("instruction"),
    )


def _places(item: Variant, code: str) -> Mapping[str, int]:
    """How often the system text holds `{UL}`.

    In English wherever the paper does; elsewhere never, as the language's name is part of the sentence (“Vastaa
    suomeksi.”).
    """
    times = (item.asks_answer_in == "ul") + item.asks_entities
    return {"UL": times} if code == ENGLISH and times else {}


def _rag_template(block: Block) -> RagTemplate:
    block.check_keys(("source", "with_documents", "without_documents", "document", "untitled"))
    question = {"question_label": 1, "question": 1, "answer_label": 1}
    evidence = {**LABEL_PLACEHOLDERS, **question, "instruction": 1, "documents": 1}
    return RagTemplate(
        with_documents=block.text("with_documents", evidence),
        without_documents=block.text("without_documents", question),
        document=block.text("document", {"number": 1, "title": 1, "text": 1}),
        untitled=block.text("untitled", {"number": 1, "text": 1}),
    )
