"""Metrics that a model judges: G-Eval's four aspects, context precision, instruction following, correctness.

Sources: Liu et al. (2023, G-Eval) for coherence, consistency, fluency and relevance, each from 1 to 5, and `g_eval`,
their mean, as Kim et al. (2024) use it; Kim et al. (2024), section 3.3.1, for context precision; Ranaldi et al. (2025,
D-RAG), Appendices D and K, for instruction following.  The prompts are in `prompts/`, one file per language: a judge is
asked in the language that the answer should be in, or in English.

The model is asked to end with `Score: N` or `Verdict: N`, in its prompt's language; the English words are always read
too.  Also accepted: JSON with such a key, Markdown around them, `4/5` and `4 out of 5`, digits of any script and width,
decimal commas, a reply of only the number, yes and no.  The last one counts.  Not a value: a number outside the scale,
a range (`Score: 1-5`), two values (`3 or 4`, `yes and no`), a share (`4%`), another scale (`4/10`), the best mark that
there is (`Maximum score: 5`), a word that goes on (`Verdict: no idea`).  Text in <think> … </think> does not count.

A reply that cannot be read, a judge that fails and a case that lacks what is judged are unscored, never guessed.  A
model's judgement is not a measurement: name the judge with every value (`judged_name`), and check it against people's
labels (`annotation.analysis.metric_trust`).

A value names its judge, so `g_eval` by two judges is two metrics. So is `g_eval` by a judge that is asked in English
and by the same judge asked in the answer's language (`+ul`). Results are stored under such a name, and whatever lists,
compares or exports them needs nothing else.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal, NamedTuple, Protocol

import regex

from workbench.core import UsageError, fingerprint, shorten, without_thinking
from workbench.languages import ENGLISH
from workbench.metrics.answers.flexible_em import usable_golds
from workbench.metrics.judged.judge_texts import ASPECTS, JudgeTexts, judge_texts
from workbench.metrics.measure import NO_GOLD, Case, Measure, Score, Scorer

MARKUP = regex.compile(r"[*_`#]+")
DIGIT = regex.compile(r"(?![0-9])\p{Nd}")
UNSEEN = regex.compile("[\u200b\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff\u0640\u064b-\u0652]")
"""Marks of direction, and Arabic vowel signs and stretching: they change no word."""
BORDER_BEFORE, BORDER_AFTER = r"(?<![\p{L}\p{M}\p{N}_])", r"(?![\p{L}\p{M}\p{N}_])"
WORD_ENDS = r"(?!(?<=[\p{L}\p{M}])(?<![\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}])[^\S\n]+\p{L})"
"""No word follows a word: “no answer” is not “no”. Where words are written without spaces, a space ends a clause."""
QUOTES = "\"'“”„«»「」『』"
NOTE = r"(?:\([^)\n]*\)\s*)?"
BEST_FIRST = (
    r"\s*(?:点満点(?:中|で)|점\s*만점(?:에|\s*중)|(?:(?:अंकों\s*)?में(?:\s*से)?|[-–]?\s*এ(?:র\s*মধ্যে)?|টির\s*মধ্যে"
    r"|(?:మార్కు|పాయింట్)?(?:లకు|లలో|కి|కు|లో)(?:\s*గాను)?|(?:ਅੰਕਾਂ\s*)?ਵਿੱ?ਚੋਂ|ಅಂಕಗಳ(?:ಲ್ಲಿ|ಿಗೆ)|ರಲ್ಲಿ|ರ\s*ಪೈಕಿ|ಕ್ಕೆ)(?![\p{L}\p{M}]))"
)
"""What follows the best mark in ja ko hi bn te pa kn, which name it before the mark: “5 में से 4” is 4 out of 5."""
FULL_MARKS = rf"(?:(?P<of>\d+){BEST_FIRST})?"
BEST_MARK = (
    r"(?<!(?:max|maksim|massim|máxim|максимал|высш|highest|perfect|possible|höchst|best|paras|korkein|最高|最大|최고|최대"
    r"|अधिकतम|সর্বোচ্চ|గరిష్[ఠట]|ਅਧਿਕਤਮ|ਵੱਧ\s+ਤੋਂ\s+ਵੱਧ|ಗರಿಷ್ಠ)"
    r"\p{L}{0,12}\.?\s{0,3})"
)
"""Not after a word for the best mark that there is, in the languages where it stands before the name."""
SPACELESS = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")


@dataclass(frozen=True, slots=True)
class _Patterns:
    """What is searched for in a reply in one language; `verdicts` by the word that says them."""

    named_number: regex.Pattern[str]
    only_number: regex.Pattern[str]
    named_verdict: regex.Pattern[str]
    only_verdict: regex.Pattern[str]
    verdicts: dict[str, bool]


def score_in(reply: str, low: int, high: int, language: str = ENGLISH) -> float | None:
    r"""The score from `low` to `high` that a reply to a prompt in a language gives, None where it gives none.

    >>> score_in("The order is clear.\n**Score:** 4/5", 1, 5), score_in("スコア：４点", 1, 5, "ja")
    (4.0, 4.0)
    """
    patterns = _patterns(language)
    match = _last(patterns.named_number, patterns.only_number, reply)
    if match is None or match["of"] not in (None, str(high)):
        return None
    value = float(match["value"].replace(",", "."))
    return value if low <= value <= high else None


def verdict_in(reply: str, language: str = ENGLISH) -> bool | None:
    """Whether a reply to a prompt in a language says yes, None where it gives no verdict.

    >>> verdict_in('{"reason": "It names the year.", "verdict": 1}'), verdict_in("الحكم: لا", "ar")
    (True, False)
    """
    patterns = _patterns(language)
    match = _last(patterns.named_verdict, patterns.only_verdict, reply)
    return None if match is None else patterns.verdicts[match["value"].casefold()]


@cache
def _patterns(language: str) -> _Patterns:
    words, english = judge_texts(language).reply, judge_texts(ENGLISH).reply
    is_ = _any_of((*words.is_, *english.is_))
    gap = rf"[{QUOTES}\s:=]*+"  # possessive: blanks without end take no longer than their number
    between = rf"(?:{is_})?{gap}{NOTE}{gap}(?:[—–]\s+)?(?:(?:{is_}){gap})?"
    endings = rf"\s*(?:{_any_of((*words.endings, *english.endings))})"
    out_of = rf"(?:[/⁄]|{_any_of((*words.out_of, *english.out_of))})"
    joins = rf"(?:{endings})?[\s,(]*+(?:{_any_of((*words.joins, *english.joins))})\s*"
    of = rf"(?:(?:{endings})?\s*+\(?+\s*+{out_of}\s*(?P<of>\d+))?+"
    number = (
        rf"{FULL_MARKS}\s*(?<![\d.,\-])(?P<value>\d+(?:[.,]\d+)?){of}"
        rf"(?!\s*[-–~〜]\s*\d|[\d.,]*\d|\s*(?:点満点|점\s*만점|分之|[%٪⁄])|{BEST_FIRST}\s*\d|{joins}\d)"
    )
    verdicts = {"1": True, "0": False}
    verdicts.update({_folded(word).casefold(): True for word in (*words.yes, *english.yes)})
    verdicts.update({_folded(word).casefold(): False for word in (*words.no, *english.no)})
    value = (
        rf"(?P<value>{_any_of(verdicts)})(?:{endings})?{BORDER_AFTER}{WORD_ENDS}"
        rf"(?!\.?\d|,\d|/|\s*(?:[-–—~〜]\s*\d|[%٪]|{out_of}\s*\d)|{joins}(?:{_any_of(verdicts)}){BORDER_AFTER})"
    )
    stop = rf"[{QUOTES}\s]*[.!。｡।]?[{QUOTES}\s]*"
    names = {key: _names((*getattr(words, key), *getattr(english, key))) for key in ("score", "verdict")}
    return _Patterns(
        regex.compile(BEST_MARK + names["score"] + between + number, regex.IGNORECASE),
        regex.compile(rf"[{QUOTES}]*{number}(?:{endings})?{stop}", regex.IGNORECASE),
        regex.compile(names["verdict"] + between + value, regex.IGNORECASE),
        regex.compile(rf"[{QUOTES}]*{value}{stop}", regex.IGNORECASE),
        verdicts,
    )


def _names(words: Iterable[str]) -> str:
    """A pattern of any of some words; where words are written without spaces, one may follow another directly."""
    parts = [
        regex.escape(word) if SPACELESS.search(word) else rf"{BORDER_BEFORE}{regex.escape(word)}"
        for word in sorted({_folded(word) for word in words}, key=len, reverse=True)
    ]
    return f"(?:{'|'.join(parts)})"


def _any_of(words: Iterable[str]) -> str:
    """A pattern of any of some words, the longest first."""
    folded = {_folded(word) for word in words}
    return "|".join(regex.escape(word) for word in sorted(folded, key=lambda word: (-len(word), word)))


def _folded(text: str) -> str:
    """Text as it is compared: in NFKC, with European digits, without marks that change no word."""
    plain = UNSEEN.sub("", unicodedata.normalize("NFKC", text)).replace("٫", ".")
    return DIGIT.sub(lambda digit: str(unicodedata.decimal(digit.group(), digit.group())), plain)


def _last(named: regex.Pattern[str], alone: regex.Pattern[str], reply: str) -> regex.Match[str] | None:
    """The last place where the value is named, else a last line that is only the value."""
    plain = MARKUP.sub("", without_thinking(_folded(reply))).strip()
    matches = list(named.finditer(plain))
    if matches:
        return matches[-1]
    last: str = plain.splitlines()[-1] if plain else ""
    return alone.fullmatch(last.strip())


LOWEST, HIGHEST = 1, 5
OF_CANDIDATES: Mapping[str, int] = {f"context_precision_{depth}": depth for depth in (5, 10, 15)}
"""Those that judge the best candidates as they were retrieved, before a reranker, and the number judged; they need no
answer. Kim et al. (2024), Tables 2 and 3 (10) and 4 (15)."""
NAMES = (
    *(f"g_eval_{name}" for name in ASPECTS),
    *("g_eval", "context_precision", *OF_CANDIDATES, "instruction_following", "correctness"),
)
"""Names of the measures that a judge gives."""
WITHOUT_ANSWER = frozenset({"instruction_following", "context_precision"})
"""Those that judge the generator's complete output, or passages alone; the others judge the answer in the output."""
CONTEXT_K = 10
"""Passages judged, as in the retrieval tables of Kim et al. (2024)."""
CACHED_REPLIES = 4_096
REASON_LIMIT = 200
"""Characters that a score's reason repeats of a judge's failure."""

UNREADABLE = Score(None, "The judge's reply holds no score that can be read.")
CUT = Score(None, "The judge's reply met its limit of tokens before it gave a score.")
PromptLanguage = Literal["answer", "en"]
"""The language that a judge is asked in: the one that the answer should be in, or English."""
NO_QUESTION = Score(None, "The question is not given.")
NO_PASSAGES = Score(None, "The texts of the passages are not given.")
NO_INSTRUCTIONS = Score(None, "The instructions are not given.")


class JudgePrompt(NamedTuple):
    """A prompt to a judge: system text and user's turn, and the language that both are in."""

    system: str
    user: str
    language: str = ENGLISH


class Reply(NamedTuple):
    """What a judge wrote; `cut` where it reached its token limit. `failure`: why there is none, "" where there is."""

    text: str = ""
    cut: bool = False
    failure: str = ""


class Judge(Protocol):
    """A model that replies to prompts."""

    def replies(self, prompts: Sequence[JudgePrompt]) -> list[Reply]:
        """One reply per prompt, in order; a prompt that fails does not affect the others."""
        ...


def judged_by(judge: Judge, *, k: int = CONTEXT_K, prompt_language: PromptLanguage = "en") -> tuple[Measure, ...]:
    """The judged measures, by this judge; context precision judges the first `k` passages.

    An answer's language that has no prompts is judged by the English ones.
    Measures created together send the same prompt once: `g_eval` costs nothing in addition to its four aspects.
    """
    cached = _CachedJudge(judge, prompt_language)
    scales = [
        Measure(
            f"g_eval_{name}",
            f"G-Eval {name}",
            "Liu et al. (2023)",
            cached.scorer(partial(_aspects, names=[name]), _rating, _mean),
            low=LOWEST,
            high=HIGHEST,
            format_failure=LOWEST,
        )
        for name in ASPECTS
    ]
    mean = Measure(
        "g_eval",
        "G-Eval, mean of four aspects",
        "Kim et al. (2024)",
        cached.scorer(partial(_aspects, names=ASPECTS), _rating, _mean),
        low=LOWEST,
        high=HIGHEST,
        format_failure=LOWEST,
    )
    verdicts: list[tuple[str, str, str, _PromptBuilder, _Combiner]] = [
        ("context_precision", "Context precision", "Kim et al. (2024)", partial(_context, k=k), _precision),
        *(
            (name, f"Context precision@{depth}", "Kim et al. (2024)", partial(_context, k=depth), _precision)
            for name, depth in OF_CANDIDATES.items()
        ),
        ("instruction_following", "Instruction following", "Ranaldi et al. (2025, D-RAG)", _instructions, _mean),
        ("correctness", "Correctness (judged)", "our own", _correctness, _mean),
    ]
    others = [
        Measure(name, title, source, cached.scorer(build, _verdict, combine))
        for name, title, source, build, combine in verdicts
    ]
    return (*scales, mean, *others)


def context_precision(relevant: Sequence[bool]) -> Score:
    """Σ precision@k · v_k / Σ v_k over ranks k, where v_k says whether passage k is relevant; 0 where none is.

    >>> context_precision([True, False, True]).value
    0.8333333333333333
    """
    if not relevant:
        return NO_PASSAGES
    hits = 0
    total = 0.0
    for rank, is_relevant in enumerate(relevant, start=1):
        if is_relevant:
            hits += 1
            total += hits / rank
    return Score(total / hits if hits else 0.0)


_PromptBuilder = Callable[[Case, JudgeTexts], list[JudgePrompt] | Score]
"""The prompts about a case, in the language of the texts, or the unscored reason why there are none."""
_ReplyParser = Callable[[str, str], float | None]
"""The value that a reply gives to a prompt in a language, None where it gives none."""
_Combiner = Callable[[list[float]], Score]
"""The score from the values of all replies."""


class _CachedJudge:
    """A judge and its latest replies, so that no prompt is sent twice; failures are cached too, while this lives."""

    def __init__(self, judge: Judge, prompt_language: PromptLanguage) -> None:
        self._judge = judge
        self._prompt_language = prompt_language
        self._cache: dict[JudgePrompt, Reply] = {}

    def scorer(self, build: _PromptBuilder, parse: _ReplyParser, combine: _Combiner) -> Scorer:
        """A scorer by the judge's replies; the prompts of a batch of cases are sent together."""

        def score(cases: Sequence[Case]) -> list[Score]:
            requests = [self._request(build, case) for case in cases]
            replies = self._replies([prompt for one in requests if not isinstance(one, Score) for prompt in one])
            return [
                one if isinstance(one, Score) else _score([(item, replies[item]) for item in one], parse, combine)
                for one in requests
            ]

        return score

    def _request(self, build: _PromptBuilder, case: Case) -> list[JudgePrompt] | Score:
        """The prompts about a case; none for a format failure, whose value needs no judge."""
        request = build(case, self._texts_for(case))
        return Score(0.0) if case.format_failure and not isinstance(request, Score) else request

    def _texts_for(self, case: Case) -> JudgeTexts:
        return judge_texts(case.language.code if self._prompt_language == "answer" else ENGLISH)

    def _replies(self, prompts: Sequence[JudgePrompt]) -> Mapping[JudgePrompt, Reply]:
        replies = {prompt: self._cache[prompt] for prompt in prompts if prompt in self._cache}
        new = [prompt for prompt in dict.fromkeys(prompts) if prompt not in replies]
        if new:
            replies.update(zip(new, self._judge.replies(new), strict=True))
            cache = {**self._cache, **replies}
            self._cache = dict(list(cache.items())[-CACHED_REPLIES:])
        return replies


def _score(replies: Sequence[tuple[JudgePrompt, Reply]], parse: _ReplyParser, combine: _Combiner) -> Score:
    """The combined value; unscored for the reason of the first reply that gives none."""
    values: list[float] = []
    for prompt, reply in replies:
        if reply.failure:
            return Score(None, f"The judge gave no reply: {shorten(reply.failure, REASON_LIMIT)}")
        value = parse(reply.text, prompt.language)
        if value is None:
            return CUT if reply.cut else UNREADABLE
        values.append(value)
    return combine(values)


def _rating(text: str, language: str) -> float | None:
    return score_in(text, LOWEST, HIGHEST, language)


def _verdict(text: str, language: str) -> float | None:
    verdict = verdict_in(text, language)
    return None if verdict is None else float(verdict)


def _mean(values: list[float]) -> Score:
    return Score(sum(values) / len(values))


def _precision(verdicts: list[float]) -> Score:
    return context_precision([bool(verdict) for verdict in verdicts])


def _aspects(case: Case, texts: JudgeTexts, names: Sequence[str]) -> list[JudgePrompt] | Score:
    if not case.question.strip():
        return NO_QUESTION
    if "consistency" in names and not case.passages:
        return NO_PASSAGES
    requests: list[JudgePrompt] = []
    for name in names:
        aspect, criterion = texts.aspects[name]
        values = {"aspect": aspect, "criterion": criterion, **_values(case)}
        turn = texts.prompt("scale_with_passages" if name == "consistency" else "scale", values)
        requests.append(JudgePrompt(texts.prompts["scale_system"], turn, texts.language))
    return requests


def _context(case: Case, texts: JudgeTexts, k: int) -> list[JudgePrompt] | Score:
    return _missing_question_or_gold(case) or [
        _verdict_prompt("relevant_passage", case, texts, passage=passage) for passage in case.passages[:k]
    ]


def _instructions(case: Case, texts: JudgeTexts) -> list[JudgePrompt] | Score:
    if not case.instructions.strip():
        return NO_INSTRUCTIONS
    return [_verdict_prompt("instruction_following", case, texts, instructions=case.instructions)]


def _correctness(case: Case, texts: JudgeTexts) -> list[JudgePrompt] | Score:
    return _missing_question_or_gold(case) or [_verdict_prompt("correctness", case, texts)]


def _missing_question_or_gold(case: Case) -> Score | None:
    if not case.question.strip():
        return NO_QUESTION
    return None if usable_golds(case.answers, case.language) else NO_GOLD


def _verdict_prompt(name: str, case: Case, texts: JudgeTexts, **more: str) -> JudgePrompt:
    turn = texts.prompt(name, {**_values(case), **more})
    return JudgePrompt(texts.prompts["verdict_system"], turn, texts.language)


def _values(case: Case) -> dict[str, str]:
    return {
        "question": case.question,
        "answer": case.prediction,
        "golds": " | ".join(case.answers),
        "passages": "\n\n".join(case.passages),
    }


JudgeLanguage = Literal["answer", "en", "both"]
"""In which languages a judge is asked; by both, each metric is given twice, to be compared."""
DEFAULT_JUDGE_LANGUAGE: JudgeLanguage = "answer"
LABEL_LIMIT = 42
"""Characters of a judge in a metric's name: with the longest metric they fill the database's column."""
MARK_LENGTH = 6
"""Characters of the fingerprint that distinguishes shortened names."""
PLAIN = regex.compile(r"[\w.:/@+-]+")
"""What is safe everywhere: on the command line, where commas separate names, and in titles of charts."""
IN_ANSWER_LANGUAGE = "+ul"
"""Ends the name of a judge that is asked in the language of the answer; without it, the judge is asked in English."""


def prompt_languages(choice: str) -> tuple[PromptLanguage, ...]:
    """The languages that prompts are in under a choice. Raises UsageError for another choice.

    >>> prompt_languages("both")
    ('answer', 'en')
    """
    match choice:
        case "answer":
            return ("answer",)
        case "en":
            return ("en",)
        case "both":
            return ("answer", "en")
    raise UsageError(
        f"The judge's language is “{shorten(choice)}”. Allowed: answer (the language of the answer), en, both."
    )


def judged_name(metric: str, judge: str, prompt_language: PromptLanguage = "en") -> str:
    """The name of `metric` as given by `judge`, asked in this language.

    A judge whose name is long or has other characters is shortened, and marked so that no two share a name.

    >>> judged_name("g_eval", "openai-like:llama3:8b@ollama")
    'g_eval@openai-like:llama3:8b@ollama'
    >>> judged_name("g_eval", "openai-like:gpt-4o", "answer")
    'g_eval@openai-like:gpt-4o+ul'
    """
    mark = IN_ANSWER_LANGUAGE if prompt_language == "answer" else ""
    limit = LABEL_LIMIT - len(mark)
    # A model whose own name ends with the mark is shortened, so that its English figures do not read as the others.
    if len(judge) <= limit and PLAIN.fullmatch(judge) and not judge.endswith(IN_ANSWER_LANGUAGE):
        return f"{metric}@{judge}{mark}"
    head = "".join(PLAIN.findall(judge))[: limit - MARK_LENGTH - 1]
    return f"{metric}@{head}~{fingerprint('judge', judge)[:MARK_LENGTH]}{mark}"


def language_pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """The names of one metric by one judge, asked in English and in the answer's language, where `names` has both.

    >>> language_pairs(["em", "g_eval@gpt-4o", "g_eval@gpt-4o+ul"])
    [('g_eval@gpt-4o', 'g_eval@gpt-4o+ul')]
    """
    judged = [name for name in names if metric_in(name) and "@" in name]
    english = {_key(name): name for name in judged if not name.endswith(IN_ANSWER_LANGUAGE)}
    marked = [name for name in judged if name.endswith(IN_ANSWER_LANGUAGE)]
    return [(english[key], name) for name in marked if (key := _key(name)) in english]


def _key(name: str) -> tuple[str, str]:
    """The metric and the start of its judge's fingerprint, which a shortened name holds."""
    metric, _, judge = name.removesuffix(IN_ANSWER_LANGUAGE).partition("@")
    _, shortened, mark = judge.rpartition("~")
    return metric, mark if shortened else fingerprint("judge", judge)[:MARK_LENGTH]


def metric_in(name: str) -> str:
    """The judged metric in `name`, with or without a judge; "" for any other metric.

    >>> metric_in("g_eval@openai-like:gpt-4o"), metric_in("g_eval"), metric_in("hit@5")
    ('g_eval', 'g_eval', '')
    """
    metric = name.partition("@")[0]
    return metric if metric in NAMES else ""
