"""A word gloss learnt from a translation memory: each word replaced by its likeliest counterpart.

Source: IBM Model 1, Brown et al. (1993), as in `nltk.translate.ibm1`, a few rounds over one pair of languages.  A
word's counterpart is the one with the largest P(target | source) × Dice coefficient of the two words' sentences.  A
word that was not learnt as it is written may be a question word or another form of a learnt one.  A gloss has no
grammar: word order and endings are the source's; it shows what a text is about and no more.

Short phrases (names, answers) are better served by `phrase`: it looks them up in sentences of the memory and returns
the part of the translated sentence that aligns with them, as written there.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from math import log
from pathlib import Path

import regex
from anyascii import anyascii

from workbench.core import package_yaml
from workbench.languages import KATAKANA, LATIN, SPACELESS, fold, language, script_of
from workbench.models.translation.translation_memory import TranslationMemory
from workbench.workspace import write_text

RUN = regex.compile(
    rf"\p{{Katakana}}[{KATAKANA}]*|[{SPACELESS}][{SPACELESS}\p{{M}}--\p{{Katakana}}]*|(?:(?![{SPACELESS}])[\p{{L}}\p{{M}}\p{{N}}])+",
    regex.V1,
)
UNSPACED_RUN = regex.compile(rf"(?!\p{{Katakana}})[{SPACELESS}]", regex.V1)
MARK = regex.compile(r"[\p{M}ะาำๅๆ]")
LONGEST_WORD = 6
LEAST_VARIETY = 2
RUN_EDGE = "\n"


@dataclass(frozen=True, slots=True)
class Token:
    """A folded word and its position: characters `start` to `end` (end excluded) of the text."""

    form: str
    start: int
    end: int


class GlossVocabulary:
    """Words of one language's scripts without spaces, learnt from sentences; empty for languages with spaces.

    A string of two to six characters is a word if at least two different characters occur before it and two after it
    (accessor variety: Feng, Chen, Deng and Zheng (2004), "Accessor Variety Criteria for Chinese Word Extraction"), and
    a sentence is segmented so that the sum of length × log variety is largest.  Limit: a word that the memory uses in
    one context only is split into characters; in Thai it may be split inside a syllable, never before a combining mark.
    """

    def __init__(self, sentences: Iterable[str]) -> None:
        before: defaultdict[str, set[str]] = defaultdict(set)
        after: defaultdict[str, set[str]] = defaultdict(set)
        for sentence in sentences:
            for run in RUN.findall(sentence):
                if not UNSPACED_RUN.match(run):
                    continue
                for start in range(len(run)):
                    for end in range(start + 1, min(start + LONGEST_WORD, len(run)) + 1):
                        word = run[start:end]
                        before[word].add(run[start - 1] if start else RUN_EDGE)
                        after[word].add(run[end] if end < len(run) else RUN_EDGE)
        varieties = ((word, min(len(before[word]), len(after[word]))) for word in before if len(word) > 1)
        self._weights = {word: len(word) * log(least + 1) for word, least in varieties if least >= LEAST_VARIETY}

    def tokens(self, text: str) -> list[Token]:
        """The words of `text` in order."""
        tokens: list[Token] = []
        for match in RUN.finditer(text):
            run = match.group()
            spans = self._segment(run) if UNSPACED_RUN.match(run) else [(0, len(run))]
            tokens.extend(Token(fold(run[a:b]), match.start() + a, match.start() + b) for a, b in spans)
        return tokens

    def _segment(self, run: str) -> list[tuple[int, int]]:
        """The best segmentation, by dynamic programming over ends; an unknown single character weighs nothing."""
        best: list[tuple[float, int]] = [(0.0, 0)]
        for end in range(1, len(run) + 1):
            best.append(
                max(
                    (best[start][0] + self._weights.get(run[start:end], 0.0), start)
                    for start in range(max(0, end - LONGEST_WORD), end)
                    if start == end - 1 or run[start:end] in self._weights
                )
            )
        spans: list[tuple[int, int]] = []
        end = len(run)
        while end:
            start = best[end][1]
            spans.append((start, end))
            end = start
        return _join_marks(run, spans[::-1])


def _join_marks(run: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, those that begin with a combining mark joined to the one before."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and MARK.match(run[start]):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


LEAST_SHARED = 0.5
"""The share of the longer of two words that they must have in common at their beginning …"""
LEAST_LETTERS = 4
"""… and the number of its letters …"""
LEAST_SYLLABLES = 2
"""… or of syllables in Hangul."""
HANGUL = regex.compile(r"\p{Hangul}")


def question_word(form: str, source: str, target: str) -> str:
    """The question word of `target` that means what the folded `form` does in `source`, "" where it is not one.

    >>> question_word("milloin", "fi", "en"), question_word("radio", "fi", "en")
    ('when', '')
    """
    meaning = _meanings(source).get(form, "")
    return _usual(target).get(meaning, "")


def related_counterpart(
    form: str, table: Mapping[str, Mapping[str, float]], least_confidence: float
) -> tuple[str, float]:
    """The likeliest counterpart of the learnt words that share the stem of `form`, and its confidence; ("", 0) if none.

    Two words are related where they share their beginning, half of the longer: endings and particles change, stems
    mostly do not.  The counterparts of all related words vote with their confidence.

    >>> related_counterpart("keksi", {"keksijä": {"inventor": 0.2}, "kello": {"clock": 0.9}}, 0.1)
    ('inventor', 0.2)
    """
    votes: dict[str, float] = defaultdict(float)
    for word, counterparts in table.items():
        if _share_stem(form, word):
            for counterpart, confidence in counterparts.items():
                votes[counterpart] += confidence
    if not votes:
        return "", 0.0
    best, confidence = min(votes.items(), key=lambda item: (-item[1], item[0]))
    return (best, min(1.0, confidence)) if confidence >= least_confidence else ("", 0.0)


def _share_stem(one: str, other: str) -> bool:
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    least = LEAST_SYLLABLES if HANGUL.match(one) else LEAST_LETTERS
    return shared >= max(least, LEAST_SHARED * max(len(one), len(other)))


LISTS = "workbench.models.translation", "question_words.yaml"


@cache
def _meanings(language: str) -> dict[str, str]:
    return {fold(word): meaning for meaning, words in package_yaml(*LISTS).items() for word in words.get(language, ())}


@cache
def _usual(language: str) -> dict[str, str]:
    return {meaning: words[language][0] for meaning, words in package_yaml(*LISTS).items() if language in words}


VERSION = 3
ROUNDS = 4
MOST_PAIRS = 1500
"""Sentence pairs learnt from: with more, a person would wait for the first gloss."""
LEAST_CONFIDENCE = 0.12
RELATED_SHARE = 0.5
"""What a word counts of which only another form is known."""
LEAST_SIMILARITY = 0.6
MOST_PHRASE_SENTENCES = 12
LEAST_COOCCURRENCES = 2
"""Words that occur together only once are paired by chance, unless they sound alike."""
DIGITS = regex.compile(r"\p{Nd}+")


@dataclass(frozen=True, slots=True)
class GlossedText:
    """A glossed text and the share of its words in [0, 1] that the gloss knew.

    Numbers are known; a word of which only another form was learnt counts one half.
    """

    text: str
    known_share: float


class Gloss:
    """The gloss of one pair of languages.

    It learns from `pairs` unless a `table` learnt earlier is given: source word → target words with confidence.
    """

    def __init__(
        self, source: str, target: str, pairs: list[tuple[str, str]], table: dict[str, dict[str, float]] | None = None
    ) -> None:
        self.source, self.target = source, target
        self._pairs = pairs
        self._left = GlossVocabulary(left for left, _ in pairs if language(source).spaceless)
        self._right = GlossVocabulary(right for _, right in pairs if language(target).spaceless)
        self._sources = [fold(left) for left, _ in pairs]
        self.table = table if table is not None else self._learn()
        self._by_start: defaultdict[str, dict[str, dict[str, float]]] = defaultdict(dict)
        for word, counterparts in self.table.items():
            self._by_start[word[:LEAST_SYLLABLES]][word] = counterparts
        self._usual_forms = _usual_forms(right for _, right in pairs)

    def _learn(self) -> dict[str, dict[str, float]]:
        from nltk.translate import AlignedSent, IBMModel1

        rows = [
            ([token.form for token in self._left.tokens(left)], [token.form for token in self._right.tokens(right)])
            for left, right in self._pairs[:MOST_PAIRS]
        ]
        rows = [(left, right) for left, right in rows if left and right]
        if not rows:
            return {}
        model = IBMModel1([AlignedSent(right, left) for left, right in rows], ROUNDS)
        lefts: Counter[str] = Counter()
        rights: Counter[str] = Counter()
        both: Counter[tuple[str, str]] = Counter()
        for left, right in rows:
            lefts.update(set(left))
            rights.update(set(right))
            both.update((a, b) for a in set(left) for b in set(right))
        table: dict[str, dict[str, float]] = {}
        for (a, b), together in both.items():
            confidence = float(model.translation_table[b][a]) * 2 * together / (lefts[a] + rights[b])
            numeric = a != b and (DIGITS.fullmatch(a) or DIGITS.fullmatch(b))
            if confidence < LEAST_CONFIDENCE / 4 or numeric:
                continue
            if together >= LEAST_COOCCURRENCES or _similarity(a, b):
                table.setdefault(a, {})[b] = round(confidence, 4)
        return {a: dict(sorted(table[a].items(), key=lambda item: (-item[1], item[0]))[:4]) for a in sorted(table)}

    def sentence(self, text: str) -> GlossedText:
        """`text` word by word; unknown words stay as written, in Latin letters where the target uses those."""
        tokens = self._left.tokens(text)
        words: list[str] = []
        known = 0.0
        for token in tokens:
            form, certainty = self._word(text, token)
            known += certainty
            if form and (not words or words[-1] != form):
                words.append(form)
        separator = "" if language(self.target).spaceless else " "
        return GlossedText(separator.join(words), known / len(tokens) if tokens else 0.0)

    def _word(self, text: str, token: Token) -> tuple[str, float]:
        """The word in the target language and 1, ½ where only a related form is known, 0 where none is."""
        original = text[token.start : token.end]
        if DIGITS.fullmatch(original):
            return original, 1.0
        if asking := question_word(token.form, self.source, self.target):
            return asking, 1.0
        counterparts = self.table.get(token.form, {})
        for counterpart, confidence in counterparts.items():
            if confidence >= LEAST_CONFIDENCE or _similarity(token.form, counterpart):
                return self._usual_forms.get(counterpart, counterpart), 1.0
        if not language(self.source).spaceless:
            # Only words that begin alike share a stem.
            alike = self._by_start.get(token.form[:LEAST_SYLLABLES], {})
            related, _ = related_counterpart(token.form, alike, LEAST_CONFIDENCE)
            if related:
                return self._usual_forms.get(related, related), RELATED_SHARE
        return _in_alphabet(original, self.target), 0.0

    def phrase(self, text: str) -> GlossedText | None:
        """The part of the memory's translations that aligns with `text`; None where no sentence clearly contains it."""
        if DIGITS.fullmatch(text):
            return GlossedText(text, 1.0)
        phrase = fold(text)
        size = len(self._left.tokens(text))
        votes: dict[str, float] = {}
        sentences = 0
        for row, folded in enumerate(self._sources):
            if phrase not in folded:
                continue
            left, right = self._pairs[row]
            translation, confidence = self._aligned(phrase, size, left, right)
            if translation:
                votes[translation] = votes.get(translation, 0.0) + confidence
                sentences += 1
                if sentences >= MOST_PHRASE_SENTENCES:
                    break
        if not votes:
            return None
        best, weight = min(votes.items(), key=lambda item: (-item[1], item[0]))
        return GlossedText(best, min(1.0, weight / sentences))

    def _aligned(self, phrase: str, size: int, left: str, right: str) -> tuple[str, float]:
        """The span of `right` that aligns with `phrase` in `left`, and the mean confidence; ("", 0) if none does.

        Each target word weighs the share of its alignment that falls within the phrase, less one half: the span
        with the largest sum is the translation. `size` is the number of words of the phrase.
        """
        sources, targets = self._left.tokens(left), self._right.tokens(right)
        inside = _phrase_tokens(sources, left, phrase)
        if not inside:
            return "", 0.0
        weights = [self._share(sources, inside, token, left, right) - 0.5 for token in targets]
        best, span = 0.0, (0, 0)
        for first in range(len(weights)):
            total = 0.0
            for last in range(first, min(first + 2 * size + 2, len(weights))):
                total += weights[last]
                if total > best + 1e-9:
                    best, span = total, (first, last + 1)
        if not best:
            return "", 0.0
        first, last = span
        return right[targets[first].start : targets[last - 1].end], 2 * best / (last - first)

    def _share(self, sources: list[Token], inside: set[int], token: Token, left: str, right: str) -> float:
        """The share in [0, 1] of a target token's alignment that falls on the source tokens `inside` the phrase."""
        name = right[token.start : token.end]
        within = outside = 1e-6
        for at, source in enumerate(sources):
            confidence = self.table.get(source.form, {}).get(token.form, 0.0)
            confidence = max(confidence, _similarity(left[source.start : source.end], name))
            if at in inside:
                within = max(within, confidence)
            else:
                outside = max(outside, confidence)
        return within / (within + outside)


def _phrase_tokens(tokens: list[Token], text: str, phrase: str) -> set[int]:
    """The indexes of the tokens that make up `phrase`, empty where it begins or ends inside a word."""
    for first in range(len(tokens)):
        for last in range(first, len(tokens)):
            part = fold(text[tokens[first].start : tokens[last].end])
            if part == phrase:
                return set(range(first, last + 1))
            if len(part) > len(phrase):
                break
    return set()


def _similarity(left: str, right: str) -> float:
    """How alike two words sound, in [0, 1], 0 below the chance level: names keep their sound across scripts."""
    from rapidfuzz.fuzz import ratio

    if DIGITS.fullmatch(left) or DIGITS.fullmatch(right):
        return float(left == right)
    similarity = ratio(anyascii(left).lower(), anyascii(right).lower()) / 100
    return similarity if similarity >= LEAST_SIMILARITY and len(left) > 1 else 0.0


def _in_alphabet(word: str, target: str) -> str:
    """The word in Latin letters if the target uses those and the word does not, else as written."""
    scripts = language(target).letter_scripts
    if script_of(word) in scripts or LATIN not in scripts:
        return word
    romanised: str = anyascii(word)
    return romanised


def _usual_forms(texts: Iterable[str]) -> dict[str, str]:
    """How the memory usually writes a folded word: Paris, not paris."""
    counts: dict[str, Counter[str]] = {}
    for text in texts:
        for match in regex.finditer(r"[\p{L}\p{M}\p{N}]+", text):
            counts.setdefault(fold(match.group()), Counter())[match.group()] += 1
    return {form: min(forms.items(), key=lambda item: (-item[1], item[0]))[0] for form, forms in counts.items()}


class GlossStore:
    """The glosses of a memory by pair of languages, learnt on first use and stored as JSON in `folder`, if given."""

    def __init__(self, memory: TranslationMemory, folder: Path | None = None) -> None:
        self._memory, self._folder = memory, folder
        self._glosses: dict[tuple[str, str], Gloss | None] = {}

    def gloss(self, source: str, target: str) -> Gloss | None:
        """The gloss of a pair, None where the memory has no sentence in both languages."""
        if (source, target) not in self._glosses:
            pairs = self._memory.pairs(source, target)
            self._glosses[source, target] = self._load_or_learn(source, target, pairs) if pairs else None
        return self._glosses[source, target]

    def _load_or_learn(self, source: str, target: str, pairs: list[tuple[str, str]]) -> Gloss:
        if self._folder is None:
            return Gloss(source, target, pairs)
        path = self._folder / f"gloss-v{VERSION}-{self._memory.fingerprint}-{source}-{target}.json"
        table = _load_table(path)
        gloss = Gloss(source, target, pairs, table)
        if table is None:
            _save_table(path, gloss.table)
        return gloss


def _load_table(path: Path) -> dict[str, dict[str, float]] | None:
    """A table stored earlier; None where there is none or it is damaged, and is to be learnt again."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return {str(a): {str(b): float(confidence) for b, confidence in row.items()} for a, row in stored.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return None


def _save_table(path: Path, table: dict[str, dict[str, float]]) -> None:
    write_text(path, json.dumps(table, ensure_ascii=False))
