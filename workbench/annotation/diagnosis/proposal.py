"""The rules: from what was observed of a wrong answer to the one label that is proposed, with its evidence.

Pure decisions. What is observed comes from `observation`, what is tried from `counterfactuals`. The rules go from what
needs no run to what needs many, and the first that applies decides; where none applies nothing is proposed, and the
reason is given. A proposal has no probability: how often proposals are right is measured (docs/diagnosis.md), and how
far they agree with people on the same answers is computed (`proposal_agreement`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from workbench.annotation.diagnosis.surface_matches import SurfaceMatch

RULES_VERSION = 1
"""Goes up with each change of a rule: stored proposals of another version are made anew."""
TAXONOMY = "what-went-wrong"
"""The shipped taxonomy whose labels are proposed, and by which people can label the same answers."""

TrialKind = Literal["unchanged", "gold-given", "deeper", "left-out", "translated", "answer-in-ul"]


@dataclass(frozen=True, slots=True)
class CaseTrial:
    """One counterfactual: what was changed, the answer then, and whether it is right.

    `right` is None where it could not be tried, for the reason in `note`. `passage` is the id of the one left out.
    """

    kind: TrialKind
    change: str
    answer: str = ""
    answer_language: str = ""
    right: bool | None = None
    note: str = ""
    passage: str = ""


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """What is known of an answer without running anything but a search.

    `unusable`: why nothing can be proposed, "" where something can; `untried`: why no change can be tried. `bearing`
    are the ids of passages of the corpus that answer the question; `is_known`: the dataset names them (else they
    contain a gold answer); `outside_scope`: the recipe does not search their languages. `given` are the ids of what the
    reader was given, `bearing_given` those of them that answer. `rank` is the best rank of a passage that answers among
    `depth` candidates, None for none.
    """

    right: bool
    unusable: str = ""
    unanswerable: bool = False
    sections_missing: bool = False
    match: SurfaceMatch | None = None
    untried: str = ""
    bearing: tuple[str, ...] = ()
    is_known: bool = False
    outside_scope: bool = False
    given: tuple[str, ...] = ()
    bearing_given: tuple[str, ...] = ()
    rank: int | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Proposal:
    """A label proposed by rules, never one that a person gave. `label` is "" where nothing is proposed.

    `evidence` are sentences; `trials` what was tried, in order; `thorough`: whether all that is possible was tried.
    """

    label: str
    evidence: tuple[str, ...]
    trials: tuple[CaseTrial, ...] = field(default=())
    rules: int = RULES_VERSION
    thorough: bool = False


def decided_without_trials(facts: CaseFacts) -> Proposal | None:
    """The proposal that needs no counterfactual, None where one is needed."""
    if facts.unusable:
        return Proposal("", (facts.unusable,))
    if facts.right:
        return Proposal("not-wrong", ("The answer contains a gold answer, or rightly states that there is none.",))
    if facts.unanswerable:
        return Proposal(
            "answer-not-in-corpus", ("The dataset marks the question as one that the corpus cannot answer.",)
        )
    if facts.sections_missing:
        return Proposal("format", ("The output lacks the labelled part that should state the answer.",))
    if facts.match:
        return Proposal(facts.match.kind, (_match_sentence(facts.match),))
    if facts.untried:
        return Proposal("", (facts.untried,))
    if not facts.bearing:
        sentence = (
            "No passage of the corpus contains a gold answer, in any language in which the gold answers are known."
        )
        return Proposal("answer-not-in-corpus", (sentence,))
    return None


def decide(facts: CaseFacts, trials: Sequence[CaseTrial], *, thorough: bool = False) -> Proposal:
    """The proposal from all that was observed and tried; `thorough`: whether all that is possible was tried."""
    first = decided_without_trials(facts)
    if first is None:
        first = _by_trials(facts, {trial.kind: trial for trial in trials if trial.kind != "left-out"}, trials)
    return Proposal(first.label, first.evidence, tuple(trials), thorough=thorough)


def _by_trials(facts: CaseFacts, by_kind: dict[TrialKind, CaseTrial], trials: Sequence[CaseTrial]) -> Proposal:
    if _is(by_kind.get("unchanged"), right=True):
        sentence = "The same recipe gives a right answer now, so that what a change shows could be chance."
        return Proposal("", (sentence,))
    if _is(by_kind.get("answer-in-ul"), right=True) and not _is(by_kind.get("gold-given"), right=True):
        return Proposal("wrong-language", ("The answer is right once the prompt asks for the question's language.",))
    if not facts.bearing_given:
        return _not_given(facts, by_kind)
    for trial in trials:
        if trial.kind == "left-out" and trial.right:
            return Proposal("misled-by-document", (_given_sentence(facts), f"{trial.change}: the answer is right."))
    gold = by_kind.get("gold-given")
    if _is(gold, right=True):
        if len(facts.bearing_given) == len(facts.given):
            sentence = (
                "With the right documents alone the answer is right, though all that were given answer the question."
            )
            return Proposal("", (sentence,))
        sentence = (
            "With the right documents alone the answer is right; leaving out any single document does not mend it."
        )
        return Proposal("misled-by-document", (_given_sentence(facts), sentence))
    return _reader(by_kind) or _without_reader(facts, gold)


def _not_given(facts: CaseFacts, by_kind: dict[TrialKind, CaseTrial]) -> Proposal:
    """The search failed first, whatever the reader would have done; whether a better one mends it is evidence."""
    gold, sentences = by_kind.get("gold-given"), [_rank_sentence(facts)]
    if _is(gold, right=True):
        sentences.append("Given the right documents, the answer is right.")
        if _is(by_kind.get("deeper"), right=True):
            sentences.append("So it is with a deeper retrieval.")
    elif not facts.is_known:
        tried = "does not help" if _is(gold, right=False) else "could not be tried"
        sentence = f"The dataset names no passage that answers, and one that contains a gold answer {tried}."
        return Proposal("", (*sentences, sentence))
    elif _is(gold, right=False):
        mended = _is(by_kind.get("translated"), right=True)
        sentences.append(
            "Given the right documents, the answer is right only when they are translated to English."
            if mended
            else "A better search alone does not mend it: given the right documents, the answer is still wrong."
        )
    elif gold:
        sentences.append(gold.note)
    return Proposal("not-retrieved", tuple(sentences))


def _reader(by_kind: dict[TrialKind, CaseTrial]) -> Proposal | None:
    """The proposal where the answer is wrong with the right documents alone, None where that was not tried."""
    if not _is(by_kind.get("gold-given"), right=False):
        return None
    sentence = "Given the right documents alone, the answer is still wrong."
    if _is(by_kind.get("translated"), right=True):
        return Proposal("foreign-documents", (sentence, "Translated to English, they lead to a right answer."))
    return Proposal("reader-error", (sentence,))


def _without_reader(facts: CaseFacts, gold: CaseTrial | None) -> Proposal:
    """Where nothing could be run again: documents that all answer the question can mislead nobody."""
    if facts.is_known and len(facts.bearing_given) == len(facts.given):
        return Proposal("reader-error", ("Every document that was given answers the question.",))
    reason = gold.note if gold and gold.note else "The right documents were given; the answer could not be tried again."
    return Proposal("", (_given_sentence(facts), reason))


def _is(trial: CaseTrial | None, *, right: bool) -> bool:
    return trial is not None and trial.right is right


def _match_sentence(match: SurfaceMatch) -> str:
    return {
        "inflected-form": f"“{match.text}” is another form of the gold answer “{match.gold}”.",
        "transliterated-name": f"“{match.text}” is the gold answer “{match.gold}”, spelt differently.",
        "code-switched": f"“{match.text}” is a gold answer in another language, within a text in the question's.",
        "wrong-language": f"“{match.text}” is a gold answer in another language, and so is the rest of the answer.",
    }[match.kind]


def _given_sentence(facts: CaseFacts) -> str:
    places = ", ".join(str(facts.given.index(name) + 1) for name in facts.bearing_given)
    return f"A document that answers the question was given: number {places} of {len(facts.given)}."


def _rank_sentence(facts: CaseFacts) -> str:
    if facts.outside_scope:
        return "The documents that answer the question are in languages that the recipe does not search."
    if facts.rank is not None:
        return f"The best document that answers the question is ranked {facts.rank}; {len(facts.given)} were given."
    if facts.depth:
        return f"No document that answers the question is among the first {facts.depth}."
    return f"None of the {len(facts.given)} documents that were given answers the question."
