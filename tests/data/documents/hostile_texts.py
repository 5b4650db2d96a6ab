"""Texts, tables and pages that are damaged or meant to harm; each with what becomes of it."""

from __future__ import annotations

import random

from tests.data.documents.hostile_pdfs import ANY, READ, Maker

SENTENCE = "The harbour office keeps a list of every boat."

TEXTS: dict[str, tuple[Maker, str]] = {
    "empty.txt": (lambda: b"", "is empty"),
    "blank.txt": (lambda: b" \n\t\n" * 500, "has no text"),
    "nul.txt": (lambda: SENTENCE.encode() + b"\0" * 20, "contains NUL characters"),
    "latin.txt": (lambda: "Le café du port".encode("latin-1"), "is not UTF-8"),
    "noise.txt": (lambda: random.Random(5).randbytes(50_000), "is not UTF-8"),
    "half-unit.txt": (lambda: b"\xff\xfe" + SENTENCE.encode("utf-16-le")[:-1], "is not UTF-16"),
    "wide.txt": (lambda: SENTENCE.encode("utf-16"), READ),
    "wider.txt": (lambda: SENTENCE.encode("utf-32"), READ),
    "mark.txt": (lambda: SENTENCE.encode("utf-8-sig"), READ),
    "endless-line.txt": (lambda: b"boat" * 1_000_000, READ),
    "directions.txt": (lambda: ("\u202e\u2066" * 5_000 + SENTENCE).encode(), READ),
    "marks.txt": (lambda: ("a" + "\u0301" * 200_000).encode(), READ),
    "brackets.md": (lambda: b"[" * 200_000, ANY),
    "stars.md": (lambda: b"*a_" * 60_000, READ),
    "fence.md": (lambda: b"```\n" + b"never closed\n" * 20, READ),
    "front.md": (lambda: b"---\ntitle: [\n" * 5_000, READ),
    "deep.html": (lambda: b"<div>" * 200_000 + SENTENCE.encode(), ANY),
    "wide.html": (lambda: b"<p>" + b"<b>boat</b>" * 20_000, READ),
    "nul.html": (lambda: b"<p>a\0b</p>", "contains NUL bytes"),
    "script.html": (lambda: f"<p>{SENTENCE}</p><script>alert('never read')</script>".encode(), READ),
    "entity.html": (
        lambda: f'<!DOCTYPE html [<!ENTITY e SYSTEM "file:///etc/passwd">]><p>{SENTENCE} &e;</p>'.encode(), READ,
    ),
    "charset.html": (lambda: f'<meta charset="x-unheard-of"><p>{SENTENCE}</p>'.encode(), READ),
    "attribute.html": (lambda: b"<p title='" + b"a" * 5_000_000 + b"'>" + SENTENCE.encode(), ANY),
    "no-text.html": (lambda: b"<html><body><img src='a.png'></body></html>", "has no text"),
    "ragged.csv": (lambda: b"text,lang\nOne boat,en\nTwo,boats,en\n", "has 3 cells"),
    "open-quote.csv": (lambda: b'text\n"never closed\n', "cannot be read"),
    "formula.csv": (lambda: b"text\n=HYPERLINK(1)\n", "has a formula"),
    "nul.csv": (lambda: b"text\nboat\0\n", "NUL"),
    "header.csv": (lambda: b"text,lang\n", "has no rows"),
    "half-letter.jsonl": (lambda: b'{"text": "\\ud800 boat"}\n', "an invalid character"),
    "deep.jsonl": (lambda: b'{"text": ' + b"[" * 100_000 + b"\n", "nested too deeply"),
    "number.jsonl": (lambda: b'{"text": ' + b"9" * 10_000 + b"}\n", "number that is too long"),
    "list.jsonl": (lambda: b'["boat"]\n', "is not a JSON object"),
    "cut.jsonl": (lambda: b'{"text": "boat', "is not complete JSON"),
    "no-text.jsonl": (lambda: b'{"title": "boat"}\n', "lacks a"),
    "other-text.jsonl": (lambda: b'{"text": 7}\n', "is not a text"),
    "program.exe": (lambda: b"MZ\x90\0", "in a format that is not read"),
    "picture.pdf.png": (lambda: b"\x89PNG\r\n\x1a\n" + bytes(50), "is an image"),
    "letter.rtf": (lambda: b"{\\rtf1 boat}", "in a format that is not read"),
}  # fmt: skip
