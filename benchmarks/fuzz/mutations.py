"""Mutations of words, of bytes and of what they hold, drawn from a seeded generator."""

from __future__ import annotations

import csv
import gzip
import io
import json
import warnings
import zipfile
from random import Random
from typing import Any

import yaml

from benchmarks.fuzz.seeds import NASTY

TOKENS = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n\n", b'"', b"'", b",", b";", b"\t", b"{", b"}", b"[", b"]",
    b"=1+1",
    b"null", b"-1", b"1e999", b"9" * 6000, b"[" * 20_000, b'{"a":' * 5_000, b"\\ud800", b"\\u0000", b"&a [*a]",
    b"!!python/x",
    b"\xf0\x9f\x92\xa5", b"\xe2\x80\xae", b": : :", b"- - -", b"a" * 70_000,
    b"!!timestamp 1-1-1", b"1" + b":1" * 3_000, b"0x" + b"f" * 300, b"!!bool x", b'"\\U99999999"', b"2024-99-99",
)  # fmt: skip

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 10**30, 1e308, -0.0, float("inf"), float("nan"), "", " ", "x", [], {}, [[]], [None],
    ["x"], ["x", 1], {"x": None}, {"": []}, "9" * 5_000, "x" * 70_000, "\ud800", "\0", "\u202e", "2024-01-31", "null",
    "1:1:1", ["en", "en"], list(range(3_000)), "../x", "💥", "=1+1", "<b>x</b>", 2**31, 2**63, -(2**63),
)  # fmt: skip
"""Values in place of others, in JSON and YAML."""


def mutated_words(words: tuple[str, ...], random: Random) -> tuple[str, ...]:
    """Some words replaced, dropped, doubled, swapped, added or broken; the verb itself mostly stays."""
    changed = list(words)
    for _ in range(random.choice((1, 1, 2, 3))):
        place = random.randrange(0 if random.random() < 0.05 else 1, len(changed) + 1) if changed else 0
        action = random.choice(("replace", "replace", "drop", "double", "insert", "swap", "break"))
        if action == "insert" or place >= len(changed):
            changed.insert(place, random.choice(NASTY))
        elif action == "replace":
            changed[place] = random.choice(NASTY)
        elif action == "drop":
            del changed[place]
        elif action == "double":
            changed.insert(place, changed[place])
        elif action == "swap":
            other = random.randrange(len(changed))
            changed[place], changed[other] = changed[other], changed[place]
        else:
            word = changed[place]
            cut = random.randrange(len(word) + 1)
            changed[place] = word[:cut] + random.choice(("", "\udc9f", "x", "\u200f", "-", "9" * 30)) + word[cut:][::-1]
    return tuple(word.replace("\0", "") for word in changed)


def mutated_bytes(content: bytes, others: list[bytes], random: Random) -> bytes:
    """Bytes flipped, cut, doubled, replaced by tokens, or those of another file altogether."""
    action = random.choice(("flip", "flip", "cut", "token", "token", "double", "other", "empty", "zeros"))
    if action == "cut":
        return content[: random.randrange(len(content) + 1)]
    if action == "other":
        return random.choice(others)
    if action == "empty":
        return random.choice((b"", b"\n", b"\x00" * 100, random.randbytes(200)))
    if action == "double":
        start, end = sorted(random.randrange(len(content) + 1) for _ in range(2))
        return content[:end] + content[start:end] * random.choice((1, 3, 50)) + content[end:]
    changed = bytearray(content)
    for _ in range(random.choice((1, 1, 4, 30))):
        place = random.randrange(len(changed) + 1)
        if action == "token":
            width = random.choice((0, 0, 1, 8))
            changed[place : place + width] = random.choice(TOKENS)
        elif action == "zeros":
            changed[place : place + 512] = bytes(len(changed[place : place + 512]))
        elif place < len(changed):
            changed[place] ^= 1 << random.randrange(8)
    return bytes(changed)


def mutated_value(value: Any, random: Random) -> Any:
    """A value of JSON or YAML with one to three of its parts removed, doubled, renamed or replaced."""
    for _ in range(random.choice((1, 1, 2, 3))):
        value = _with_a_change(value, random)
    return value


def _with_a_change(value: Any, random: Random) -> Any:
    if not isinstance(value, (dict, list)) or not value or random.random() < 0.1:
        return random.choice(VALUES)
    changed: Any = dict(value) if isinstance(value, dict) else list(value)
    place = random.choice(list(changed) if isinstance(changed, dict) else range(len(changed)))
    action = random.choice(("within", "within", "within", "replace", "drop", "double", "rename"))
    if action == "drop":
        del changed[place]
    elif action == "double":
        if isinstance(changed, dict):
            changed[f"{place}2"] = changed[place]
        else:
            changed += [changed[place]] * random.choice((1, 300))
    elif action == "rename" and isinstance(changed, dict):
        changed[random.choice(NASTY)] = changed.pop(place)
    elif action == "within":
        changed[place] = _with_a_change(changed[place], random)
    else:
        changed[place] = random.choice(VALUES)
    return changed


def mutated_file(name: str, content: bytes, others: list[bytes], random: Random) -> bytes:
    """Bytes changed, or what they hold: a value of JSON or YAML, a cell of a table, a member of a zip, a gzipped text.

    The half of the changes within a form reach what a parser of bytes never lets through.
    """
    if random.random() < 0.5 or not content:
        return mutated_bytes(content, others, random)
    if content.startswith(b"\x1f\x8b"):
        plain = name.removesuffix(".gz")
        return gzip.compress(mutated_file(plain, gzip.decompress(content), others, random), 1)
    if content.startswith(b"PK"):
        return _mutated_zip(content, others, random)
    if content.startswith(b"PAR1"):
        return _mutated_parquet(content, random)
    form = name.rpartition(".")[2]
    if form == "jsonl":
        return _mutated_lines(content, random)
    if form == "json":
        return _json(mutated_value(json.loads(content), random))
    if form == "yaml":
        return yaml.safe_dump(mutated_value(yaml.safe_load(content), random)).encode("utf-8", "surrogatepass")
    if form in ("csv", "tsv"):
        return _mutated_table(content, random)
    return mutated_bytes(content, others, random)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _mutated_lines(content: bytes, random: Random) -> bytes:
    rows = content.splitlines()
    place = random.randrange(len(rows))
    rows[place] = _json(mutated_value(json.loads(rows[place]), random))
    return b"\n".join(rows) + b"\n"


def _mutated_table(content: bytes, random: Random) -> bytes:
    text = content.decode("utf-8-sig")
    sign = "\t" if "\t" in text else ","
    rows = [list(row) for row in csv.reader(io.StringIO(text), delimiter=sign)]
    row = random.choice(rows)
    if row and random.random() < 0.8:
        row[random.randrange(len(row))] = str(random.choice(VALUES))
    else:
        row.append(random.choice(NASTY))
    target = io.StringIO()
    csv.writer(target, delimiter=sign).writerows(rows)
    return target.getvalue().encode("utf-8", "surrogatepass")


def _mutated_zip(content: bytes, others: list[bytes], random: Random) -> bytes:
    """The archive with one member changed, renamed, left out or doubled; its checksums are right."""
    target = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as source,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        names = source.namelist()
        member = random.choice(names)
        action = random.choice(("bytes", "bytes", "bytes", "drop", "rename", "double"))
        for name in names:
            data = source.read(name)
            if name != member:
                archive.writestr(name, data)
            elif action == "bytes":
                archive.writestr(name, mutated_bytes(data, others, random))
            elif action == "rename":
                archive.writestr(random.choice(("../x", "/etc/x", "x" * 300, "a\u202eb.txt")), data)
            elif action == "double":
                archive.writestr(name, data)
                archive.writestr(name, mutated_bytes(data, others, random))
    return target.getvalue()


def _mutated_parquet(content: bytes, random: Random) -> bytes:
    """The table with a column of another type, without one, renamed, or with other values."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = pq.read_table(io.BytesIO(content)).to_pylist()
    name = random.choice(list(rows[0]))
    action = random.choice(("values", "values", "one", "drop", "rename"))
    for row in rows:
        if action in ("drop", "rename"):
            old = row.pop(name)
            if action == "rename":
                row[f"{name}2"] = old
    value: Any = random.choice((None, 1, 1.5, "", "x", [], ["x"], [["x"]], [[]], [None], {"a": 1}, b"\xff", True))
    for row in rows if action == "values" else rows[:1]:
        if action in ("values", "one"):
            row[name] = value if action == "values" else type(row[name])() if row[name] is not None else None
    target = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), target)
    return target.getvalue()
