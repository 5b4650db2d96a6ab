"""Small files in the forms of the public datasets, to write within a test."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def jsonl(rows: Iterable[Any]) -> bytes:
    """Return JSON lines, one row per line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def write(folder: Path, name: str, data: bytes | str) -> Path:
    """Write `data` to `folder`/`name`, gzipped if the name ends in .gz."""
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    raw = data.encode() if isinstance(data, str) else data
    place.write_bytes(gzip.compress(raw, 1) if name.endswith(".gz") else raw)
    return place


def mkqa_row(number: int, **answers: Any) -> Json:
    """Return a row in English, Finnish and two varieties of Chinese; `answers` replaces a language's list."""
    default_answers = {
        label: [{"type": "entity", "text": f"{label} {number}", "aliases": [f"{label} alias"]}] for label in LABELS
    }
    return {
        "query": f"question {number}",
        "answers": {**default_answers, **answers},
        "queries": {label: f"{label} question {number}?" for label in LABELS},
        "example_id": number,
    }


LABELS = ("en", "fi", "zh_tw", "zh_cn")
NULL = [{"type": "long_answer", "text": None}]


def xor_row(number: int, language: str = "fi", **changes: Any) -> Json:
    """Return a question with one answer; `changes` replaces values."""
    return {
        "id": str(number),
        "question": f"{language} kysymys {number}?",
        "lang": language,
        "answers": [f"vastaus {number}"],
        "split": "dev",
        **changes,
    }


def tydi_row(number: int, language: str, text: str, answer: str, **changes: Any) -> Json:
    """Return an article of paragraphs separated by new lines; the last one has the answer. Offsets count bytes."""
    raw = text.encode()
    spans, start = [], 0
    for part in text.split("\n"):
        end = start + len(part.encode())
        spans.append({"plaintext_start_byte": start, "plaintext_end_byte": end})
        start = end + 1
    at = raw.rindex(answer.encode()) if answer else -1
    minimal = {"plaintext_start_byte": at, "plaintext_end_byte": at + len(answer.encode()) if answer else -1}
    candidate = len(spans) - 1 if answer else -1
    return {
        "annotations": [
            {
                "annotation_id": 1,
                "minimal_answer": minimal,
                "passage_answer": {"candidate_index": candidate},
                "yes_no_answer": "NONE",
            }
        ],
        "document_plaintext": text,
        "document_title": "Juna",
        "document_url": f"https://example.org/{number}",
        "example_id": number,
        "language": language,
        "passage_answer_candidates": spans,
        "question_text": f"Question {number}?",
        **changes,
    }


def squad_form(title: str, *paragraphs: tuple[str, Sequence[tuple[str, str, str]]]) -> Json:
    """Return an article; each paragraph has questions as (id, question, answer)."""
    return {
        "data": [
            {
                "title": title,
                "paragraphs": [
                    {
                        "context": text,
                        "qas": [
                            {"id": name, "question": question, "answers": [{"text": answer, "answer_start": 0}]}
                            for name, question, answer in qas
                        ],
                    }
                    for text, qas in paragraphs
                ],
            }
        ]
    }


def mlqa(folder: Path) -> Path:
    """Write two questions in German and English over passages in both; the second is in English only."""
    texts = {"de": "Der Zug fährt um neun.", "en": "The train leaves at nine."}
    answers = {"de": "um neun", "en": "at nine"}
    questions = {"de": "Wann?", "en": "When?"}
    for context in texts:
        for question in texts:
            qas = [("q1", questions[question], answers[context])]
            if context == question == "en":
                qas.append(("q2", "What leaves?", "the train"))
            body = json.dumps(squad_form("Zug", (texts[context], qas)))
            write(folder, f"test/test-context-{context}-question-{question}.json", body)
    return folder


TERRITORIES = """Territory,Claimants,Controller,Region,Population
Long Island,Freedonia;Sylvania,Freedonia,Sea,10
Short Island,Sylvania;Freedonia,Unknown,Sea,0
Far Rock,Cathay;Formosa;Freedonia,Formosa,Sea,1
"""


def borderlines(folder: Path, **files: str) -> Path:
    """Write invented territories in English, French and two varieties of Chinese; one has no controller."""
    contents = {
        "disputed_territories.csv": TERRITORIES,
        "countries_info.json": json.dumps(
            {"Freedonia": {"code": "fr"}, "Cathay": {"code": "zh-CN"}, "Formosa": {"code": "zh-TW"}, "Sylvania": {}}
        ),
        "prompts/prompts_q_mc.txt": "Is Long Island A) or B)?\nIs Short Island A) or B)?\nIs Far Rock A), B) or C)?\n",
        "translate/prompts_mc_q/prompts.fr": "Île longue ?\nÎle courte ?\n",
        "translate/prompts_mc_q/choices.fr": '["Fridonie", "Sylvanie"]\n["Sylvanie", "Fridonie"]\n',
        "translate/terms/line_inds.fr.txt": "[0, 1]",
        "translate/prompts_mc_q/prompts.zh-CN": "远岩？\n",
        "translate/prompts_mc_q/choices.zh-CN": '["国泰", "福尔摩沙", "弗里多尼亚"]\n',
        "translate/terms/line_inds.zh-CN.txt": "[2]",
        "translate/prompts_mc_q/prompts.zh-TW": "長島？\n遠岩？\n",
        "translate/prompts_mc_q/choices.zh-TW": '["弗里多尼亞", "西爾瓦尼亞"]\n["國泰", "福爾摩沙", "弗里多尼亞"]\n',
        "translate/terms/line_inds.zh-TW.txt": "[0, 2]",
    }
    for name, text in {**contents, **files}.items():
        write(folder, name, text)
    return folder


def beir(folder: Path, **files: bytes | str) -> Path:
    """Write three documents and three queries, one of them not judged. `files` replaces by name."""
    contents: Mapping[str, bytes | str] = {
        "corpus.jsonl": jsonl(
            [
                {"_id": "d1", "title": "Ferry", "text": "The ferry leaves from the market square.", "metadata": {}},
                {"_id": "d2", "title": "", "text": "Line six ends at Arabia."},
                {"_id": "d3", "title": "Only a title", "text": ""},
            ]
        ),
        "queries.jsonl": jsonl(
            [{"_id": "q1", "text": "Where from?"}, {"_id": "q2", "text": "Six?"}, {"_id": "q3", "text": "?!"}]
        ),
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td2\t2\n",
    }
    for name, data in {**contents, **files}.items():
        write(folder, name, data)
    return folder


def autorag(folder: Path, qa: Mapping[str, list[Any]] | None = None) -> Path:
    """Write two passages and two questions; `qa` replaces columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    questions: dict[str, list[Any]] = {
        "qid": ["a", "b"],
        "query": ["Where from?", "What ends?"],
        "retrieval_gt": [[["p1"]], [["p1", "p2"], ["p2"]]],
        "generation_gt": [["the square"], ["line six", "the tram"]],
    }
    pq.write_table(pa.table({**questions, **(qa or {})}), folder / "qa.parquet")
    passages = {
        "doc_id": ["p1", "p2"],
        "contents": ["The ferry leaves from the square.", "Line six of the tram ends at Arabia."],
        "metadata": [
            {"title": "Ferry", "prev_id": None, "next_id": "p2"},
            {"title": "Tram", "prev_id": "p1", "next_id": "gone"},
        ],
    }
    pq.write_table(pa.table(passages), folder / "corpus.parquet")
    return folder
