"""Does the built-in reader quote the answer, across languages and within one, and is it silent where there is none?

    python -m benchmarks.reader --xquad DIR [--home DIR] [--learn]

DIR holds xquad.<language>.json, with the same paragraphs and questions in the same order. Settings, each of QUESTIONS
questions by the default recipe: *one* (each paragraph in one random language, two seeds), *gone* (the same questions of
half the articles, without their paragraph), *same* (questions and paragraphs in one language), *en* (questions in
another language over English paragraphs). A quotation is right where it holds the gold answer.

The weights and the threshold were learnt on every second article (`--learn` learns them again and prints them); all
figures are of the other articles. `--home` keeps the workspace with its indexes for another run.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from workbench.app.workbench import Workbench
from workbench.components.factory import late_interaction
from workbench.components.retrievers import index_dense
from workbench.core.records import Answer, Passage
from workbench.data.corpora.build import quiet
from workbench.languages.segment import sentences
from workbench.metrics.statistics.intervals import clustered_interval
from workbench.pipeline.reader.sentence_ranking import WEIGHTS, sentence_features
from workbench.pipeline.recipe import Recipe
from workbench.workspace.settings import load as settings

LANGUAGES = ("en", "es", "de", "ru", "ar", "zh", "th", "tr")
SEEDS = (5, 17)
QUESTIONS = 400


@dataclass(frozen=True, slots=True)
class XquadQuestion:
    """A question with its gold answer and the number of its paragraph."""

    text: str
    gold: str
    paragraph: int


@dataclass(frozen=True, slots=True)
class Case:
    """A question asked in `language`; `gold_language` is its paragraph's. `gone`: the paragraph is not there.

    `article` is the number of the article.
    """

    language: str
    gold_language: str
    question: XquadQuestion
    answer: Answer
    gone: bool
    article: int

    @property
    def quoted(self) -> list[str]:
        """The sentences that the reader quoted."""
        texts = {item.rank: item.text for item in self.answer.evidence}
        return [texts[span.rank][span.start : span.end] for span in self.answer.generation.spans]

    @property
    def is_right(self) -> bool:
        """Whether a quoted sentence holds the gold answer."""
        return any(letters(self.question.gold) in letters(text) for text in self.quoted)


Cases = dict[str, list[Case]]
Floats = npt.NDArray[np.float64]


def letters(text: str) -> str:
    """Letters and digits alone, folded."""
    return "".join(char for char in unicodedata.normalize("NFKD", text.casefold()) if char.isalnum())


def load(path: Path, code: str) -> tuple[list[Passage], list[XquadQuestion]]:
    """A file's paragraphs as passages, and its questions."""
    passages: list[Passage] = []
    questions: list[XquadQuestion] = []
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            name = f"{code}-{len(passages)}"
            questions += [
                XquadQuestion(item["question"], item["answers"][0]["text"], len(passages)) for item in paragraph["qas"]
            ]
            passages.append(Passage(name, name, "", code, paragraph["context"]))
    return passages, questions


def articles(path: Path) -> list[int]:
    """The number of each paragraph's article."""
    data = json.loads(path.read_text(encoding="utf-8"))["data"]
    return [number for number, article in enumerate(data) for _ in article["paragraphs"]]


class Settings:
    """The questions of each setting, asked."""

    def __init__(self, xquad: Path, home: Path) -> None:
        read = {code: load(xquad / f"xquad.{code}.json", code) for code in LANGUAGES}
        self._passages = {code: passages for code, (passages, _) in read.items()}
        self._questions = {code: questions for code, (_, questions) in read.items()}
        self._articles = articles(xquad / "xquad.en.json")
        self._bench = Workbench(settings(home))
        self._random = random.Random(7)

    def cases(self) -> Iterator[tuple[str, list[Case]]]:
        """Each setting's name and cases."""
        count = len(self._articles)
        for seed in SEEDS:
            draw = [LANGUAGES[n] for n in np.random.default_rng(seed).integers(0, len(LANGUAGES), count)]
            numbers = self._draw()
            gone = {self._questions["en"][number].paragraph for number in numbers[QUESTIONS // 2 :]}
            mixed = [self._passages[code][number] for number, code in enumerate(draw)]
            yield f"one, seed {seed}", self._ask(f"one{seed}", mixed, numbers, LANGUAGES, draw)
            rest = [passage for number, passage in enumerate(mixed) if number not in gone]
            half = numbers[QUESTIONS // 2 :]
            yield f"gone, seed {seed}", self._ask(f"gone{seed}", rest, half, LANGUAGES, draw, is_gone=True)
        everything = [passage for passages in self._passages.values() for passage in passages]
        numbers = self._draw()
        yield "same", self._ask("apart", everything, numbers, LANGUAGES, [], scope="ul")
        yield "en", self._ask("apart", everything, numbers, LANGUAGES[1:], ["en"] * count, scope="en")

    def _draw(self) -> list[int]:
        return self._random.sample(range(len(self._questions["en"])), QUESTIONS)

    def _ask(
        self,
        corpus: str,
        passages: Sequence[Passage],
        numbers: Sequence[int],
        languages: Sequence[str],
        draw: Sequence[str],
        *,
        scope: Literal["en", "ul", "all"] = "all",
        is_gone: bool = False,
    ) -> list[Case]:
        recipe = Recipe(corpus=corpus, scope=scope)
        if corpus not in {manifest.name for manifest in self._bench.library.list()}:
            self._bench.library.add(corpus, passages, source="XQuAD", licence="CC BY-SA 4.0")
        index_dense(self._bench.corpus(corpus), recipe, self._bench.settings.home, quiet)
        cases = []
        for turn, number in enumerate(numbers):
            code = languages[turn % len(languages)]
            paragraph = self._questions["en"][number].paragraph
            gold_language = draw[paragraph] if draw else code
            here, there = self._questions[code][number], self._questions[gold_language][number]
            answer = self._bench.ask(here.text, code, recipe, cached=False)
            question = XquadQuestion(here.text, there.gold, paragraph)
            cases.append(Case(code, gold_language, question, answer, is_gone, self._articles[paragraph]))
        return cases


def is_learnt_from(case: Case) -> bool:
    """Whether the weights may be learnt from a case: its article's number is even."""
    return case.article % 2 == 0


def report(settings_cases: Cases) -> None:
    """Prints the tables, of the articles that nothing was learnt from."""
    test_cases = {name: [case for case in cases if not is_learnt_from(case)] for name, cases in settings_cases.items()}
    one = [case for name, cases in test_cases.items() if name.startswith("one") for case in cases]
    gone = [case for cases in test_cases.values() for case in cases if case.gone]
    rows = {
        "across languages": [case for case in one if case.gold_language != case.language],
        "within one language": test_cases["same"],
        "over English only": test_cases["en"],
    }
    print("| setting | n | right | 95 % | else | silent | mean characters | right by language |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, cases in rows.items():
        right = [float(case.is_right) for case in cases]
        silent = [not case.quoted for case in cases]
        bounds = clustered_interval(right, [case.question.paragraph for case in cases])
        interval = f"{bounds.low:.3f}-{bounds.high:.3f}" if bounds else "-"
        quoting = [case for case in cases if case.quoted]
        length = np.mean([sum(map(len, case.quoted)) for case in quoting])
        by = _by_language(cases, [case.is_right for case in cases])
        otherwise = 1 - np.mean(right) - np.mean(silent)
        print(
            f"| {name} | {len(cases)} | {np.mean(right):.3f} | {interval} | {otherwise:.3f} | {np.mean(silent):.3f} "
            f"| {length:.0f} | {by} |"
        )
    alarms, misses = [not case.quoted for case in one], [bool(case.quoted) for case in gone]
    print(
        f"\nSilence: {1 - (np.mean(alarms) + np.mean(misses)) / 2:.3f} balanced; false alarms {np.mean(alarms):.3f} of "
        f"{len(one)} ({_by_language(one, alarms)}), misses {np.mean(misses):.3f} of {len(gone)} "
        f"({_by_language(gone, misses)})"
    )


def _by_language(cases: Sequence[Case], values: Sequence[bool]) -> str:
    pairs = [(case.language, value) for case, value in zip(cases, values, strict=True)]
    return " ".join(
        f"{code} {np.mean([value for other, value in pairs if other == code]):.2f}"
        for code in sorted({code for code, _ in pairs})
    )


def learn(settings_cases: Cases, home: Path) -> None:
    """Prints the weights of the features and the constant, as log-odds that the evidence bears on the question."""
    meaning = late_interaction(home)
    assert meaning is not None, "the package of e5-small is needed"
    of_cases: list[tuple[Case, Floats, npt.NDArray[np.bool_]]] = []
    mixed = [case for name, cases in settings_cases.items() if name.startswith(("one", "gone")) for case in cases]
    apart = [case for name in ("same", "en") for case in settings_cases[name]]
    for case in (case for case in (*mixed, *apart) if is_learnt_from(case)):
        task = case.answer.prompt.task
        parts = [sentences(item.text) for item in task.evidence]
        rows, holds = [], []
        for item, spans, of_passage in zip(task.evidence, parts, sentence_features(task, parts, meaning), strict=True):
            is_gold = item.passage.id == f"{case.gold_language}-{case.question.paragraph}"
            rows += [features for features, _ in of_passage]
            holds += [is_gold and letters(case.question.gold) in letters(item.text[slice(*span)]) for span in spans]
        of_cases.append((case, np.array(rows), np.array(holds)))
    spread = np.concatenate([rows for _, rows, _ in of_cases]).std(axis=0)
    ranked = [(rows / spread, holds) for case, rows, holds in of_cases if holds.any() and not case.gone]
    weights = minimize(_ranking_loss, np.zeros(len(WEIGHTS)), args=(ranked,), jac=True, method="L-BFGS-B").x / spread
    of_mixed = of_cases[: sum(map(is_learnt_from, mixed))]
    best = np.array([float((rows @ weights).max()) for _, rows, _ in of_mixed])
    bears = np.array([not case.gone for case, _, _ in of_mixed])
    share = np.where(bears, 0.5 / bears.sum(), 0.5 / (~bears).sum())

    def loss(values: Floats) -> float:
        log_odds = np.where(bears, 1, -1) * (values[0] * best + values[1])
        return float((share * np.logaddexp(0, -log_odds)).sum())

    scale, constant = minimize(loss, [1.0, 0.0], method="Nelder-Mead").x
    print(dict(zip(WEIGHTS, (weights * scale).round(2).tolist(), strict=True)), "constant", round(constant, 2))


def _ranking_loss(weights: Floats, cases: Sequence[tuple[Floats, npt.NDArray[np.bool_]]]) -> tuple[float, Floats]:
    """Minus the log-likelihood that a right sentence is drawn by a softmax over the scores, and its gradient."""
    value, gradient = float(weights @ weights), 2 * weights
    for rows, holds in cases:
        scores = rows @ weights
        shares = np.exp(scores - scores.max())
        right = shares * holds
        value -= float(np.log(right.sum() / shares.sum()))
        gradient -= rows.T @ (right / right.sum() - shares / shares.sum())
    return value, gradient


def main() -> None:
    """Asks, reports, and learns where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--xquad", type=Path, required=True)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--learn", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = arguments.home or Path(folder)
        cases: Cases = {}
        for name, of_setting in Settings(arguments.xquad, home).cases():
            cases[name] = of_setting
            print(f"{name}: {len(of_setting)} questions", flush=True)
        report(cases)
        if arguments.learn:
            learn(cases, home)


if __name__ == "__main__":
    main()
