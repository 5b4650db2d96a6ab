"""What is mutated: command lines, and a well-formed file of each kind that the command line reads."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

SQUAD = {
    "data": [
        {
            "title": f"City {number}",
            "paragraphs": [
                {
                    "context": f"Helsinki {number} is the capital of Finland and has {number + 600} thousand people.",
                    "qas": [
                        {"id": f"q{number}", "question": "What is the capital?", "answers": [{"text": "Helsinki"}]}
                    ],
                }
            ],
        }
        for number in range(6)
    ]
}
TABLE = [("What is the capital?", "Helsinki"), ("Who invented radio?", "Marconi"), ("Where is Oulu?", "Finland")]

NASTY = (
    "", " ", "-1", "0", "1e309", "nan", "9" * 6000, "\udcff", "a\udc80b", "\u202e", "é" * 300, "x" * 100_000, "💥",
    "'", '"',
    "--", "--json", "--lang", "-", "../..", "/", "/dev/zero", "/dev/null/x", "/etc", "sample", "none", "null", "[]",
    "{}",
    "%s%n", "${HOME}", "; ls", "\\", "a\nb", "\t", "en", "fi", "zz", "all", "own", "ul", "baseline", "mine", "fz",
)  # fmt: skip


def write_files(folder: Path) -> dict[str, Path]:
    """Writes a well-formed file of each kind; returns them by name."""
    import openpyxl
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    lines = [{"id": f"t{n}", "question": q, "answer": a} for n, (q, a) in enumerate(TABLE)]
    jsonl = "".join(json.dumps(line) + "\n" for line in lines)
    csv = "id,question,answer\n" + "".join(f't{n},"{q}",{a}\n' for n, (q, a) in enumerate(TABLE))
    predictions = "".join(json.dumps({"id": f"q{n}", "answer": "Helsinki", "passages": []}) + "\n" for n in range(6))
    texts = {
        "squad.json": json.dumps(SQUAD),
        "table.jsonl": jsonl,
        "table.csv": csv,
        "table.tsv": csv.replace(",", "\t"),
        "predictions.jsonl": predictions,
        "cases.jsonl": '{"id": "1", "question": "Who?", "prediction": "Marconi", "answers": ["Marconi"], '
        '"language": "en"}\n',
        "space.yaml": "name: Fuzz\ndatasets: [mine]\nquestions: 2\nnodes:\n- node: mode\n  modules:\n"
        "  - name: plain\n    values: {mode: [baseline, multirag]}\n",
        "autorag.yaml": "vars: {top: 3}\nnode_lines:\n- node_line_name: search\n  nodes:\n  - node_type: retrieval\n"
        "    strategy: {metrics: [retrieval_recall], strategy: mean}\n    top_k: 3\n    modules:\n"
        "    - module_type: bm25\n",
        "recipe.yaml": "mode: multirag\nscope: en\nk: 3\ngenerator: extractive\n",
        "matrix.yaml": "name: Fuzz\ndatasets: [mine]\nlanguages: [en]\nmodes: [baseline, multirag]\nquestions: 2\n",
    }
    paths: dict[str, Path] = {}
    for name, text in texts.items():
        paths[name] = folder / name
        paths[name].write_text(text, encoding="utf-8")
    paths["table.csv.gz"] = folder / "table.csv.gz"
    paths["table.csv.gz"].write_bytes(gzip.compress(csv.encode()))
    book = openpyxl.Workbook()
    for row in [("id", "question", "answer"), *((f"t{n}", q, a) for n, (q, a) in enumerate(TABLE))]:
        book.active.append(row)  # type: ignore[union-attr]
    paths["table.xlsx"] = folder / "table.xlsx"
    book.save(paths["table.xlsx"])
    beir = folder / "beir"
    (beir / "qrels").mkdir(parents=True, exist_ok=True)
    (beir / "corpus.jsonl").write_text('{"_id": "d1", "title": "T", "text": "Helsinki is a city."}\n', encoding="utf-8")
    (beir / "queries.jsonl").write_text('{"_id": "q1", "text": "Which city?"}\n', encoding="utf-8")
    (beir / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", encoding="utf-8")
    autorag = folder / "autorag"
    autorag.mkdir(exist_ok=True)
    pq.write_table(pa.table({"doc_id": ["d1"], "contents": ["Helsinki is a city."]}), autorag / "corpus.parquet")
    qa = {"qid": ["q1"], "query": ["Which city?"], "retrieval_gt": [[["d1"]]], "generation_gt": [["Helsinki"]]}
    pq.write_table(pa.table(qa), autorag / "qa.parquet")
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        paths[f"beir/{name}"] = beir / name
    for name in ("corpus.parquet", "qa.parquet"):
        paths[f"autorag/{name}"] = autorag / name
    return paths


def readers(folder: Path) -> dict[str, tuple[str, ...]]:
    """The command line that reads each file of `write_files`."""
    table = ("--name", "fz", "--question", "question", "--answers", "answer", "--lang", "en")
    return {
        "squad.json": ("import", "squad", f"{folder}/squad.json", "--lang", "en", "--name", "fs"),
        **{
            f"table.{kind}": ("import", "table", f"{folder}/table.{kind}", *table)
            for kind in ("jsonl", "csv", "tsv", "csv.gz", "xlsx")
        },
        "predictions.jsonl": (
            "runs", "import", f"{folder}/predictions.jsonl", "--dataset", "mine", "--name", "p", "--lang", "en",
        ),
        "cases.jsonl": ("score", f"{folder}/cases.jsonl"),
        "recipe.yaml": ("ask", "What is the capital?", "--lang", "en", "--recipe", f"{folder}/recipe.yaml"),
        "matrix.yaml": ("run", f"{folder}/matrix.yaml", "--plan"),
        **{
            f"{name}.yaml": ("optimise", "start", f"{folder}/{name}.yaml", "--plan", "--pilot", "0")
            for name in ("space", "autorag")
        },
        **{
            f"beir/{name}": ("import", "beir", f"{folder}/beir", "--lang", "en", "--name", "fb")
            for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")
        },
        **{
            f"autorag/{name}": ("import", "autorag", f"{folder}/autorag", "--lang", "en", "--name", "fa")
            for name in ("corpus.parquet", "qa.parquet")
        },
    }  # fmt: skip


def commands(folder: Path, experiment: str) -> list[tuple[str, ...]]:
    """Well-formed command lines; none needs the network."""
    return [
        ("ask", "What is the capital?", "--lang", "en", "--corpus", "mine", "--json"),
        ("ask", "Mikä on pääkaupunki?", "--lang", "fi", "--mode", "crossrag", "--scope", "en", "--k", "3"),
        ("retrieve", "--corpus", "mine", "--dataset", "mine", "--lang", "en", "--k", "5", "--json"),
        ("score", f"{folder}/cases.jsonl", "--metrics", "char3_recall,em"),
        ("run", f"{folder}/matrix.yaml", "--plan", "--json"),
        ("runs", "list", "--json"),
        ("runs", "show", experiment, "--json"),
        ("runs", "show", experiment, "--metrics", "em,f1"),
        ("runs", "compare", experiment, "--metric", "char3_recall"),
        ("runs", "export", experiment, "--out", f"{folder}/out.csv", "--format", "csv"),
        ("runs", "export", experiment, "--out", f"{folder}/out.parquet"),
        ("runs", "resume", experiment, "--detach"),
        ("runs", "stop", experiment),
        ("corpora", "list"),
        ("corpora", "index", "mine"),
        ("datasets", "list", "--json"),
        ("models", "list"),
        ("models", "check", "generator", "extractive"),
        ("models", "use", "builtin"),
        ("recipes", "show", "chirkova-best"),
        ("doctor", "--deep"),
        *readers(folder).values(),
    ]
