"""What is checked of an answer before it demonstrates anything, and the texts of the judge.

Source: Ranaldi et al. (2025, D-RAG), section 2.5.2 and Appendix D: first the final answer must be a gold answer by
strict exact match, then a judge decides whether the response gives the target and follows the instructions. Strict
means that the final answer is a gold answer after the normalisation of SQuAD (`metrics.em`), where the accuracy of the
paper's tables is flexible: a gold answer need only be contained.

Citations are checked without a model. Every document that is named by its number must be among the documents. Every
quotation of QUOTED letters or more must stand in a document that its line names, in any document where the line names
none, or in the question: its words, folded, with a rapidfuzz partial ratio of at least BORNE; pieces between ellipses
are looked up one by one. A quotation that stands in no document, in a language that none of those named is in, may be
a translation, which letters cannot check: it passes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

import regex

from workbench.core import Evidence, Prompt, Task, without_thinking
from workbench.languages import DENSE, language, words
from workbench.metrics import em, verdict_in
from workbench.pipeline import format_failure, instructions_of, parse
from workbench.workspace import fill, read_block

FilterName = Literal["nothing found", "format", "wrong", "citations", "instructions", "unjudged"]
FILTERS: Mapping[FilterName, str] = {
    "nothing found": "no document was found that bears on the question",
    "format": "the answer does not have the form that was asked for",
    "wrong": "the final answer is not a gold answer",
    "citations": "it cites what is not there",
    "instructions": "the judge says that it does not give the target or does not follow the instructions",
    "unjudged": "the judge gave no verdict",
}
"""Each filter, and why it holds a demonstration back."""
Problem = tuple[FilterName, str]
QUOTED, QUOTED_DENSE, BORNE = 20, 8, 90.0
"""Letters of the shortest quotation that is looked up, fewer in Chinese and Japanese; the least ratio in [0, 100]."""

CITED = regex.compile(r"\[\s*(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\s*\]")
NAMED = regex.compile(r"\b(?:Ref(?:erence)?|Doc(?:ument)?)s?\.?\s*(\d{1,3})\b", regex.IGNORECASE)
RANGE = regex.compile(r"(\d+)\s*[–-]\s*(\d+)")
QUOTATION = regex.compile(r"“([^”\n]+)”|„([^“”\n]+)[“”]|«([^»\n]+)»|「([^」\n]+)」|『([^』\n]+)』|\"([^\"\n]+)\"")
ELLIPSIS = regex.compile(r"\[?(?:…|\.\.\.)\]?")
DENSE_LETTER = regex.compile(f"[{DENSE}]")


@cache
def _texts() -> Mapping[str, str]:
    shape = {"source": "", "judge_system": "", "judge": "response target instructions", "translate": "language"}
    return read_block(files("workbench.jobs.demonstrations").joinpath("texts.yaml")).checked(shape)


def translation_instruction(source: str) -> str:
    """What asks for an English translation of a text in the language `source`."""
    return fill(_texts()["translate"], {"language": language(source).name})


def judge_prompt(prompt: Prompt, response: str, answers: Sequence[str]) -> Prompt:
    """What a judge is asked about a response to `prompt`; any of the gold answers is its target."""
    values = {"response": response, "target": " | ".join(answers), "instructions": instructions_of(prompt)}
    user = fill(_texts()["judge"], values)
    return Prompt(_texts()["judge_system"], user, Task("", ""))


def verdict_problem(reply: str) -> Problem | None:
    """Why a judge's reply does not accept the response, None where it does."""
    verdict = verdict_in(without_thinking(reply))
    if verdict is None:
        return "unjudged", f"The reply was: “{reply.strip()[:200]}”." if reply.strip() else "The reply was empty."
    return None if verdict else ("instructions", "It answered 0.")


def answer_problem(text: str, parts: Sequence[str], answers: Sequence[str], text_language: str) -> Problem | None:
    """Why a text is not the answer that was asked for, None where it is; `parts` are D-RAG's, () for plain RAG."""
    sections = parse(text)
    if parts and (failure := format_failure(sections)):
        return "format", failure
    if not em(sections.answer, answers, language=language(text_language)).value:
        return "wrong", f"It is “{sections.answer[:200]}”, and the gold answer “{answers[0]}”."
    missing = [part for part in parts if not getattr(sections, part)]
    return ("format", f"It lacks the part “{missing[0]}”.") if missing else None


def problem_sentence(problem: Problem) -> str:
    """Why a demonstration is held back, in words."""
    name, detail = problem
    sentence = FILTERS[name]
    return f"{sentence[0].upper()}{sentence[1:]}. {detail}".strip()


def citation_problem(
    text: str, question: str, evidence: Sequence[Evidence], identify: Callable[[str, Sequence[str]], str]
) -> Problem | None:
    """What a text cites that is not there, None where every citation and quotation holds."""
    by_rank = {item.rank: item for item in evidence}
    languages = sorted({"en", *(item.language for item in evidence)})
    for line in unicodedata.normalize("NFC", text).splitlines():
        # A quotation may hold brackets of its document's, which cite nothing here.
        cited = cited_numbers(QUOTATION.sub(" ", line))
        if unknown := [number for number in cited if number not in by_rank]:
            return "citations", f"It cites [{unknown[0]}]; the last document is [{len(by_rank)}]."
        sources = [by_rank[number] for number in cited] or list(evidence)
        for piece in _quotations(line):
            holders = [item for item in evidence if _is_in(piece, [item.title, item.text])]
            if any(item in sources for item in holders) or _is_in(piece, [question]):
                continue
            if holders or identify(piece, languages) in {item.language for item in sources}:
                named = ", ".join(f"[{number}]" for number in cited) or "No document"
                return "citations", f"{named} {'do' if len(cited) > 1 else 'does'} not say “{piece[:200]}”."
    return None


def cited_numbers(line: str) -> list[int]:
    """The documents that a line names by their numbers, in order.

    >>> cited_numbers("Documents [1, 3] and Ref [5-7] differ from document 2.")
    [1, 3, 5, 6, 7, 2]
    """
    listed = ",".join([*CITED.findall(line), *NAMED.findall(line)])
    spread = RANGE.sub(lambda match: ",".join(map(str, range(int(match[1]), int(match[2]) + 1))), listed)
    return list(dict.fromkeys(int(number) for number in regex.findall(r"\d+", spread)))


def _quotations(line: str) -> list[str]:
    quoted = ["".join(groups) for groups in QUOTATION.findall(line)]
    pieces = [piece.strip() for quotation in quoted for piece in ELLIPSIS.split(quotation)]
    return [piece for piece in pieces if len(piece) >= (QUOTED_DENSE if DENSE_LETTER.search(piece) else QUOTED)]


def _is_in(piece: str, texts: Sequence[str]) -> bool:
    from rapidfuzz.fuzz import partial_ratio

    sought, read = (" ".join(words(text)) for text in (piece, " ".join(texts)))
    # The shorter text is looked for in the longer one, whichever it is.
    return sought in read or (len(sought) <= len(read) and partial_ratio(sought, read) >= BORNE)
