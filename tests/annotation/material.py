"""Answers in thirteen languages, stored as a job stores them, and a queue over them."""

from __future__ import annotations

from pathlib import Path

from tests.databases import database_url
from workbench.annotation.error_taxonomy import Taxonomy, TaxonomyLabel
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.core.records import Question
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment

TEXTS = {
    "en": ("When was the old harbour light lit?", "It was lit in 1874; the keeper’s house burned in 1902."),
    "ar": ("متى أُضيئت منارة الميناء القديمة؟", "أُضيئتْ سنة ١٨٧٤، ثم احترق بيتُ الحارس."),
    "zh": ("旧港的灯塔何时点亮？", "灯塔于1874年点亮，看守人的屋子后来烧毁了。"),
    "fr": ("Quand a-t-on allumé le vieux phare ?", "Il fut allumé en 1874, à l’été, par un gardien âgé."),
    "fi": ("Milloin vanha majakka sytytettiin?", "Se sytytettiin vuonna 1874 syysyönä."),
    "de": ("Wann wurde das alte Hafenfeuer entzündet?", "Es wurde 1874 entzündet, später übermalt."),
    "it": ("Quando fu acceso il vecchio faro?", "Fu acceso nel 1874; perché, non si sa più."),
    "ja": ("古い灯台はいつ点灯されましたか。", "1874年に点灯され、ガラスは後に取り替えられた。"),
    "ko": ("옛 등대는 언제 켜졌습니까?", "1874년에 켜졌고, 등대지기의 집은 불탔다."),
    "pt": ("Quando foi aceso o velho farol?", "Foi aceso em 1874; a lâmpada é de então."),
    "ru": ("Когда зажгли старый маяк?", "Его зажгли в 1874 году, ещё до войны, йодом пахло."),
    "es": ("¿Cuándo se encendió el viejo faro?", "Se encendió en 1874, según el farero; =SUMA(1)."),
    "th": ("ประภาคารเก่าเปิดไฟเมื่อใด", "เปิดไฟครั้งแรกในปี ๒๔๑๗ ที่ท่าน้ำเก่า"),
}
"""A question and its answer by language."""

LABELS = (
    TaxonomyLabel("good", "Good", "Nothing is wrong with it.", "The year is right."),
    TaxonomyLabel("bad", "Bad", "Something is wrong with it.", "The year is another."),
    TaxonomyLabel("odd", "Odd", "It reads strangely.", "The words are in another order."),
)
SEVERAL = Taxonomy("team-errors", 1, "Errors", "a test", "What is it like?", LABELS, True)
SINGLE = Taxonomy("team-verdict", 1, "Verdict", "a test", "Which is it?", LABELS, False)


def url(home: Path) -> str:
    return database_url(home / "workbench.db")


def add_answers(store: ResultStore, questions: int = 1, runs: int = 1) -> list[int]:
    """Stores an experiment with that many questions of each language; the stored ids of its runs."""
    rows = [
        RunRow(
            number,
            f"run {number}",
            "lights",
            "lights",
            "multirag",
            "all",
            "p",
            "extractive",
            5,
            "none",
            "{}",
            f"f{number}",
        )
        for number in range(runs)
    ]
    experiment_id = add_experiment(store.engine, "Lights", "matrix", "", 13 * questions * runs, "none", rows)
    results = [
        CellResult(
            run, Question(f"q{number}", f"{question} ({number})", code, ("1874",)), text, code, (("doc.1", "en", 0.5),)
        )
        for run in range(runs)
        for number in range(questions)
        for code, (question, text) in TEXTS.items()
    ]
    Writer(store.engine, experiment_id, ()).write("generate", 0, "lights", results)
    return [run.id for run in store.of(experiment_id).runs()]


def complete_all(queues: QueueStore, labels: LabelStore, queue: AnnotationQueue, person: str, key: str = "good") -> int:
    """A person gives every item left for them one label; how many that were."""
    count = 0
    while item := queues.next_item(queue.id, person):
        labels.save(item, person, [key])
        labels.complete(item, person)
        count += 1
    return count
