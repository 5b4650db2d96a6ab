"""The folder list shows the architecture: one idea per file, few files per folder, no basename twice."""

from __future__ import annotations

from collections import Counter

from tests.architecture.sources import ROOT, modules, place

LINES_AT_MOST = 300
LINES_AT_LEAST = 40
MODULES_AT_MOST = 15

SMALL: dict[str, str] = {
    "workbench/data/documents/citation.py": "one phrase, which screens and files share",
    "workbench/data/documents/formats/office_facts.py": "what Word and PowerPoint readers share",
    "workbench/components/adapters/cohere.py": "one service, one module",
    "workbench/components/packages.py": "the answer to one question: which packages are missing",
    "workbench/data/corpora/sample/memory.py": "a script that the Makefile calls",
    "workbench/pipeline/prompts/passage_order.py": "four orders, with their sources",
    "workbench/pipeline/prompts/nothing_retrieved.py": "one sentence in thirteen languages, with its check",
    "workbench/jobs/indexing/on_demand.py": "the answer to one question: which encoders index without being asked to",
    "workbench/models/e5_small/tokenizer.py": "what the file's vocabulary becomes; the weights need it not",
    "workbench/retrieval/encoders/e5_small/known_languages.py": "a list, needed before the encoder is",
    "workbench/retrieval/vector_search.py": "one protocol",
    "workbench/core/thinking.py": "used wherever a model's text is read, and needs no model",
    "workbench/core/translation.py": "one record",
    "workbench/experiments/results/queries/gold_documents.py": "the answer to one question: which documents are gold",
    "workbench/workspace/atomic.py": "the one way to write a file",
    "workbench/workspace/batches.py": "itertools.batched of Python 3.12",
    "workbench/workspace/diagnosis_tables.py": "one table, which results and labels do without",
    "workbench/workspace/language_yaml.py": "the one way to read prompt files by language",
    "workbench/workspace/name_locks.py": "the one lock on what has a name",
    "workbench/workspace/accounts/tokens.py": "used by sessions and keys, which do without each other",
    "workbench/app/question_check.py": "used below and beside Workbench, which would be a circle",
    "workbench/app/warming.py": "one verb of its own",
}
"""Modules below the least number of lines, each with the reason why it stands alone."""


def line_count(path: object) -> int:
    return len(open(str(path), encoding="utf-8").read().splitlines())  # noqa: PTH123


def test_no_file_is_longer_than_one_idea() -> None:
    long = {place(path): count for path in modules("workbench") if (count := line_count(path)) > LINES_AT_MOST}
    assert long == {}


def test_a_small_module_has_a_reason() -> None:
    small = {
        place(path)
        for path in modules("workbench")
        if path.name not in ("__init__.py", "__main__.py") and line_count(path) < LINES_AT_LEAST
    }
    assert small == set(SMALL)


def test_no_folder_is_a_long_flat_list() -> None:
    counts = Counter(place(path.parent) for path in modules("workbench") if path.name != "__init__.py")
    assert {folder: count for folder, count in counts.items() if count > MODULES_AT_MOST} == {}


def test_no_basename_stands_twice() -> None:
    names = Counter(path.name for path in modules("workbench") if path.name not in ("__init__.py", "__main__.py"))
    assert [name for name, count in names.items() if count > 1] == []


def test_every_package_says_what_it_is() -> None:
    packages = [path for path in modules("workbench") if path.name == "__init__.py"]
    assert [place(path) for path in packages if not path.read_text(encoding="utf-8").startswith('"""')] == []


def test_the_page_on_architecture_names_every_room() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = sorted(path.name for path in (ROOT / "workbench").iterdir() if (path / "__init__.py").is_file())
    assert [room for room in rooms if f"{room}/" not in page] == []
