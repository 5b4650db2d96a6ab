"""The catalogue of prompts: every wording in every language, checked when it is loaded.

`variants/<language>.yaml` holds what is said in a language, `templates/rag.yaml` how a prompt is laid out. The
variants whose prompt language is English lie in `en.yaml` alone, with `{UL}` where the language's English name goes;
there the `-ul` variants serve as the fallback for languages without a checked translation too.
Another language is added by a file: nothing else needs to change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from workbench.errors import DataError
from workbench.identity import fingerprint
from workbench.languages import ENGLISH, S1_LANGUAGES, language
from workbench.prompts.variant import VARIANTS, Variant
from workbench.storage.yaml_blocks import Block, read

LABELS = ("instructions", "evidence", "question", "answer")
LABEL_PLACEHOLDERS = {f"{label}_label": 1 for label in LABELS}


@dataclass(frozen=True, slots=True)
class Labels:
    """The headings of a prompt's blocks, as printed: hash, colon and the spacing that the language wants included."""

    instructions: str
    evidence: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Wording:
    """What the prompts say in one language. `systems` maps a variant's name to its system text; `checked` says that
    the authors of the file have reviewed it; `instruction` asks to answer from the evidence.
    """

    language: str
    checked: bool
    provenance: str
    systems: Mapping[str, str]
    labels: Labels
    instruction: str


@dataclass(frozen=True, slots=True)
class RagTemplate:
    """How a RAG prompt's user text is laid out, and a document in it with a title and without."""

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

    def wording(self, chosen: Variant, ul: str) -> tuple[Wording, str]:
        """The wording that the variant uses for the user's language, and a sentence where that is a fallback
        to English ("" where it is not).
        """
        english = self.wordings[ENGLISH]
        if chosen.prompt_language == "en":
            return english, ""
        own = self.wordings.get(ul)
        if own is not None and own.checked:
            return own, ""
        name = language(ul).name
        return english, f"The prompt is in English: “{chosen.name}” has no checked translation into {name}."


def load(folder: Traversable | None = None) -> Catalogue:
    """The catalogue in `folder` (by default the one that the workbench carries).

    Raises DataError, one sentence with the file's name, for the first thing that is missing, unknown or misspelt.
    """
    root = files("workbench.prompts") if folder is None else folder
    blocks = {
        file.name.removesuffix(".yaml"): read(file)
        for file in sorted(root.joinpath("variants").iterdir(), key=lambda file: file.name)
        if file.name.endswith(".yaml")
    }
    for code in S1_LANGUAGES:
        if code not in blocks:
            raise DataError(
                f"Prompt file {code}.yaml is missing: the variants are needed in {', '.join(S1_LANGUAGES)}."
            )
    template = read(root.joinpath("templates").joinpath("rag.yaml"))
    wordings = {code: _wording(block, code) for code, block in blocks.items()}
    seen = {block.where: block.values for block in (*blocks.values(), template)}
    return Catalogue(wordings, _rag_template(template), fingerprint("prompts", seen))


@cache
def shipped() -> Catalogue:
    """The workbench's own catalogue, loaded once."""
    return load()


def _wording(block: Block, code: str) -> Wording:
    block.only(("language", "checked", "provenance", "system", "labels", "instruction"))
    if block.text("language") != code:
        raise block.fault(f"“language” must be “{code}”, as the file is named")
    systems = block.block("system")
    names = [item.name for item in VARIANTS if code == ENGLISH or item.prompt_language == "ul"]
    systems.only(names)
    labels = block.block("labels")
    labels.only(LABELS)
    return Wording(
        language=code,
        checked=block.flag("checked"),
        provenance=block.text("provenance"),
        systems={item.name: systems.text(item.name, _places(item, code)) for item in VARIANTS if item.name in names},
        labels=Labels(*(labels.text(label) for label in LABELS)),
        instruction=block.text("instruction"),
    )


def _places(item: Variant, code: str) -> Mapping[str, int]:
    """How often the system text holds `{UL}`: in English wherever the paper does; elsewhere the language's name is
    part of the sentence (“Vastaa suomeksi.”), so never.
    """
    times = (item.asks_answer_in == "ul") + item.asks_entities
    return {"UL": times} if code == ENGLISH and times else {}


def _rag_template(block: Block) -> RagTemplate:
    block.only(("source", "with_documents", "without_documents", "document", "untitled"))
    asked = {"question_label": 1, "question": 1, "answer_label": 1}
    return RagTemplate(
        with_documents=block.text("with_documents", {**LABEL_PLACEHOLDERS, **asked, "instruction": 1, "documents": 1}),
        without_documents=block.text("without_documents", asked),
        document=block.text("document", {"number": 1, "title": 1, "text": 1}),
        untitled=block.text("untitled", {"number": 1, "text": 1}),
    )
