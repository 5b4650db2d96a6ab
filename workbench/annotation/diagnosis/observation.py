"""What is known of an answer before anything is run again: is it right, and does a passage answer the question?

Passages that the dataset names as gold count and, of pages that it names, those that contain a gold answer. Where it
names none, or the corpus lacks them, passages that contain a gold answer do, in each language in which the gold answers
are known; they are searched for by words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.annotation.diagnosis.proposal import CaseFacts
from workbench.annotation.diagnosis.surface_matches import surface_match
from workbench.app import LazySearchComponents, Workbench
from workbench.core import NO_EVIDENCE, Passage, Query, WorkbenchError, page_key
from workbench.data import Corpus, DatasetLibrary
from workbench.experiments import UNPERTURBED, Instance, recipe_of
from workbench.languages import ENGLISH, LETTER, is_known, language
from workbench.metrics import UNSPACED, abstains, flexible_em
from workbench.pipeline import EXTRACTIVE, SEARCH_NOTHING, Chain, Executor, Recipe, State, languages_in, search_stages
from workbench.workspace import CANDIDATES_LIMIT

NO_GOLD = "The question has no gold answer, so whether the answer is wrong is not known."
FAILED = "There is no answer, because the cell failed: {}"
NO_CORPUS = "The corpus of this answer is not in the workspace, so nothing can be tried."
SHORT_GOLD = "The gold answer is too short to be searched for, and the dataset does not name the passages that answer."
NO_DOCUMENTS = "The mode of this answer reads no documents, so there is none to change."
UNKNOWN_DOCUMENTS = "Which documents this answer was given is not known."
SEARCHED = 50
"""Passages of each language that are searched for a gold answer, the best by its words."""
OF_A_PAGE = 500
"""Passages of a gold page that are read."""
KEPT = 3
"""Passages that contain a gold answer and are taken as those that answer."""
SHORTEST, SHORTEST_UNSPACED = 3, 2
"""Letters or digits of a gold answer that can be searched for; in scripts without spaces."""


class GoldAnswers:
    """The gold answers of a workspace's datasets in every language, read once per dataset."""

    def __init__(self, library: DatasetLibrary) -> None:
        self._library = library
        self._answers: dict[str, dict[str, dict[str, tuple[str, ...]]]] = {}

    def of(self, item: Instance) -> Mapping[str, Sequence[str]]:
        """By language: those of the question itself, and of its translations where its id names them."""
        name = item.run.dataset
        if name not in self._answers:
            self._answers = {name: self._read(name)}
        others = self._answers[name].get(item.question, {})
        return {**others, item.language: item.golds}

    def _read(self, name: str) -> dict[str, dict[str, tuple[str, ...]]]:
        answers: dict[str, dict[str, tuple[str, ...]]] = {}
        try:
            info = self._library.info(name)
            for code in info.languages if info.parallel or info.aligned else ():
                for question in self._library.each_question(name, code):
                    answers.setdefault(question.id, {})[code] = question.answers
        except WorkbenchError:
            return answers  # a dataset that is gone or damaged: the golds that are stored with the answer remain
        return answers


@dataclass(frozen=True, slots=True)
class Observation:
    """The facts of an answer with the passages that they name: those that answer the question, and those given."""

    facts: CaseFacts
    recipe: Recipe | None = None
    bearing: tuple[Passage, ...] = ()
    given: tuple[Passage, ...] = ()


def is_right(item: Instance, answer: str) -> bool:
    """Whether a text answers the question of an instance: it contains a gold, or rightly states that there is none."""
    if item.evidence_in == NO_EVIDENCE:
        return abstains(answer) is True
    return flexible_em(answer, item.golds, language=language(item.language)).value == 1.0


def _is_scored(item: Instance) -> bool:
    """Whether right and wrong are defined: the language is known, and a gold answer is left when it is normalised."""
    return is_known(item.language) and flexible_em("", item.golds, language=language(item.language)).value is not None


def observe(workbench: Workbench, item: Instance, golds: GoldAnswers, *, sends: bool = False) -> Observation:
    """What is known of an answer. The rank of the right passage is looked up where that sends nothing, or `sends`."""
    unanswerable = item.evidence_in == NO_EVIDENCE
    if item.error:
        return Observation(CaseFacts(right=False, unusable=FAILED.format(item.error)))
    if item.is_format_failure:
        return Observation(CaseFacts(right=False, sections_missing=True))
    if not unanswerable and not _is_scored(item):
        return Observation(CaseFacts(right=False, unusable=NO_GOLD))
    # The stored score also knows which questions have a false premise, so that denying it is right.
    if item.scores.get("hallucination") == 0.0 or is_right(item, item.output):
        return Observation(CaseFacts(right=True))
    answers = golds.of(item)
    facts = CaseFacts(
        right=False,
        unanswerable=unanswerable,
        match=surface_match(item.output, answers, item.language),
    )
    if unanswerable or facts.match:
        return Observation(facts)
    try:
        corpus = workbench.corpus(item.run.corpus)
    except WorkbenchError:
        return Observation(replace(facts, untried=NO_CORPUS))
    facts = replace(facts, given=tuple(name for name, _, _ in item.passages))
    return _with_passages(workbench, item, facts, corpus, answers, sends=sends)


def _with_passages(
    workbench: Workbench,
    item: Instance,
    facts: CaseFacts,
    corpus: Corpus,
    answers: Mapping[str, Sequence[str]],
    *,
    sends: bool,
) -> Observation:
    recipe = recipe_of(item)
    bearing = _named(corpus, item, answers)
    is_named = bool(bearing)
    if not is_named:
        searchable = {code: tuple(filter(_is_long, golds)) for code, golds in answers.items()}
        if not any(searchable.values()):
            return Observation(replace(facts, untried=SHORT_GOLD), recipe)
        bearing = tuple(_containing(corpus, item, searchable))
    names = tuple(passage.id for passage in bearing)
    given = tuple(name for name in facts.given if name in names)
    facts = replace(facts, bearing=names, is_known=is_named, bearing_given=given)
    if bearing and not facts.given:
        if recipe is None:
            facts = replace(facts, untried=UNKNOWN_DOCUMENTS)
        elif recipe.mode in SEARCH_NOTHING:
            facts = replace(facts, untried=NO_DOCUMENTS)
    if bearing and recipe and not given and not facts.untried:
        facts = _ranked(workbench, item, recipe, corpus, facts, bearing, sends=sends)
    return Observation(facts, recipe, bearing, _passages(corpus, facts.given))


def _ranked(
    workbench: Workbench,
    item: Instance,
    recipe: Recipe,
    corpus: Corpus,
    facts: CaseFacts,
    bearing: Sequence[Passage],
    *,
    sends: bool,
) -> CaseFacts:
    """The facts with the rank of the best passage that answers, as the recipe's search ranks it."""
    if item.run.perturbation != UNPERTURBED:
        return facts  # what was given is not what the search ranked
    try:
        scope = languages_in(recipe.scope, item.language, corpus.languages)
        if not any(passage.language in scope for passage in bearing):
            return replace(facts, outside_scope=True)
        search = recipe.with_(generator=EXTRACTIVE, expander=recipe.expanding_model, compressor="none")
        if workbench.registry.hosts(search) and not sends:
            return facts
        components = LazySearchComponents(recipe, corpus, workbench.registry)
        chain = Chain(search_stages(recipe, components, CANDIDATES_LIMIT), "rank")
        (traced,) = Executor(workbench.cache, on_error="isolate").run(
            chain, [State(item.text.strip(), item.language, scope)]
        )
    except WorkbenchError:
        return facts  # a search that cannot be repeated leaves the rank unknown
    if traced.failure:
        return facts
    ranking = [hit.id for hit in traced.state.final_ranking]
    rank = next((place for place, name in enumerate(ranking, start=1) if name in facts.bearing), None)
    return replace(facts, rank=rank, depth=len(ranking))


def _named(corpus: Corpus, item: Instance, answers: Mapping[str, Sequence[str]]) -> tuple[Passage, ...]:
    """The gold passages; of gold pages the passages that contain a gold answer, since not all of a page does."""
    named = _passages(corpus, item.gold_passages)
    for page in filter(page_key, item.gold_passages):
        named += tuple(
            passage
            for _, passage in corpus.golds.passages(page, corpus.languages, OF_A_PAGE)
            if _answers(passage, (*answers.get(passage.language, ()), *answers.get(item.language, ())))
        )
    return named


def _answers(passage: Passage, texts: Sequence[str]) -> bool:
    return flexible_em(passage.searchable, texts, language=language(passage.language)).value == 1.0


def _passages(corpus: Corpus, ids: Sequence[str]) -> tuple[Passage, ...]:
    """The passages with these ids that the corpus has, in this order."""
    rows = corpus.lexical.rows_of(set(ids))
    passages = {passage.id: passage for passage in corpus.table.passages(list(rows.values()))}
    return tuple(passages[name] for name in dict.fromkeys(ids) if name in passages)


def _is_long(gold: str) -> bool:
    signs = len(LETTER.findall(gold)) + sum(sign.isdigit() for sign in gold)
    return signs >= (SHORTEST_UNSPACED if UNSPACED.search(gold) else SHORTEST)


def _containing(corpus: Corpus, item: Instance, golds: Mapping[str, Sequence[str]]) -> Iterator[Passage]:
    """The best passages that contain a gold answer, the question's language and English first."""
    count = 0
    for code in sorted(corpus.languages, key=lambda code: (code != item.language, code != ENGLISH, code)):
        texts = tuple(dict.fromkeys((*golds.get(code, ()), *golds.get(item.language, ()))))
        question = item.text if code == item.language else ""
        queries = [Query(f"{question} {text}".strip(), code, (code,)) for text in texts]
        rankings = corpus.lexical.retrieve(queries, SEARCHED)
        hits = {hit.row: hit for ranking in rankings for hit in ranking}
        rows = sorted(hits, key=lambda row: (-hits[row].score, row))
        for passage in corpus.table.passages(rows):
            if _answers(passage, texts):
                yield passage
                count += 1
                if count == KEPT:
                    return
