"""A reader over a small memory, and prompts for it."""

from workbench.core.records import Evidence, Generation, Passage, Prompt, Task
from workbench.models.translation.builtin_translator import BuiltinTranslator
from workbench.models.translation.translation_memory import TranslationMemory, Unit
from workbench.pipeline.reader.extractive import ExtractiveReader

MEMORY = TranslationMemory(
    (
        Unit(
            "1", (("en", "Marconi is named as the inventor of radio."), ("es", "Marconi es el inventor de la radio."))
        ),
        Unit("2", (("en", "Popov is named as the inventor of radio."), ("ru", "Изобретателем радио называют Попова."))),
        Unit("3", (("en", "Who invented radio?"), ("es", "¿Quién inventó la radio?"), ("ru", "Кто изобрёл радио?"))),
        Unit("4", (("en", "Bread is baked from flour."), ("ru", "Хлеб пекут из муки."))),
    )
)
QUESTION_ES = "¿Quién inventó la radio?"
DRAG = ("extraction", "explanation", "argumentation", "answer")


def translator() -> BuiltinTranslator:
    return BuiltinTranslator(MEMORY)


def evidence(*texts: tuple[str, str]) -> tuple[Evidence, ...]:
    """Evidence of (language, text) pairs, ranked in their order."""
    return tuple(
        Evidence(Passage(id=f"p{n}", document=f"d{n}", title="", language=language, text=text), rank=n)
        for n, (language, text) in enumerate(texts, start=1)
    )


def answer(task: Task) -> Generation:
    return ExtractiveReader(translator()).generate([Prompt(system="", user="", task=task)])[0]


def quoted(task: Task, generation: Generation) -> list[str]:
    """What the spans mark."""
    texts = {item.rank: item.text for item in task.evidence}
    return [texts[span.rank][span.start : span.end] for span in generation.spans]
