"""The kinds of files that the workbench reads: well-formed ones, and what reads each in the process at hand."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.fuzz import seeds
from benchmarks.fuzz.mutations import mutated_file
from benchmarks.fuzz.workspace import ENDPOINTS, PRICES, TAXONOMY, Template

Read = Callable[[Path], object]
Try = Callable[[Random], str]
Prepare = Callable[[Template, Path], Try]
REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Kind:
    """Inputs of one kind. `prepare`, once in a process, gives what makes one input, reads it and says what it was."""

    name: str
    share: int
    prepare: Prepare


def file_kind(name: str, share: int, make: Callable[[Template, Path], tuple[list[Path], Read]]) -> Kind:
    """A kind whose inputs are files: `make` writes the well-formed ones and gives what reads one of them changed."""

    def prepare(template: Template, place: Path) -> Try:
        paths, read = make(template, place)
        contents = {path: path.read_bytes() for path in paths}
        for path in paths:  # a seed that is refused would have its changes refused for that alone
            read(path)

        def attempt(random: Random) -> str:
            path = random.choice(paths)
            path.write_bytes(mutated_file(path.name, contents[path], list(contents.values()), random))
            try:
                read(path)
            finally:
                path.write_bytes(contents[path])
            return path.name

        return attempt

    return Kind(name, share, prepare)


def _texts(place: Path, texts: Mapping[str, str | bytes]) -> list[Path]:
    place.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (place / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return [place / name for name in texts]


def _tours(_template: Template, place: Path) -> tuple[list[Path], Read]:
    from workbench.experiments.tours.tour import Tour, TourDocument, TourLibrary, TourStop, tour_bytes

    document = TourDocument(
        rank=1, id="d1", title="Radio", language="en", text="Marconi sent it.", marks=((0, 7),), scores={"bm25": 1.5}
    )
    stop = TourStop(
        question="Who?", language="en", answer="Marconi", recipe_title="tRAG", recorded="2026-11-22",
        golds=("Marconi",), documents=(document,), note="Wait.", recipe="mode: trag\n",
    )  # fmt: skip
    home = place / "home"

    def read(path: Path) -> None:
        TourLibrary(home).add_file("t", path.read_bytes())
        TourLibrary(home).list()
        TourLibrary(home).remove("t")

    return _texts(place, {"tour.json": tour_bytes(Tour(stops=(stop, stop)))}), read


def _taxonomies(_template: Template, place: Path) -> tuple[list[Path], Read]:
    from workbench.annotation import taxonomies

    shipped = (REPOSITORY / "workbench/annotation/taxonomies").glob("*.yaml")
    texts: dict[str, str | bytes] = {"ours.yaml": TAXONOMY, **{path.name: path.read_bytes() for path in shipped}}
    return _texts(place / "taxonomies", texts), lambda path: taxonomies(path.parents[1])


def _memories(_template: Template, place: Path) -> tuple[list[Path], Read]:
    from workbench.models import TranslationMemory, write_tmx
    from workbench.models.translation.translation_memory import Unit

    (path,) = _texts(place, {"memory.tmx": ""})
    pairs = [("Marconi sent 1 signal.", "Marconi lähetti 1 merkin."), ("The harbour is old.", "Satama on vanha.")]
    write_tmx(path, [Unit(f"u{n}", (("en", one), ("fi", two))) for n, (one, two) in enumerate(pairs)])

    def read(path: Path) -> None:
        memory = TranslationMemory.load(path)
        for source in memory.languages:
            for target in memory.languages:
                for text, _ in pairs:
                    memory.exact(text, source, target)
                    memory.fuzzy(text + " x", source, target)
        _ = memory.fingerprint

    return [path], read


def _spaces(_template: Template, place: Path) -> tuple[list[Path], Read]:
    from workbench.optimise import SearchOptions, most_recipes, read_space_file, space_to_yaml
    from workbench.optimise.space.space_files import EXAMPLES

    texts: dict[str, str | bytes] = {
        file.name: file.read_bytes() for file in EXAMPLES.iterdir() if file.name.endswith(".yaml")
    }
    paths = _texts(place, texts)
    everything = REPOSITORY / "tests/optimise/data/autorag-everything.yaml"
    seeds.write_files(place)
    paths += [
        *_texts(place, {"everything.yaml": everything.read_bytes()}),
        place / "autorag.yaml",
        place / "space.yaml",
    ]

    def read(path: Path) -> None:
        space = read_space_file(path).space
        most_recipes(space, SearchOptions())
        space_to_yaml(space)

    return paths, read


def _autorag_files(template: Template, place: Path) -> tuple[list[Path], Read]:
    paths, read = _spaces(template, place)
    return [path for path in paths if b"node_lines" in path.read_bytes()], read


def _experiments(_template: Template, place: Path) -> tuple[list[Path], Read]:
    from workbench.experiments import experiment_from_file, experiment_to_yaml
    from workbench.experiments.experiment import idle_fields

    full = (
        "name: F\ndatasets: [sample]\nlanguages: [en, fi]\nmodes: [multirag, drag]\nscopes: [en, all]\nquestions: 2\n"
        "models: [extractive]\nk: [3, 5]\nmetrics: [char3_recall, em]\nrecipe: {candidates: 30}\n"
        "vary: {rrf_k: [10, 60]}\nchunkings: [original]\n"
    )
    seeds.write_files(place)

    def read(path: Path) -> None:
        experiment = experiment_from_file(path)
        experiment_to_yaml(experiment)
        idle_fields(experiment)

    return [place / "matrix.yaml", *_texts(place, {"full.yaml": full})], read


def _recipes(_template: Template, place: Path) -> tuple[list[Path], Read]:
    from workbench.pipeline import recipe_from_file, recipe_to_yaml, shipped_recipes

    texts: dict[str, str | bytes] = {f"{item.name}.yaml": recipe_to_yaml(item.recipe) for item in shipped_recipes()}
    return _texts(place, texts), lambda path: recipe_to_yaml(recipe_from_file(path))


def _endpoints(_template: Template, place: Path) -> tuple[list[Path], Read]:
    from workbench.components import endpoints
    from workbench.components.endpoint_file import split_model

    more = ENDPOINTS + "other:\n  url: https://api.example.org/v1, http://127.0.0.1:10/v1\n  at_once: 4\n"

    def read(path: Path) -> None:
        (path.parent / "endpoints.yaml").write_bytes(path.read_bytes())
        for name in endpoints(path.parent):
            split_model(f"m@{name}", path.parent)

    return _texts(place, {"one.yaml": ENDPOINTS, "two.yaml": more}), read


def _prices_and_settings(_template: Template, place: Path) -> tuple[list[Path], Read]:
    from workbench.components import identifier_choice
    from workbench.models.llm.cost import read_prices

    def read(path: Path) -> None:
        read_prices(path) if path.name == "prices.yaml" else identifier_choice(path.parent)

    return _texts(place, {"prices.yaml": PRICES, "settings.yaml": "identifier: builtin\n"}), read


def _label_files(_template: Template, place: Path) -> tuple[list[Path], Read]:
    from tests.annotation.material import SEVERAL, add_answers
    from workbench.annotation import LABEL_FORMATS, export_labels, import_labels, preview_labels
    from workbench.annotation.label_store import LabelStore
    from workbench.annotation.queue_store import QueueStore
    from workbench.annotation.text_spans import text_span
    from workbench.experiments import ResultStore
    from workbench.workspace.settings import default_database

    place.mkdir(parents=True, exist_ok=True)
    store = ResultStore.at(default_database(place))
    queues, labels = QueueStore(store), LabelStore(store)
    queue = queues.create("Lights", SEVERAL, add_answers(store), per_language=1)
    for item in queues.items(queue.id):
        labels.save(item, "Anna", ["good", "odd"], "=1+1", [text_span(item.answer, 0, 3)])
        labels.save(item, "Anna", [], on="claim:1", translated=True)
        labels.complete(item, "Anna")
    paths = [place / f"labels-{name}{form.suffix}" for name, form in LABEL_FORMATS.items()]
    for name, path in zip(LABEL_FORMATS, paths, strict=True):
        export_labels(store, queue, name, path)

    def read(path: Path) -> None:
        preview_labels(store, path)
        import_labels(store, path)
        list(labels.labels(queue.id))

    return paths, read


def _predictions_and_cases(_template: Template, place: Path) -> tuple[list[Path], Read]:
    from workbench.cli.score import _cases, _measures
    from workbench.experiments.results.predictions import PredictionColumns, read_predictions
    from workbench.metrics import score_cases

    seeds.write_files(place)
    measures = _measures("char3_recall,em,f1", "", "", "")

    def read(path: Path) -> None:
        if path.name == "predictions.jsonl":
            read_predictions(path, "mine", ("en",), PredictionColumns(), "en")
        else:
            score_cases(_cases(path, Counter()), measures, lambda _rows: None)

    return [place / "predictions.jsonl", place / "cases.jsonl"], read


def _table(_template: Template, place: Path) -> tuple[list[Path], Read]:
    from workbench.data import Columns, table_rows
    from workbench.data.datasets.formats.table import read_table

    seeds.write_files(place)

    def read(path: Path) -> None:
        with contextlib.suppress(StopIteration):
            next(iter(table_rows(path)))
        read_table(path, Columns(question="question", answers="answer", id="id"), languages=("en",))

    return [place / f"table.{end}" for end in ("csv", "tsv", "jsonl", "csv.gz", "xlsx")], read


def _datasets(_template: Template, place: Path) -> tuple[list[Path], Read]:
    from tests.data.datasets import forms
    from workbench.data import dataset_format, read_dataset
    from workbench.data.corpora.corpus_library import CorpusLibrary

    rows = {
        "mkqa.jsonl": [forms.mkqa_row(n) for n in range(4)],
        "xor-tydi.jsonl": [forms.xor_row(n) for n in range(4)],
        "tydi-qa.jsonl": [forms.tydi_row(n, "finnish", "Äiti.\nJää.", "Jää") for n in range(3)],
        "natural-questions.jsonl": [
            {"id": str(n), "input": f"q {n}?", "output": [{"answer": "a", "provenance": [
                {"wikipedia_id": "12", "title": "T", "section": "Section::::Abstract.", "start_paragraph_id": 1}]}]}
            for n in range(3)
        ],
        "natural-questions-open.jsonl": [{"question": f"q {n}?", "answer": ["a"]} for n in range(3)],
    }  # fmt: skip
    paths = _texts(place, {name: forms.jsonl(lines) for name, lines in rows.items()})
    paths += _texts(place, {"mkqa-zipped.jsonl.gz": b"", "squad.json": json.dumps(seeds.SQUAD)})
    forms.write(place, "mkqa-zipped.jsonl.gz", forms.jsonl(rows["mkqa.jsonl"]))
    folders = {"mlqa": forms.mlqa, "borderlines": forms.borderlines, "beir": forms.beir, "autorag": forms.autorag}
    for name, make in folders.items():
        paths += sorted(path for path in make(place / name).rglob("*") if path.is_file())
    corpora = CorpusLibrary(place / "corpora")

    def read(path: Path) -> None:
        inside = path.relative_to(place).parts
        name = inside[0] if len(inside) > 1 else path.name.partition(".")[0]
        name = name.removesuffix("-open").removesuffix("-zipped")
        form = dataset_format(name)
        source: Any = place / name if len(inside) > 1 else [path] if name == "squad" else path
        options = {option.name: "en" for option in form.options if option.name == "language"}
        collection = read_dataset(form, source, options, corpora)
        if collection.passages:
            Counter(passage.language for passage in collection.passages())

    return paths, read


def _documents(*formats: str) -> Callable[[Template, Path], tuple[list[Path], Read]]:
    def make(_template: Template, place: Path) -> tuple[list[Path], Read]:
        from tests.data.documents import hostile_pdfs, office_files as office
        from workbench.core import DataError
        from workbench.data import DocumentReading, OcrRequest, ReadingOptions
        from workbench.data.documents.isolated_reading import FileRequest, IsolatedReader

        text = f"# Summer\n\n{office.FIRST}\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n{office.SECOND}\n"
        table = f"boat,owner\nGull,Aino\n{office.FIRST},x\n"
        page = f"<html lang=en><head><title>T</title></head><body><h1>S</h1><p>{office.FIRST}</p><table><tr><td>1</td>"
        everything: dict[str, bytes] = {
            "one.pdf": hostile_pdfs.sound(),
            "two.pdf": office.pdf(f"# Summer\n{office.FIRST}", office.SECOND, title="The harbour"),
            "image.pdf": hostile_pdfs.written(image=True),
            "locked.pdf": hostile_pdfs.written(password="x"),
            "a.docx": office.docx(),
            "a.pptx": office.pptx(),
            "a.xlsx": office.xlsx(),
            "a.epub": office.epub(),
            "a.html": f"{page}</tr></table><p>{office.SECOND}</p></body></html>".encode(),
            "a.txt": f"{office.FIRST}\n\n{office.SECOND}\nवह नाव है। これは船です。".encode(),
            "utf16.txt": office.FIRST.encode("utf-16"),
            "a.md": text.encode(),
            "a.csv": table.encode(),
            "a.tsv": table.replace(",", "\t").encode(),
            "a.jsonl": b'{"text": "The harbour is old.", "title": "T"}\n',
            "a.zip": office.archive(a__txt=office.FIRST.encode(), b__docx=office.docx(), c__html=b"<p>The boat.</p>"),
        }
        files = {name: data for name, data in everything.items() if name.rpartition(".")[2] in formats}
        reader = IsolatedReader()

        def read(path: Path) -> None:
            pages = "missing" if path.name == "image.pdf" and path.stat().st_mtime_ns % 10 == 0 else "off"
            options = ReadingOptions(ocr=OcrRequest(pages))  # type: ignore[arg-type]
            reading = DocumentReading([path], options)
            list(reading._file(reader, FileRequest(path, path.name, options.ocr)))
            for sentence in reading.report.refused.values():
                if "cannot be read (" in sentence:  # isolated_worker's, for what nobody thought of
                    raise UnexpectedReading(sentence)
                if path.name not in ("locked.pdf", "image.pdf"):
                    raise DataError(sentence)

        return _texts(place, files), read

    return make


class UnexpectedReading(Exception):
    """A reader met what nobody expected, and a sentence said so."""


FILE_KINDS = (
    file_kind("tours", 400, _tours),
    file_kind("taxonomies", 400, _taxonomies),
    file_kind("translation memories", 300, _memories),
    file_kind("AutoRAG's YAML", 400, _autorag_files),
    file_kind("search spaces", 400, _spaces),
    file_kind("experiments", 400, _experiments),
    file_kind("recipes", 250, _recipes),
    file_kind("endpoints.yaml", 300, _endpoints),
    file_kind("prices and settings", 150, _prices_and_settings),
    file_kind("label files", 400, _label_files),
    file_kind("predictions and cases", 200, _predictions_and_cases),
    file_kind("tables", 300, _table),
    file_kind("datasets", 500, _datasets),
    file_kind("PDF", 150, _documents("pdf")),
    file_kind("Office, EPUB and zip", 250, _documents("docx", "pptx", "xlsx", "epub", "zip")),
    file_kind("texts, pages and tables as documents", 200, _documents("html", "txt", "md", "csv", "tsv", "jsonl")),
)
