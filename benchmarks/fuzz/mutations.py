"""Mutations of words and of bytes, drawn from a seeded generator."""

from __future__ import annotations

from random import Random

from benchmarks.fuzz.seeds import NASTY

TOKENS = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n\n", b'"', b"'", b",", b";", b"\t", b"{", b"}", b"[", b"]",
    b"=1+1",
    b"null", b"-1", b"1e999", b"9" * 6000, b"[" * 20_000, b'{"a":' * 5_000, b"\\ud800", b"\\u0000", b"&a [*a]",
    b"!!python/x",
    b"\xf0\x9f\x92\xa5", b"\xe2\x80\xae", b": : :", b"- - -", b"a" * 70_000,
    b"!!timestamp 1-1-1", b"1" + b":1" * 3_000, b"0x" + b"f" * 300, b"!!bool x", b'"\\U99999999"', b"2024-99-99",
)  # fmt: skip


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
