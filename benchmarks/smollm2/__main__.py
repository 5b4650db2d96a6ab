"""What smollm2 does in each path of a language model: python -m benchmarks.smollm2 [PATH …] [--n 10]

Questions, passages and translations are the sample's, drawn evenly; a line for each path. torch has one thread.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from sacrebleu import sentence_chrf

from workbench.app.workbench import Workbench
from workbench.components import factory
from workbench.core.errors import TranslationFailed, WorkbenchError
from workbench.core.records import Generation, Prompt, Query, Question, Task
from workbench.data.corpora import sample
from workbench.experiments.results.scoring import SharedJudge
from workbench.jobs.question_generation.draft_store import WritingRequest
from workbench.jobs.question_generation.question_writing import QuestionWriting
from workbench.languages.catalogue import language
from workbench.metrics.answers.flexible_em import flexible_em
from workbench.metrics.judged.judge import judged_by
from workbench.metrics.measure import Case
from workbench.models.llm.conversation import TokenLimits
from workbench.models.translation.model_translators import LlmTranslator
from workbench.pipeline.executor import Executor
from workbench.pipeline.prompts.dialectic import PARTS, format_failure
from workbench.pipeline.recipe import Dialectic, Recipe
from workbench.workspace.settings import load

MODEL = "smollm2"
FIRST = 10
"""Candidates that rerankers order."""
TRANSLATION_TOKENS = 128
"""The most tokens of a translation; the workbench allows 2,048, to which this model runs on."""
DIALECTIC_TOKENS = {"one": 512, "four": 256}
"""The most tokens of an output, or of one of its four parts."""
Measurement = Callable[[Workbench, int], str]


def drawn(number: int, code: str = "en") -> list[Question]:
    """Questions with an answer and one gold passage, evenly from the sample."""
    fit = [item for item in sample.questions(code) if item.gold and item.evidence_in in ("en", "both")]
    return fit[:: max(1, len(fit) // number)][:number]


def recipe(**fields: object) -> Recipe:
    """smollm2 reads three English passages."""
    return Recipe.model_validate({"generator": MODEL, "mode": "multirag", "scope": "en", "k": 3, **fields})


def ask(bench: Workbench, number: int, code: str = "en") -> str:
    """Short answers: right by their gold, ended by the model, in the right language; pace."""
    questions = drawn(number, code)
    right = ended = spoken = tokens = 0
    seconds = 0.0
    for item in questions:
        answer = bench.ask(item.text, code, recipe(), cached=False)
        right += bool(flexible_em(answer.text, item.answers, language=language(code)).value)
        ended += answer.generation.finish == "stop"
        spoken += answer.answer_language == code
        usage = answer.generation.usage
        assert usage is not None
        tokens, seconds = tokens + usage.completion_tokens, seconds + usage.seconds
    total = len(questions)
    return (
        f"{code}: right {right} of {total}; ended by itself {ended}; in the question's language {spoken}; "
        f"{tokens / seconds:.1f} tokens a second"
    )


def judge(bench: Workbench, number: int) -> str:
    """Verdicts on gold answers and on answers to other questions, and marks from 1 to 5: read, and right."""
    questions = drawn(number)
    measures = {
        item.name: item for item in judged_by(SharedJudge(MODEL, bench.settings.home, Executor(on_error="isolate")))
    }
    words = []
    for name, shift in (("gold", 0), ("another question's", 1)):
        answers = [questions[(place + shift) % len(questions)].answers[0] for place in range(len(questions))]
        cases = [
            Case(answer, item.answers, language("en"), item.text)
            for item, answer in zip(questions, answers, strict=True)
        ]
        scores = [score.value for score in measures["correctness"].score(cases)]
        read = [value for value in scores if value is not None]
        words.append(f"{name} answer: read {len(read)} of {len(scores)}, called right {int(sum(read))}")
    marks = [score.value for score in measures["g_eval_fluency"].score(cases)]
    read = [value for value in marks if value is not None]
    return f"{'; '.join(words)}; marks read {len(read)} of {len(marks)}: {dict(Counter(read))}"


def rank_of_gold(bench: Workbench, item: Question, using: Recipe) -> float:
    """1 / rank of the first gold passage among the evidence, 0 where it is not there."""
    evidence = bench.search(item.text, item.language, using, cached=False)
    return next((1 / document.rank for document in evidence if document.passage.id in item.gold), 0.0)


def searching(bench: Workbench, number: int, **fields: object) -> str:
    """MRR among ten candidates, without and with what smollm2 does."""
    plain, changed, failures = [], [], Counter[str]()
    for item in drawn(number):
        try:
            changed.append(rank_of_gold(bench, item, recipe(k=FIRST, candidates=FIRST, **fields)))
        except WorkbenchError as error:
            failures[str(error)[:70]] += 1
            continue
        plain.append(rank_of_gold(bench, item, recipe(k=FIRST, candidates=FIRST)))
    mean = [sum(values) / max(1, len(values)) for values in (plain, changed)]
    return (
        f"usable {len(changed)} of {len(changed) + failures.total()}; MRR {mean[0]:.2f} without, {mean[1]:.2f} with"
        + (f"; {dict(failures)}" if failures else "")
    )


def decompose(bench: Workbench, number: int) -> str:
    """Questions of the reply."""
    expander = bench.registry.expander(recipe(query_expansion="decompose"))
    assert expander is not None
    counts, echoes = Counter[int](), 0
    for item in drawn(number):
        (expansion,) = expander.expand([Query(item.text, "en", ("en",))])
        if isinstance(expansion, WorkbenchError):
            counts[-1] += 1
            continue
        counts[len(expansion.queries)] += 1
        echoes += expansion.queries[0].casefold() == item.text.casefold()
    return f"queries: {dict(sorted(counts.items()))}; the question itself first {echoes}"


def translate(bench: Workbench, number: int, source: str = "de") -> str:
    """The sample's aligned sentences to English within TRANSLATION_TOKENS: accepted, ended by the model, and chrF."""
    pairs = [(texts[source], texts["en"]) for group in sample.aligned_sentences() if source in (texts := dict(group))]
    pairs = pairs[:: len(pairs) // number][:number]
    generator = factory.generator(MODEL, bench.settings.home, limits=TokenLimits(TRANSLATION_TOKENS))
    scores, failed, ended = [], 0, 0

    class Completer:
        def complete(self, system: str, user: str) -> Generation:
            nonlocal ended
            (generation,) = generator.generate([Prompt(system, user, Task("", ""))])
            ended += generation.finish == "stop"
            return generation

    translator = LlmTranslator(Completer(), generator.identity)
    for text, reference in pairs:
        try:
            (translation,) = translator.translate([text], source, "en")
            scores.append(sentence_chrf(translation.text, [reference]).score)
        except TranslationFailed:
            failed += 1
    mean = sum(scores) / max(1, len(scores))
    return (
        f"{source}→en: accepted {len(scores)} of {number}; ended by itself {ended}; chrF of those accepted {mean:.0f}"
    )


def write(bench: Workbench, number: int) -> str:
    """Drafts of questions: what became of them."""
    request = WritingRequest("sample", MODEL, languages=("en",), per_language=number, checker="extractive")
    writing = QuestionWriting(bench, "written", request)
    writing.write()
    return str(dict(Counter(f"{item.status} {item.filter}".strip() for item in writing.store.drafts("written"))))


def drag(bench: Workbench, number: int, prompts: Literal["one", "four"] = "one") -> str:
    """D-RAG: all four sections, a labelled answer, and why not."""
    using = recipe(mode="drag", max_new_tokens=DIALECTIC_TOKENS[prompts], dialectic=Dialectic(prompts=prompts))
    complete = answered = right = 0
    failures, tokens = Counter[str](), 0
    for item in drawn(number):
        answer = bench.ask(item.text, "en", using, cached=False)
        assert answer.sections is not None
        complete += set(answer.sections.present) == set(PARTS)
        failure = format_failure(answer.sections)
        answered += not failure
        failures[failure] += 1
        right += not failure and bool(flexible_em(answer.text, item.answers, language=language("en")).value)
        tokens += answer.generation.usage.completion_tokens if answer.generation.usage else 0
    del failures[""]
    return (
        f"four sections {complete} of {number}; a labelled answer {answered}; that is right {right}; "
        f"{tokens / number:.0f} tokens each; {dict(failures)}"
    )


PATHS: dict[str, Measurement] = {
    "ask": ask,
    "ask-de": lambda bench, number: ask(bench, number, "de"),
    "ask-fi": lambda bench, number: ask(bench, number, "fi"),
    "judge": judge,
    "hyde": lambda bench, number: searching(bench, number, query_expansion="hyde"),
    "decompose": decompose,
    "rankgpt": lambda bench, number: searching(bench, number, reranker=f"llm:{MODEL}"),
    "upr": lambda bench, number: searching(bench, number, reranker=f"upr:{MODEL}"),
    "translate": translate,
    "write": write,
    "drag": drag,
    "drag-four": lambda bench, number: drag(bench, number, "four"),
}


def main(names: Sequence[str], number: int) -> None:
    """Prints a line for each path."""
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench(load(Path(folder)))
        for name in names or PATHS:
            began = time.monotonic()
            print(f"{name}: {PATHS[name](bench, number)} ({time.monotonic() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", choices=[[], *PATHS])
    parser.add_argument("--n", type=int, default=10)
    given = parser.parse_args()
    main(given.paths, given.n)
