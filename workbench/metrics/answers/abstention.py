"""Abstention: does a system keep silent where the documents have no answer, and only there?

Source: Thakur et al. (2024, NoMIRACL): of the questions without a relevant passage, the share that is answered all the
same is the hallucination rate; of those with one, the share on which the system abstains is the error rate.  Both are
in [0, 1], and lower is better.  `hallucination` is scored for unanswerable questions alone (`Question.unanswerable`),
`abstention_error` for all others that have a gold answer.

An answer is an abstention where it is empty, and where it does nothing but say that there is no answer, in any of the
thirteen languages of Chirkova et al. (2024), whatever language it should be in: `abstentions.yaml` lists the wordings.
Clause by clause, all of it must be such a statement, an apology, the question in other words or similar; "I don't know,
but it may be Marconi" is an answer.  What a wording is not listed for counts as an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import regex

from workbench.languages import answer_form, fold, fold_letters, language, script_shares
from workbench.metrics.measure import Case, Measure, Score, per_case
from workbench.workspace import Block, read_block

JOINED = ("zh", "ja", "ko", "th")
"""Languages in whose clauses and patterns spaces do not count."""
LONGEST_ANSWER, LONGEST_CLAUSE = 1_200, 240
"""Characters; what is longer is an answer."""
ANSWERABLE = Score(None, "The question is not marked as unanswerable.")
NOT_KNOWN = Score(None, "The question has no gold answer, so whether it can be answered is not known.")

SILENT = regex.compile(r"[\p{P}\p{Z}\p{C}]*")
QUOTED = regex.compile(r"“[^“”]{1,200}”|\"[^\"]{1,200}\"|«[^«»]{1,200}»|「[^「」]{1,200}」|『[^『』]{1,200}』")
CITED = regex.compile(r"\[[0-9 ,;]{1,20}\]|\([0-9 ,;]{1,20}\)")
CLAUSE_END = regex.compile(
    r"[.!?…]+(?=[\s*_\"'”’»)\]]|$)|[,;:](?=\s|$)|[。！？!?；：:，、،؛؟\n]|\s[-–—]+\s|—|(?<=\))|(?=\()"
)
NOT_WORD = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
REFERENCE = regex.compile(r"<(\w+)>")


@dataclass(frozen=True, slots=True)
class _Wording:
    """The patterns of one language over folded clauses (see `abstentions.yaml`)."""

    scripts: frozenset[str]
    joined: bool
    openings: regex.Pattern[str]
    turns: regex.Pattern[str]
    abstentions: regex.Pattern[str]
    asides: regex.Pattern[str]

    def says(self, clause: str) -> str:
        """What a clause is: "abstention", "aside", or "" where it may be an answer."""
        text = clause.replace(" ", "") if self.joined else clause
        opening = self.openings.match(text)
        rest = text[opening.end() :].strip() if opening else text
        if not rest:
            return "aside"
        if self.turns.search(rest):
            return ""
        if self.abstentions.fullmatch(rest) or self.abstentions.fullmatch(text):
            return "abstention"
        return "aside" if self.asides.fullmatch(rest) else ""


def abstains(answer: str) -> bool:
    """Whether an answer says nothing but that there is no answer, in any of the thirteen languages; or is empty.

    >>> abstains("I'm sorry, the documents don't say who invented it."), abstains("Ich weiß es nicht."), abstains("")
    (True, True, True)
    >>> abstains("I don't know, but it may be Marconi."), abstains("Marconi")
    (False, False)
    """
    if SILENT.fullmatch(answer):
        return True
    if len(answer) > LONGEST_ANSWER:
        return False
    is_abstention = False
    for part in CLAUSE_END.split(QUOTED.sub(" q ", CITED.sub(" ", answer))):
        if clause := _folded(part).strip():
            kind = _kind(clause) if len(clause) <= LONGEST_CLAUSE else ""
            if not kind:
                return False
            is_abstention = is_abstention or kind == "abstention"
    return is_abstention


def hallucination(case: Case) -> Score:
    """1.0 where an unanswerable question is answered, 0.0 where the answer abstains; unscored for other questions."""
    return Score(float(not abstains(case.prediction))) if case.unanswerable else ANSWERABLE


def abstention_error(case: Case) -> Score:
    """1.0 where an answerable question is not answered, else 0.0; unscored without a gold answer.

    An answer that is a gold answer is one, even where it reads like an abstention ("unknown").
    """
    if not case.answers:
        return NOT_KNOWN
    if not abstains(case.prediction):
        return Score(0.0)
    form = answer_form(case.prediction, case.language)
    return Score(float(not form or form not in {answer_form(gold, case.language) for gold in case.answers}))


@lru_cache(maxsize=1 << 14)
def _kind(clause: str) -> str:
    """What a folded clause is in any language of its script: an abstention rather than an aside."""
    scripts = script_shares(clause).keys()
    kinds = {item.says(clause) for item in _wordings().values() if not item.scripts.isdisjoint(scripts)}
    return "abstention" if "abstention" in kinds else "aside" if "aside" in kinds else ""


def _folded(text: str) -> str:
    return NOT_WORD.sub(" ", fold_letters(fold(text)))


@cache
def _wordings() -> Mapping[str, _Wording]:
    """The wordings by language. Raises DataError."""
    block = read_block(files("workbench.metrics.answers").joinpath("abstentions.yaml"))
    return {str(code): _wording(block.block(str(code)), str(code)) for code in block.values}


def _wording(block: Block, code: str) -> _Wording:
    block.check_keys(("words", "openings", "turns", "abstentions", "asides"))
    words = block.block("words")
    joined = code in JOINED
    names = {str(name): words.text(str(name)) for name in words.values}

    def pattern(key: str, *, whole_words: bool = False) -> str:
        filled = [REFERENCE.sub(lambda match: f"({names[match[1]]})", item) for item in block.texts(key)]
        alternatives = "|".join(_folded_pattern(item, joined=joined) for item in filled)
        return rf"(?<!\w)(?:{alternatives})(?!\w)" if whole_words and not joined else f"(?:{alternatives})"

    return _Wording(
        language(code).letter_scripts,
        joined,
        regex.compile(f"(?:{pattern('openings')})+" if joined else f"(?:{pattern('openings')}(?: |$))+"),
        regex.compile(pattern("turns", whole_words=True)),
        regex.compile(pattern("abstentions")),
        regex.compile(pattern("asides")),
    )


def _folded_pattern(pattern: str, *, joined: bool) -> str:
    folded = fold_letters(fold(pattern)).replace("'", " ").replace("~", ".*")
    return folded.replace(" ", "") if joined else folded


SOURCE = "Thakur et al. (2024, NoMIRACL)"

MEASURES = (
    Measure(
        "hallucination",
        "Hallucination (unanswerable questions answered)",
        f"{SOURCE}: hallucination rate",
        per_case(hallucination),
        higher_is_better=False,
        answerable_only=False,
        format_failure=1.0,
    ),
    Measure(
        "abstention_error",
        "Abstention error (answerable questions not answered)",
        f"{SOURCE}: error rate",
        per_case(abstention_error),
        higher_is_better=False,
        format_failure=None,  # no abstention, yet 0 would count it as a merit
    ),
)
"""The measures of this module."""
