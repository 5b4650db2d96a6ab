"""A format of files of labels, described once: the downloads, the verbs and the import are made from it.

Formats of other programs hold a text once with everything that people said of it, so the rows are grouped by what they
are about. Those formats have places for the text, the labels, the marked spans and the comment. The other columns
travel as metadata: those of the text once (`TEXT_COLUMNS`), those of a person with each of their labels
(`person_columns`), with a fingerprint of what was written into the places. A label that another program changed is
thereby known for one: it counts as saved when that program says, or now, and an unchanged one comes back with the time
that it had.

JSON from strangers says one thing only, and is no deeper and no larger than a file of labels can be: `strict_json`
refuses a key that an object has twice (programs differ in which of the two they read), NaN and infinities, nesting
beyond `DEPTH_LIMIT`, the character NUL, which not every database can hold, and half characters, which no UTF-8 can.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, NoReturn

from workbench.annotation.error_taxonomy import Taxonomy
from workbench.annotation.queue import ANSWER, CLAIM, QUESTION
from workbench.annotation.text_spans import span_at
from workbench.core import DataError, fingerprint, shorten

Row = dict[str, Any]

TEXT_COLUMNS = (
    "queue", "taxonomy", "item", "instance_key", "recipe_fingerprint", "language", "dataset", "question_id", "question",
    "answer", "showing", "on",
)  # fmt: skip
"""The columns that are the same for everybody who labelled a part of an item at one showing."""
PLACES = ("labels", "spans", "comment", "part_text")
"""The columns that every format has places for."""
CONTEXT = ("golds", "documents", "label_names")
"""The columns that let somebody judge elsewhere; an import reads none of them."""
CONTENT = "content"
"""The metadata's name for the fingerprint of what was written."""
PROBLEM = "problem"
"""The column of a row that cannot be read: a sentence."""
VERSION_COLUMNS = ("taxonomy_version", "taxonomy_fingerprint")
NO_LABEL = "_none"
"""No label, where a format wants a value: a part was given none, a span is about all. No taxonomy has this key."""
DEPTH_LIMIT = 30
"""Lists and objects within each other; a file of labels has fewer than ten."""
HALF_CHARACTER = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ProjectSetup:
    """A file that sets up a project: its title, how its name ends, and its text by taxonomy and annotators per item."""

    title: str
    ending: str
    write: Callable[[Taxonomy, int], bytes]


@dataclass(frozen=True, slots=True)
class LabelFormat:
    """A format by its name, the title for people, its writer, and the suffix of its files.

    `write` takes the rows and the taxonomy in the version in use. A file is read by its suffix; of the formats in JSON,
    by the one that `recognises` its content, whose `read` yields the rows.
    """

    name: str
    title: str
    write: Callable[[Sequence[Row], Taxonomy], bytes]
    suffix: str = ".json"
    setup: ProjectSetup | None = None
    recognises: Callable[[Any], bool] = lambda _content: False
    read: Callable[[Any], Iterator[Row]] = iter


def json_bytes(content: object) -> bytes:
    """A document as the programs' JSON."""
    return json.dumps(content, ensure_ascii=False, indent=1).encode()


def begins_with(content: object, key: str) -> bool:
    """Whether the content is a list whose first entry is an object with that key."""
    first = content[0] if isinstance(content, list) and content else None
    return isinstance(first, dict) and key in first


@dataclass(frozen=True, slots=True)
class LabelledPart:
    """A part of an item at one showing: its columns, the text that spans lie in ("" if unknown), and people's rows."""

    about: Row
    text: str
    rows: tuple[Row, ...]

    @property
    def context(self) -> dict[str, str]:
        """The golds and documents to judge by, as texts."""
        return context_texts(self.rows[0])

    @property
    def name(self) -> str:
        """A name that no other part of the same queue has."""
        return f"{self.about['queue']}/{self.about['item']}/{self.about['showing']}/{self.about['on']}"


def labelled_parts(rows: Iterable[Row]) -> list[LabelledPart]:
    """The rows by part, in the order of their first rows."""
    by_part: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        by_part.setdefault((row["item"], row["showing"], row["on"]), []).append(row)
    return [
        LabelledPart({name: group[0][name] for name in TEXT_COLUMNS}, _text(group), tuple(group))
        for group in by_part.values()
    ]


def _text(rows: Sequence[Row]) -> str:
    part_texts = [row["part_text"] for row in rows if row["part_text"]]
    return part_texts[0] if part_texts else known_text(rows[0])


def context_texts(row: Row) -> dict[str, str]:
    """The golds of a row, one in each line, and its documents under their titles, as texts to read."""
    documents = (
        f"{rank}. {item['title']} ({item['language']})\n{item['text']}"
        for rank, item in enumerate(row.get("documents", ()), start=1)
    )
    return {"golds": "\n".join(row.get("golds", ())), "documents": "\n\n".join(documents)}


def known_text(about: Mapping[str, Any]) -> str:
    """The text of a part where its columns hold it: the question or the answer; "" for a passage."""
    part = str(about.get("on"))
    if part == QUESTION:
        return str(about.get("question"))
    return str(about.get("answer")) if part == ANSWER or part.startswith(CLAIM) else ""


def person_columns(row: Row) -> Row:
    """The metadata of a person's row: every column that has no place of its own in a format."""
    rest = {name: value for name, value in row.items() if name not in (*TEXT_COLUMNS, *PLACES, *CONTEXT)}
    return {**rest, CONTENT: _content(row["labels"], row["spans"], row["comment"])}


def person_row(
    about: Row, text: str, person: Row, labels: list[Any], spans: list[Any], comment: str, changed: str = ""
) -> Row:
    """A row of labels from a format's places and its metadata; `changed` is the time that the format knows, or ""."""
    row = {**about, **person, "labels": labels, "spans": spans, "comment": comment}
    row["part_text"] = text if spans and not known_text(about) else ""
    content = row.pop(CONTENT, "")
    if content and content != _content(labels, spans, comment):
        row["saved"] = changed or datetime.now(UTC).isoformat(timespec="microseconds")
    return row


def fresh_person(annotator: str, saved: str) -> Row:
    """The metadata of a label that another program added to a part: by `annotator`, complete, at `saved` or now."""
    time = saved or datetime.now(UTC).isoformat(timespec="microseconds")
    return {"annotator": annotator, "saved": time, "complete": True, "completed": time, "translated": False}


def newest_version(rows: Sequence[Row]) -> Row:
    """The version of the taxonomy that rows were labelled under last."""
    newest = max(rows, key=lambda row: int(row["taxonomy_version"]))
    return {name: newest[name] for name in VERSION_COLUMNS}


def span_row(text: str, start: Any, end: Any, words: Any, label: Any) -> Any:
    """A span of `text` as its row; `words` are what the format says lies there, None where it does not say.

    What has no whole numbers, or text that is not text, stays as it is: the import refuses it.
    """
    if type(start) is not int or type(end) is not int or not isinstance(words, str | None) or type(label) is not str:
        return {"start": start, "end": end, "text": words}
    return asdict(span_at(text, start, end, words, "" if label == NO_LABEL else label))


def readable(read: Callable[[], Row]) -> Row:
    """The row that `read` returns, or one with the sentence of what is wrong with it."""
    try:
        return read()
    except DataError as error:
        return {PROBLEM: error.on_screen}


def _as(kind: type, kind_words: str, value: Any, what: str) -> Any:
    """`value`, which must be of a kind. Raises DataError."""
    if not isinstance(value, kind):
        raise DataError(f"Its {what} is not {kind_words}: export the file again.")
    return value


as_object: Callable[[Any, str], dict[str, Any]] = partial(_as, dict, "a JSON object")
as_list: Callable[[Any, str], list[Any]] = partial(_as, list, "a list")
as_text: Callable[[Any, str], str] = partial(_as, str, "text")


def _content(labels: list[Any], spans: list[Any], comment: str) -> str:
    keys = ("start", "end", "label")
    return fingerprint("labels", [labels, [[span.get(key) for key in keys] for span in spans], comment])


def strict_json(text: str) -> Any:
    """The value that a JSON text states. Raises DataError, one sentence that begins with “It”."""
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except RecursionError:
        raise DataError("It is nested too deeply to be labels: export the file again.") from None
    except ValueError as error:
        raise DataError(f"It is not JSON ({shorten(error)}): export the file again.") from None
    _check(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"It has an object with the key “{shorten(twice)}” twice: keep one of the two.")
    return values


def _no_number(text: str) -> NoReturn:
    raise DataError(f"It contains {text}, which is not a number in JSON: export the file again.")


def _check(value: Any) -> None:
    """Refuses depth and characters that cannot be stored; without recursion, however deep the value is."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEPTH_LIMIT:
            raise DataError(f"It is nested more than {DEPTH_LIMIT} levels deep: export the file again.")
        texts = [item for item in level if isinstance(item, str)]
        texts += [name for item in level if isinstance(item, dict) for name in item]
        if any("\0" in text for text in texts):
            raise DataError("It contains the character NUL, which no label has: export the file again.")
        if any(HALF_CHARACTER.search(text) for text in texts):
            raise DataError("It contains an invalid character (an unpaired surrogate): export the file again.")
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
