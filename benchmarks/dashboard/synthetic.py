"""A made-up table of results, called synthetic wherever it has a name: random scores, no model and no text behind it.

7 modes × 4 scopes × 6 prompts over 13 languages as in the sample's full matrix, with as many questions per language
as make the requested number of answers.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator

from sqlalchemy import Connection, Engine, case, func, insert, select, text

from workbench.languages.catalogue import CHIRKOVA_LANGUAGES
from workbench.pipeline.choices import MODES, SCOPES
from workbench.pipeline.prompts.variants import VARIANTS
from workbench.workspace import result_tables as t
from workbench.workspace.cache import batched
from workbench.workspace.score_blocks import add_blocks

NAME = "synthetic"
SEED = 20_260
METRICS = ("char3_recall", "flexible_em", "clr")
AT_ONCE = 20_000
UNSCORED = "Synthetic: 20 characters or fewer."


def fill(engine: Engine, answers: int) -> dict[str, int]:
    """Writes the experiment; returns how many answers and scores it has."""
    generator = random.Random(SEED)
    ways = [(mode.name, scope, item.name) for mode in MODES for scope in SCOPES for item in VARIANTS]
    each = max(1, round(answers / (len(ways) * len(CHIRKOVA_LANGUAGES))))
    with engine.begin() as connection:
        experiment = {"id": NAME, "name": "Synthetic, no real results", "kind": "matrix", "spec": "", "material": NAME}
        cells = len(ways) * len(CHIRKOVA_LANGUAGES) * each
        connection.execute(insert(t.experiments).values(**experiment, created=time.time(), cells=cells))
        connection.execute(insert(t.metrics), [{"id": place, "name": name} for place, name in enumerate(METRICS, 1)])
        runs = [_run(number, *way) for number, way in enumerate(ways)]
        connection.execute(insert(t.runs), runs)
        questions = [_question(number, code, each) for number, code in _question_ids(each)]
        for some in batched(questions, AT_ONCE):
            connection.execute(insert(t.questions), some)
    for number in range(len(ways)):
        rows = list(_answers(number, each, generator))
        with engine.begin() as connection:
            connection.execute(insert(t.answers), rows)
            given = [{"run": row["run"], "question": row["question"], "language": "en"} for row in rows]
            connection.execute(insert(t.document_languages), given)
    total = 0
    for metric in range(1, len(METRICS) + 1):
        # In the table's own order, as it is filled fastest.
        for number in range(len(ways)):
            scores = list(_scores(metric, number, each, generator))
            total += len(scores)
            with engine.begin() as connection:
                connection.execute(insert(t.scores), scores)
                add_blocks(connection, scores)
    with engine.begin() as connection:
        connection.execute(insert(t.flows), [row for number in range(len(ways)) for row in _flows(number, each)])
        count_totals(connection)
        connection.execute(text("ANALYZE"))
    return {"answers": cells, "scores": total, "runs": len(ways), "languages": len(CHIRKOVA_LANGUAGES)}


def count_totals(connection: Connection) -> None:
    """Adds up all answers and scores, for rows that were written without totals; none may be there yet."""
    a, s = t.answers.c, t.scores.c
    answered = case((a.failed, 0), else_=1)
    of_answers = select(
        a.run,
        a.language,
        func.sum(answered),
        func.sum(1 - answered),
        func.sum(a.seconds * answered),
        func.coalesce(func.sum(a.prompt_tokens), 0),
        func.coalesce(func.sum(a.completion_tokens), 0),
    ).group_by(a.run, a.language)
    of_scores = select(
        s.metric,
        s.run,
        s.language,
        func.count(),
        func.count(s.value),
        func.coalesce(func.sum(s.value), 0.0),
        func.coalesce(func.sum(s.value * s.value), 0.0),
    ).group_by(s.metric, s.run, s.language)
    connection.execute(insert(t.answer_totals).from_select(list(t.answer_totals.columns.keys()), of_answers))
    connection.execute(insert(t.score_totals).from_select(list(t.score_totals.columns.keys()), of_scores))


def _question_ids(each: int) -> Iterator[tuple[int, str]]:
    """Question ids with their language, in the order of ids."""
    for place, code in enumerate(sorted(CHIRKOVA_LANGUAGES)):
        for number in range(each):
            yield place * each + number + 1, code


def _run(number: int, mode: str, scope: str, prompt: str) -> dict[str, object]:
    return {
        "id": number + 1, "experiment_id": NAME, "number": number, "title": f"synthetic · {mode} · {scope} · {prompt}",
        "dataset": NAME, "corpus": NAME, "mode": mode, "scope": scope, "prompt": prompt, "model": NAME, "k": 5,
        "perturbation": "none", "recipe": "", "fingerprint": f"{number:016d}",
    }  # fmt: skip


def _question(number: int, code: str, each: int) -> dict[str, object]:
    name = f"synthetic-{(number - 1) % each:05d}"
    return {
        "id": number, "dataset": NAME, "language": code, "name": name, "fingerprint": f"{number:016d}",
        "text": f"Synthetic question {name}?", "answers": json.dumps(["synthetic"]), "gold": "[]", "evidence_in": "",
    }  # fmt: skip


def _answers(run: int, each: int, generator: random.Random) -> Iterator[dict[str, object]]:
    passages = json.dumps([[f"synthetic.{rank}.en", "en", 1 / rank] for rank in range(1, 6)], separators=(",", ":"))
    for question, code in _question_ids(each):
        yield {
            "run": run + 1, "question": question, "language": code, "failed": False, "error": "",
            "text": "A synthetic answer.", "answer_language": code, "passages": passages, "seconds": generator.random(),
            "prompt_tokens": 900, "completion_tokens": 20,
        }  # fmt: skip


def _scores(metric: int, run: int, each: int, generator: random.Random) -> Iterator[dict[str, object]]:
    lift = (run * 37 % 168) / 168
    for question, code in _question_ids(each):
        value: float | None = round(min(1.0, generator.random() * 0.6 + lift * 0.4), 3)
        if metric == 2:
            value = float(generator.random() < lift)
        elif metric == 3:
            value = None if generator.random() < 0.4 else float(generator.random() < 0.5 + lift / 2)
        reason = UNSCORED if value is None else None
        yield {
            "metric": metric,
            "run": run + 1,
            "language": code,
            "question": question,
            "value": value,
            "reason": reason,
        }


def _flows(run: int, each: int) -> Iterator[dict[str, object]]:
    for code in CHIRKOVA_LANGUAGES:
        for document in CHIRKOVA_LANGUAGES:
            yield {
                "run": run + 1, "language": code, "document_language": document, "answer_language": code,
                "documents": each * (3 if document == code else 1),
            }  # fmt: skip
