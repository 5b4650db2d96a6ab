"""D-RAG prompts: asking for an answer in up to four labelled parts, in one prompt or one prompt per part.

Source: Ranaldi et al. (2025, D-RAG), Table 6 for the framework (labels kept, wording ours), Figure 2 for
leaving out a part, Table 13 for the language of the argument (Table 6 asks for it in the first part; here each of the
first three may name it), Table 14 for one prompt against four. The template is in
English; the last part asks for the answer in the question's language. The system prompt variants do not apply.
Untrusted text is inserted verbatim and in one pass, as in `compose`.

One prompt per part, each of which shows what the earlier ones gave:

    sections = Sections()
    for part in task.dialectic:
        text = generate(render_part(task, part, sections))
        sections = add_part(sections, part, text)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from workbench.core import Prompt, Sections, Task, errors, fingerprint
from workbench.languages import language
from workbench.pipeline.prompts.compose import documents_of
from workbench.pipeline.prompts.sections import PART_LABELS, PARTS, assemble, parse, write
from workbench.workspace import fill, read_block

__all__ = [
    "OPTIONAL",
    "PARTS",
    "Template",
    "add_part",
    "load",
    "parse",
    "render",
    "render_part",
    "shipped",
    "write",
]

OPTIONAL = ("extraction", "explanation", "argumentation")
"""The parts that may be left out (Figure 2)."""

UNNAMED = ("explanation", "argumentation")
"""The parts that name no language where the argument's is asked for in the first alone, as in Table 6."""

LANGUAGE_OF = {part: "question_language" if part == "answer" else "argument_language" for part in PARTS}
"""The placeholder that names the language of each part."""


@dataclass(frozen=True, slots=True)
class Template:
    """The texts of a D-RAG prompt.

    `single` asks for all parts, `first` and `later` for one; `instructions` maps a part to the request for it, and
    `unnamed` the second and third to one that names no language. `identity` changes whenever any text but those in
    `unnamed` does, `unnamed_identity` with these.
    """

    system: str
    single: str
    first: str
    later: str
    no_documents: str
    instructions: Mapping[str, str]
    identity: str
    unnamed: Mapping[str, str]
    unnamed_identity: str


def render(task: Task) -> Prompt:
    """One prompt for all of `task.dialectic`, argued in `task.argument_language`.

    Raises UsageError unless the parts end with `answer` and keep their order.
    """
    requested = _checked(task.dialectic)
    template = shipped()
    steps = (f"{number}) {_instruction(template, task, part)}" for number, part in enumerate(requested, start=1))
    user = fill(template.single, {**_inputs(template, task), "instructions": "\n\n".join(steps)})
    return Prompt(template.system, user, replace(task, answer_language=task.language, entities_in=""))


def render_part(task: Task, part: str, earlier: Sections) -> Prompt:
    """The prompt for one part, which shows the parts in `earlier`; its task's `dialectic` is that part alone.

    Raises UsageError for a part that `task.dialectic` does not hold.
    """
    requested = _checked(task.dialectic)
    if part not in requested:
        raise errors.unknown_name("part", part, requested)
    template = shipped()
    values = {**_inputs(template, task), "instruction": _instruction(template, task, part), "earlier": write(earlier)}
    user = fill(template.later if values["earlier"] else template.first, values)
    part_task = replace(task, dialectic=(part,), answer_language=task.language, entities_in="")
    return Prompt(template.system, user, part_task)


def add_part(sections: Sections, part: str, text: str) -> Sections:
    """`sections` with a model's text for `part`: what follows that label if the text has it, else all of the text."""
    parsed = parse(text)
    body = getattr(parsed, part) if part in parsed.present else text.strip()
    return assemble({**{name: getattr(sections, name) for name in sections.present}, part: body})


def load(folder: Traversable | None = None) -> Template:
    """The template in `templates/dialectic.yaml` of `folder` (by default the one that ships).

    Raises DataError, one sentence with the file's name, for anything missing, unknown or misspelt.
    """
    root = files("workbench.pipeline.prompts") if folder is None else folder
    block = read_block(root.joinpath("templates").joinpath("dialectic.yaml"))
    block.check_keys(("source", "system", "single", "first", "later", "no_documents", "instructions"))
    unnamed = read_block(root.joinpath("templates").joinpath("dialectic_unnamed.yaml"))
    unnamed.check_keys(("source", *UNNAMED))
    inputs = {"documents": 1, "question": 1}
    instructions = block.block("instructions")
    instructions.check_keys(PARTS)
    return Template(
        system=block.text("system"),
        single=block.text("single", {**inputs, "instructions": 1}),
        first=block.text("first", {**inputs, "instruction": 1}),
        later=block.text("later", {**inputs, "instruction": 1, "earlier": 1}),
        no_documents=block.text("no_documents"),
        instructions={part: instructions.text(part, {"label": 1, LANGUAGE_OF[part]: 1}) for part in PARTS},
        identity=fingerprint("dialectic", block.values),
        unnamed={part: unnamed.text(part, {"label": 1}) for part in UNNAMED},
        unnamed_identity=fingerprint("dialectic unnamed", unnamed.values),
    )


@cache
def shipped() -> Template:
    """The template that ships with the workbench, loaded once."""
    return load()


def _checked(requested: tuple[str, ...]) -> tuple[str, ...]:
    if requested == tuple(part for part in PARTS if part in requested or part not in OPTIONAL):
        return requested
    raise errors.UsageError(
        f"The dialectic parts “{errors.shorten(', '.join(requested))}” cannot be asked for: "
        f"give {', '.join(PARTS)} in this order, of which {' and '.join(OPTIONAL)} may be left out."
    )


def _inputs(template: Template, task: Task) -> dict[str, str]:
    return {"documents": documents_of(task) or template.no_documents, "question": task.question}


def _instruction(template: Template, task: Task, part: str) -> str:
    names = {
        "argument_language": language(task.argument_language).name,
        "question_language": language(task.language).name,
        "label": PART_LABELS[part],
    }
    is_unnamed = part in UNNAMED and task.argument_language_in == "extraction"
    return fill((template.unnamed if is_unnamed else template.instructions)[part], names)
