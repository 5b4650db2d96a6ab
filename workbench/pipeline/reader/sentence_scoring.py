"""Which sentences of the evidence answer the question, whether any does, and how they are quoted, without a model.

A sentence's score is the share of the question that it repeats, plus what its neighbours and its passage add to that,
plus a bonus if it contains the kind of thing the question asks for, less a little for its passage's rank. The weights
were set on XQuAD, whose passages and questions are in one language (see benchmarks/reader).

Across languages the comparison is in English where both sides have reliable English; else with the question translated
to the evidence's language; and in any case by transliteration, which matches names and numbers. With an encoder of
meaning a sentence's likeness to the question joins that score, and decides nearly alone where the two cannot be
compared by words: a translation word by word is then compared with nothing (see `evidence_sentences`).

Nothing in the evidence bears on the question where one passage, title included, repeats too little of the question's
content: compared in the question's language, in English, or with the question translated to the passage's language,
whichever is most. The likeness of the built-in encoder is not used: on the sample it is no lower for questions off
every topic, of which that encoder knows few words, than for questions that have an answer. An encoder of meaning gives
an estimate for all languages; then words count only where they are compared in one language: they can show that a
passage bears on the question, and, where all the evidence is compared so, that none does. Figures: benchmarks/reader.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp
from statistics import fmean

from workbench.core import Evidence, Span, Task, Translation, Translator
from workbench.languages import ENGLISH, language
from workbench.pipeline.reader.candidates import (
    candidate_names,
    content_of,
    content_share,
    covered_weight,
    grams,
    holds_answer,
    lower_words,
    question_type,
    rarity_weights,
    romanised,
    union,
)
from workbench.pipeline.reader.evidence_sentences import (
    LEAST_COMPARED_MATCH,
    RELIABLE_MATCH,
    EvidenceSentence,
    Likeness,
    Meaning,
    Rendering,
    question_with_english,
    reliable_english,
    render,
    split_evidence,
    transliterate_names,
    try_translate,
)

NEIGHBOUR_WEIGHT = 0.4
PASSAGE_WEIGHT = 0.4
RANK_PENALTY = 0.08
KIND_BONUS = 0.25
ROMANISED_WEIGHT = 0.6
"""What a match of transliterations counts against one in the same language: names and numbers only."""
GLOSSES = ("gloss", "mixed")
"""Translations of which words come one by one."""
MEANING_SCALE = 1.6
"""The score of a sentence that means what the question does, in the units of the score by words."""
MEANING_WEIGHT = 0.35
"""What meaning counts in [0, 1], where sentence and question are compared by words …"""
MEANING_WEIGHT_ACROSS = 0.95
"""… and where they are in different languages, which leaves names and numbers."""

Coverage = tuple[float, float, float]
"""Shares of the question's weight in [0, 1]: in a sentence, added by its neighbours, in its passage with title."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of the evidence that may answer the question.

    `overlap` in [0, 1] is the share of the question that it repeats, of what any sentence repeats; `score` (no upper
    bound) orders candidates; `content` in [0, 1] is the share of all the question's content words that it repeats with
    the title (`bearing`), 1 where that is not known. `by_word`: it was compared with the question in one language, not
    by names and numbers alone. `likeness` is None without an encoder of meaning.
    """

    sentence: EvidenceSentence
    overlap: float
    score: float
    content: float = 1.0
    by_word: bool = True
    likeness: Likeness | None = None

    @property
    def is_by_meaning(self) -> bool:
        """Whether meaning decides over the sentence, since it is not compared by words."""
        return self.likeness is not None and not self.by_word

    @property
    def evidence(self) -> Evidence:
        """The evidence that the sentence is from."""
        return self.sentence.evidence

    @property
    def start(self) -> int:
        """The offset in the evidence's text at which the sentence starts."""
        return self.sentence.start

    @property
    def end(self) -> int:
        """The offset in the evidence's text before which the sentence ends."""
        return self.sentence.end

    @property
    def text(self) -> str:
        """The sentence as written in the evidence."""
        return self.sentence.text

    @property
    def span(self) -> Span:
        """The sentence as a quotation for the answer's trace."""
        return Span(self.evidence.rank, self.start, self.end)


def rank_candidates(task: Task, translator: Translator, meaning: Meaning | None = None) -> list[Candidate]:
    """Every sentence of the evidence with its score, best first; ties go to the better rank and the earlier place."""
    if {item.language for item in task.evidence} <= {task.language}:
        sentences = split_evidence(task.evidence, translator, with_english=False)
        coverage = _coverage(task.question, sentences, [sentence.text for sentence in sentences])
        candidates = _scored(task, sentences, coverage)
    else:
        candidates = _across_languages(task, translator, by_gloss=meaning is None)
    if meaning is not None:
        candidates = _with_meaning(task, candidates, meaning)
    return sorted(candidates, key=lambda item: (-item.score, item.evidence.rank, item.start))


def _with_meaning(task: Task, candidates: Sequence[Candidate], meaning: Meaning) -> list[Candidate]:
    """The candidates with their likeness to the question in their scores."""
    joined: list[Candidate] = []
    likeness_of = meaning.likenesses(task, [item.sentence for item in candidates])
    for item, likeness in zip(candidates, likeness_of, strict=True):
        weight = MEANING_WEIGHT if item.by_word else MEANING_WEIGHT_ACROSS
        by_meaning = MEANING_SCALE * likeness.strength - RANK_PENALTY * (item.evidence.rank - 1)
        score = (1 - weight) * item.score + weight * by_meaning
        joined.append(replace(item, score=score, likeness=likeness))
    return joined


def _across_languages(task: Task, translator: Translator, *, by_gloss: bool) -> list[Candidate]:
    """Candidates from evidence in several languages, or in another than the question's.

    A question that is translated word by word is compared with nothing unless `by_gloss`.
    """

    def question_in(target: str) -> Translation | None:
        translation = try_translate(translator, task.question, task.language, target)
        return translation if by_gloss or (translation and translation.kind not in GLOSSES) else None

    english = question_in(ENGLISH)
    from_memory = english is not None and english.kind != "model"
    sentences = split_evidence(task.evidence, translator, with_english=from_memory)
    if english and (english.match or 0.0) >= RELIABLE_MATCH and all(sentence.english for sentence in sentences):
        coverage = _coverage(english.text, sentences, [sentence.english for sentence in sentences])
        return _scored(task, sentences, coverage)
    in_ul = [sentence for sentence in sentences if sentence.language == task.language]
    coverage = _coverage(task.question, in_ul, [sentence.text for sentence in in_ul])
    candidates = _scored(task, in_ul, coverage)
    others = [sentence for sentence in sentences if sentence.language != task.language]
    in_english = [sentence for sentence in others if english and sentence.english]
    if english and in_english:
        texts = [sentence.english for sentence in in_english]
        candidates.extend(_scored(task, in_english, _by_word_or_sound(task, english.text, in_english, texts)))
    rest = [sentence for sentence in others if sentence not in in_english]
    for code in dict.fromkeys(sentence.language for sentence in rest):
        same = [sentence for sentence in rest if sentence.language == code]
        translation = question_in(code)
        question, texts = translation.text if translation else "", [sentence.text for sentence in same]
        coverage = _by_word_or_sound(task, question, same, texts)
        candidates.extend(_scored(task, same, coverage, by_word=translation is not None))
    return candidates


def _by_word_or_sound(
    task: Task, question: str, sentences: Sequence[EvidenceSentence], texts: Sequence[str]
) -> list[Coverage]:
    """By words of the translated question, or by transliteration where that matches more."""
    by_word = _coverage(question, sentences, texts)
    by_sound = _coverage(romanised(task.question), sentences, [romanised(text) for text in texts])
    weighted = [(ROMANISED_WEIGHT * a, ROMANISED_WEIGHT * b, ROMANISED_WEIGHT * c) for a, b, c in by_sound]
    return [max(pair) for pair in zip(by_word, weighted, strict=True)]


def _scored(
    task: Task, sentences: Sequence[EvidenceSentence], coverage: Sequence[Coverage], *, by_word: bool = True
) -> list[Candidate]:
    kind = question_type(task.question, task.language)
    candidates: list[Candidate] = []
    for sentence, (overlap, neighbours, passage) in zip(sentences, coverage, strict=True):
        score = overlap + NEIGHBOUR_WEIGHT * neighbours + PASSAGE_WEIGHT * passage
        score -= RANK_PENALTY * (sentence.evidence.rank - 1)
        text, language = (sentence.english, ENGLISH) if sentence.english else (sentence.text, sentence.language)
        if kind and holds_answer(kind, text, language):
            score += KIND_BONUS
        candidates.append(Candidate(sentence, overlap, score, by_word=by_word))
    return candidates


def _coverage(question: str, sentences: Sequence[EvidenceSentence], texts: Sequence[str]) -> list[Coverage]:
    """How much of `question` each sentence repeats; `texts` are the sentences as they are compared."""
    text_grams = [grams(text) for text in texts]
    weights = rarity_weights(grams(question), text_grams)
    passages: dict[int, float] = {}
    for item in {sentence.evidence.rank: sentence.evidence for sentence in sentences}.values():
        of_passage = [
            each for each, sentence in zip(text_grams, sentences, strict=True) if sentence.evidence.rank == item.rank
        ]
        passages[item.rank] = covered_weight(weights, union([*of_passage, grams(item.passage.title)]))
    coverage: list[Coverage] = []
    for at, sentence in enumerate(sentences):
        rank = sentence.evidence.rank
        beside = [n for n in (at - 1, at + 1) if 0 <= n < len(sentences) and sentences[n].evidence.rank == rank]
        neighbours = union(text_grams[n] for n in beside) - text_grams[at]
        coverage.append((covered_weight(weights, text_grams[at]), covered_weight(weights, neighbours), passages[rank]))
    return coverage


LEAST_SHARE = 0.34
"""Below this share of the question's content in every passage, a little more than a third, nothing bears on it."""
REPEATED_SHARE = 0.8
"""With an encoder of meaning, a passage bears on the question that repeats this share of its content …"""
LEAST_CHANCE = 0.25
"""… or where the estimate by likeness that one does, in [0, 1], is at least this."""
OF_SENTENCE, OF_PASSAGE, OF_BACKGROUND, OF_LEAD = 11.0, 73.0, -20.0, 98.0
"""Weights of cosines in that estimate, a logistic: of the best sentence, of the best passage, of any text, and of the
best sentence's lead over the mean of the passages' best."""
SAME_LANGUAGE = -2.8
"""What is added where the best sentence is in the question's language: there cosines are larger."""
CONSTANT = -55.5
USUAL_LEAD = 0.025
"""The lead that is assumed of fewer than FEW_PASSAGES passages, which do not show it."""
FEW_PASSAGES = 3


@dataclass(frozen=True, slots=True)
class ContentCoverage:
    """Shares in [0, 1] of the question's content: of each sentence, and the largest of a passage; titles included."""

    sentences: tuple[float, ...]
    passage: float


def content_coverage(
    task: Task, sentences: Sequence[EvidenceSentence], translator: Translator, *, by_gloss: bool = True
) -> ContentCoverage | None:
    """How much of the question's content the sentences of the evidence repeat.

    None where that cannot be known: the question has no content words, or no sentence is in a language in which the
    translator has the question. Without `by_gloss` nothing is compared with a translation word by word, or by sound.
    """
    content = content_of(task.question, task.language)
    if not content:
        return None
    best = [0.0] * len(sentences)
    passage = 0.0
    is_comparable = False
    for code in dict.fromkeys((task.language, ENGLISH, *(sentence.language for sentence in sentences))):
        texts = _texts_in(code, sentences)
        is_foreign = code not in (task.language, ENGLISH)
        if not texts or (is_foreign and all(sentences[index].english for index in texts)):
            continue
        question = _question_in(code, task, translator, by_gloss)
        is_comparable = is_comparable or question != ""
        titles = {item.rank: _title_in(code, item, translator) for item in (sentences[at].evidence for at in texts)}
        wordings: list[tuple[float, str, Callable[[str], str]]] = [(1.0, content_of(question, code), str)]
        if code != task.language and by_gloss:
            wordings.append((ROMANISED_WEIGHT, romanised(content), romanised))
        for weight, wording, spelt in wordings:
            passages = {rank: [grams(spelt(title))] for rank, title in titles.items()}
            for index, text in texts.items():
                parts = passages[sentences[index].evidence.rank]
                parts.append(grams(spelt(text)))
                best[index] = max(best[index], weight * content_share(wording, parts[0] | parts[-1]))
            shares = (content_share(wording, union(parts)) for parts in passages.values())
            passage = max(passage, weight * max(shares))
    return ContentCoverage(tuple(best), passage) if is_comparable else None


def silence(task: Task, candidates: Sequence[Candidate], coverage: ContentCoverage | None) -> str:
    """Why nothing is quoted, "" where some passage bears on the question, or where that cannot be known.

    `candidates` are all sentences, at least one.
    """
    if coverage and coverage.passage < LEAST_SHARE and not any(item.is_by_meaning for item in candidates):
        return (
            f"It quotes nothing here: no document repeats more than {coverage.passage:.0%} of the question's content, "
            f"and it needs {LEAST_SHARE:.0%}."
        )
    is_repeated = coverage is not None and coverage.passage >= REPEATED_SHARE
    if is_repeated or not candidates[0].likeness:
        return ""
    chance = chance_by_meaning(task, candidates)
    if chance >= LEAST_CHANCE:
        return ""
    return (
        f"It quotes nothing here: it estimates the chance that some document bears on the question at {chance:.0%}, "
        f"and it needs at least {LEAST_CHANCE:.0%}."
    )


def chance_by_meaning(task: Task, candidates: Sequence[Candidate]) -> float:
    """The estimate in [0, 1] that some passage bears on the question; candidates without likeness do not count."""
    pairs = [(item, item.likeness) for item in candidates if item.likeness]
    item, best = max(pairs, key=lambda pair: pair[1].sentence)
    of_passages: dict[int, float] = {}
    for candidate, likeness in pairs:
        rank = candidate.evidence.rank
        of_passages[rank] = max(of_passages.get(rank, -1.0), likeness.sentence)
    lead = best.sentence - fmean(of_passages.values()) if len(of_passages) >= FEW_PASSAGES else USUAL_LEAD
    log_odds = (
        CONSTANT
        + OF_SENTENCE * best.sentence
        + OF_PASSAGE * max(likeness.passage for _, likeness in pairs)
        + OF_BACKGROUND * best.background
        + OF_LEAD * lead
        + (SAME_LANGUAGE if item.evidence.language == task.language else 0.0)
    )
    return 1 / (1 + exp(-log_odds))


def _texts_in(language: str, sentences: Sequence[EvidenceSentence]) -> dict[int, str]:
    """The sentences that are in a language, or known in it, by their place."""
    if language == ENGLISH:
        english = ((index, sentence.english or sentence.text) for index, sentence in enumerate(sentences))
        return {
            index: text for index, text in english if sentences[index].english or sentences[index].language == ENGLISH
        }
    return {index: sentence.text for index, sentence in enumerate(sentences) if sentence.language == language}


def _title_in(language: str, item: Evidence, translator: Translator) -> str:
    """The title of a passage in its language or in English, "" where it is not known in that language."""
    if item.language == language or not item.title:
        return item.title
    return reliable_english(item.title, item.language, translator) if language == ENGLISH else ""


def _question_in(language: str, task: Task, translator: Translator, by_gloss: bool) -> str:
    """The question in a language, "" where the translator knows too little of it."""
    if language == task.language:
        return task.question
    translation = try_translate(translator, task.question, task.language, language)
    if translation is None or (translation.match is not None and translation.match < LEAST_COMPARED_MATCH):
        return ""
    return translation.text if by_gloss or translation.kind not in GLOSSES else ""


MOST_NAMES = 3
LEAST_NAME_MATCH = 0.5
"""From this match a name is translated, else it stays as its source spells it."""
LEAST_LANGUAGE_SCORE = 0.75
"""From this share of the best score, evidence in the answer's language is preferred to better evidence translated."""


def in_best_language(ranked: Sequence[Candidate], answer_language: str, translator: Translator) -> Sequence[Candidate]:
    """The candidates in the language to answer from, best first.

    That is `answer_language` where its best candidate is good enough; else the language whose best candidate, being
    good enough, translates best.  All candidates, where `answer_language` is "".
    """
    if not answer_language:
        return ranked
    good = [item for item in ranked if item.score >= LEAST_LANGUAGE_SCORE * ranked[0].score]
    best: dict[str, Candidate] = {}
    for item in good:
        best.setdefault(item.evidence.language, item)
    if answer_language in best:
        source = answer_language
    elif len(best) == 1:
        source = next(iter(best))
    else:
        weights = {
            source: item.score * _translatability(item, answer_language, translator) for source, item in best.items()
        }
        source = max(weights, key=lambda name: weights[name])
    return [item for item in ranked if item.evidence.language == source]


def _translatability(item: Candidate, target: str, translator: Translator) -> float:
    """From ½ for a sentence that cannot be translated to 1 for one whose translation is certain."""
    translation = try_translate(translator, item.text, item.evidence.language, target)
    return 0.5 if translation is None else 0.5 + 0.5 * (1.0 if translation.match is None else translation.match)


def compose_answer(quoted: Sequence[Candidate], task: Task, translator: Translator) -> Rendering:
    """The quoted sentences as an answer in the language and alphabet that the task asks for."""
    source = quoted[0].evidence.language
    text = join_quotes(quoted)
    if not task.answer_language:
        answer = Rendering(text, f"The answer stays in the language of its evidence, {language(source).name}.")
    else:
        answer = render(translator, text, source, task.answer_language)
        if source != task.answer_language and not is_full_translation(answer):
            answer = _quote_first(quoted, task, answer, translator)
    if not task.entities_in:
        return answer
    respelt = transliterate_names(translator, answer.text, source, task.entities_in)
    return Rendering(respelt.text, f"{answer.note} {respelt.note}".strip(), answer.translation)


def is_full_translation(rendering: Rendering) -> bool:
    """Whether the text is a translation of complete sentences."""
    return rendering.translation is not None and rendering.translation.kind in ("exact", "fuzzy", "model", "same")


def _quote_first(quoted: Sequence[Candidate], task: Task, rendering: Rendering, translator: Translator) -> Rendering:
    """The original and, next to it, the names and numbers asked for or the gloss, where there is at best a gloss.

    A gloss alone reads like nonsense, and the user may not understand the original; it comes first, since the names
    are a guess.
    """
    sentence = quoted[0].sentence
    text, source = (sentence.english, ENGLISH) if sentence.english else (sentence.text, sentence.language)
    kind = question_type(task.question, task.language)
    question = question_with_english(task, translator)
    ordinary = lower_words([question, text, *(item.text for item in task.evidence)])
    names = candidate_names(text, question, kind, source, ordinary)[:MOST_NAMES]
    if names:
        summary = ", ".join(_translated_name(name, source, task.answer_language, translator) for name in names)
    else:
        summary = rendering.text if rendering.translation else ""
    original = join_quotes(quoted)
    answer = f"“{original}” ({summary})" if summary else original
    if not names:
        note = f"{rendering.note} The original is shown with it." if summary else rendering.note
        return Rendering(answer, note, rendering.translation)
    evidence_name, answer_name = language(sentence.language).name, language(task.answer_language).name
    return Rendering(
        answer,
        f"Quoted in {evidence_name}, with its names or numbers: there is no reliable translation to {answer_name}.",
    )


def _translated_name(name: str, source: str, target: str, translator: Translator) -> str:
    translation = try_translate(translator, name, source, target) if not name.isdecimal() else None
    if translation is None or (translation.match is not None and translation.match < LEAST_NAME_MATCH):
        return name
    return translation.text


def join_quotes(quoted: Sequence[Candidate]) -> str:
    """The quoted sentences as one text: neighbours as in the evidence, an ellipsis where something lies between."""
    text = quoted[0].text
    for before, after in pairwise(quoted):
        between = after.evidence.text[before.end : after.start] if before.evidence == after.evidence else None
        text += (between if between is not None and not between.strip() else " … ") + after.text
    return text
