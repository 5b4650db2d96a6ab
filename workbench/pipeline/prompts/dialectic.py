"""D-RAG: prompts that ask for an answer in up to four labelled parts, and the parser of such an answer.

Source: Ranaldi et al. (2025, D-RAG), section 2, Table 6 for the framework (labels kept, wording ours), Figure 2 for
leaving out a part, Table 13 for the language of the argument (Table 6 asks for it in the first part; here each of the
first three may name it), Table 14 for one prompt against four. The template is in English; the last part asks for the
answer in the question's language. The system prompt variants do not apply. Untrusted text is inserted verbatim and in
one pass, as in `compose`.

The labels of Table 6 are `#Extraction`, `#Explanation` (the paper also spells it `#Explaination`), `#Dialectic
Argumentation` and `#Answer`. Other spellings and their translations are in `templates/labels.yaml`.

One prompt per part, each of which shows what the earlier ones gave:

    sections = Sections()
    for part in task.dialectic:
        text = generate(render_part(task, part, sections))
        sections = add_part(sections, part, text)
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import regex

from workbench.core import Prompt, Sections, Task, errors, fingerprint
from workbench.languages import PROMPT_LANGUAGES, language
from workbench.pipeline.prompts.compose import documents_of
from workbench.workspace import fill, read_block

PARTS = ("extraction", "explanation", "argumentation", "answer")
PART_LABELS = {
    "extraction": "#Extraction:",
    "explanation": "#Explanation:",
    "argumentation": "#Dialectic Argumentation:",
    "answer": "#Answer:",
}
"""The label of each part as prompts ask for it and `write` gives it."""

HASHES = "#\uff03"
COLONS = ":\uff1a\ufe55\ufe30"
"""ASCII, then the full-width and small forms of East Asian text."""

DECORATION = frozenset(f"{HASHES}-*_=` \t\r\n")
"""A line of only these is a rule, a fence or a stray heading mark, never the last line of a part."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The labels that are understood: the part of each folded label, and the pattern of a label at a line's start."""

    parts: Mapping[str, str]
    pattern: regex.Pattern[str]


def parse(text: str) -> Sections:
    r"""The parts of `text`, each a stripped, unchanged piece of it.

    A label counts at the start of a line only, in any case and any of the languages of `labels.yaml`, with Markdown
    (headings, emphasis, quotes), a number or full-width marks around it. It needs a hash, a colon or emphasis of its
    own, or the line to itself: “Answer the question” is not a label. List items (`- Answer: …`) are not either, since
    parts hold lists. Of a part that comes more than once the last one with any text counts. Text before the
    first label is ignored; without any label all of it is the answer, and no part is present: see `format_failure`.
    Never raises; time is linear in the length.

    >>> parse("### **#Extraction:**\nIt is in [1].\n\nAnswer: Paris").answer
    'Paris'
    """
    labels = list(_labels(text))
    if not labels:
        return Sections(answer=text.strip())
    ends = [*(match.start() for _, match in labels[1:]), len(text)]
    bodies: dict[str, str] = {}
    repeated: dict[str, None] = {}
    for (part, match), end in zip(labels, ends, strict=True):
        body = _body(text, match, end)
        if part in bodies:
            repeated[part] = None
        if body or part not in bodies:
            bodies[part] = body
    return assemble(bodies, tuple(repeated))


def format_failure(sections: Sections | None) -> str:
    """Why a dialectic output states no answer, so that it is wrong, in a sentence; "" where it has a labelled answer.

    None, for an output of another kind, has none.

    >>> format_failure(parse("It was Marconi, as [1] says."))
    'The output has none of the labels, so no part of it is known to be the answer.'
    >>> format_failure(parse("#Extraction: [1] says Marconi.")), format_failure(parse("#Answer: Marconi"))
    ('The output ends before the label #Answer.', '')
    """
    if sections is None or ("answer" in sections.present and sections.answer):
        return ""
    if not sections.present:
        return "The output has none of the labels, so no part of it is known to be the answer."
    return "The output ends before the label #Answer."


def assemble(bodies: Mapping[str, str], repeated: tuple[str, ...] = ()) -> Sections:
    """The sections with these texts by part; the mapping's order is the order in which they were written."""
    return Sections(
        extraction=bodies.get("extraction", ""),
        explanation=bodies.get("explanation", ""),
        argumentation=bodies.get("argumentation", ""),
        answer=bodies.get("answer", ""),
        present=tuple(bodies),
        repeated=repeated,
    )


def write(sections: Sections) -> str:
    """The parts that have text, each under its label.

    `parse` reads them back, unless the text of a part has a line that is a label.
    """
    bodies = [(part, getattr(sections, part)) for part in PARTS]
    return "\n\n".join(f"{PART_LABELS[part]}\n{body}" for part, body in bodies if body)


def load_vocabulary(folder: Traversable | None = None) -> Vocabulary:
    """The labels in `templates/labels.yaml` of `folder`: for each part, for each language, its spellings.

    Raises DataError for a part or one of the nineteen languages that is missing, or a label that names two parts.
    """
    root = files("workbench.pipeline.prompts") if folder is None else folder
    block = read_block(root.joinpath("templates").joinpath("labels.yaml"))
    values = block.checked({"source": "", **dict.fromkeys(PARTS, dict.fromkeys(PROMPT_LANGUAGES, list))})
    parts: dict[str, str] = {}
    spellings: set[str] = set()
    for part in PARTS:
        for label in (label for labels in values[part].values() for label in labels):
            if parts.setdefault(_key(label), part) != part:
                raise block.error(f"the label “{label}” names two parts; it can name only one")
            spellings.update({unicodedata.normalize("NFC", label), unicodedata.normalize("NFD", label)})
    return Vocabulary(parts, _pattern(spellings))


@cache
def _shipped_vocabulary() -> Vocabulary:
    return load_vocabulary()


def _pattern(spellings: set[str]) -> regex.Pattern[str]:
    """A pattern of possessive quantifiers only, so that a line is scanned once whatever it holds."""
    longest_first = sorted(spellings, key=lambda label: (-len(label), label))
    gap = r"[ \t\u00a0_-]{0,3}+"
    names = "|".join(gap.join(regex.escape(word) for word in label.split()) for label in longest_first)
    space, hashes = r" \t\u00a0\u3000", HASHES.replace("#", r"\#")
    return regex.compile(
        rf"""^(?![ \t]*+\*[ \t])
        (?P<lead>[{space}>{hashes}*_`]*+(?:\(?+\d{{1,2}}[.):\u3001\uff0e\uff09]++)?+[{space}{hashes}*_`]*+)
        (?P<label>{names})(?![\p{{L}}\p{{M}}\p{{N}}])
        (?P<close>[*_`]*+)[{space}]*+(?P<colon>[{COLONS}]?+)(?P<shut>[*_`]*+)""",
        regex.VERBOSE | regex.MULTILINE | regex.IGNORECASE,
    )


def _key(label: str) -> str:
    """A label without spacing and case, so that all spellings that the pattern matches give one key."""
    composed = unicodedata.normalize("NFC", label).casefold()
    return "".join(letter for letter in composed if letter not in " \t\u00a0_-")


def _labels(text: str) -> Iterator[tuple[str, regex.Match[str]]]:
    """Each label that counts, with the part that it names, in the order of the text."""
    vocabulary = _shipped_vocabulary()
    for match in vocabulary.pattern.finditer(text):
        part = vocabulary.parts.get(_key(match["label"]))
        if part is not None and _is_label(match, text):
            yield part, match


def _is_label(match: regex.Match[str], text: str) -> bool:
    """Whether the word is set off as a label: a colon, a hash, emphasis of its own, or a line to itself."""
    if match["colon"] or any(mark in match["lead"] for mark in HASHES):
        return True
    if match["close"] and match["lead"].endswith(match["close"]):
        return True
    stop = text.find("\n", match.end())
    return not text[match.end() : len(text) if stop < 0 else stop].strip()


def _body(text: str, match: regex.Match[str], end: int) -> str:
    """The text under a label, without rules and fences at its end.

    The end of an emphasis that began before the label (`**Answer: Paris**`) is removed too.
    """
    start = match.end()
    while end > start:
        line = max(text.rfind("\n", start, end) + 1, start)
        if not DECORATION.issuperset(text[line:end]):
            break
        end = max(line - 1, start)
    body = text[start:end].strip()
    lead = match["lead"].rstrip(f"{HASHES} \t")
    opened = lead[len(lead.rstrip("*_")) :]
    if opened and not match["close"] and not match["shut"]:
        body = body.removesuffix(opened).rstrip()
    return body


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
    unnamed = read_block(root.joinpath("templates").joinpath("dialectic_unnamed.yaml"))
    shape = {
        "source": "",
        "system": "",
        "single": "documents question instructions",
        "first": "documents question instruction",
        "later": "documents question instruction earlier",
        "no_documents": "",
        "instructions": {part: f"label {LANGUAGE_OF[part]}" for part in PARTS},
    }
    texts, others = block.checked(shape), unnamed.checked({"source": "", **dict.fromkeys(UNNAMED, "label")})
    del texts["source"], others["source"]
    identities = fingerprint("dialectic", block.values), fingerprint("dialectic unnamed", unnamed.values)
    return Template(**texts, identity=identities[0], unnamed=others, unnamed_identity=identities[1])


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
    # Without part 1 no other would name the language, so that each of the others does.
    only_first = task.argument_language_in == "extraction" and "extraction" in task.dialectic
    is_unnamed = part in UNNAMED and only_first
    return fill((template.unnamed if is_unnamed else template.instructions)[part], names)
