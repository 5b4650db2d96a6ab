"""How long it takes until new documents are searched by meaning: `python -m benchmarks.indexing.added [--pages 100]`.

Pages of WORDS words each, made of the sample's sentences in five languages in random order, always the same, are added
to a new workspace by `corpora add`, once without vectors and once with them, as commands of their own. Prints seconds
of waiting and of processor time, and the number of passages.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from workbench.data.corpora.sample import content
from workbench.languages import sentences

LANGUAGES = ("en", "fr", "de", "es", "ru")
WORDS = 400


def write_pages(folder: Path, count: int) -> list[Path]:
    """Text files in LANGUAGES in turn."""
    chance = random.Random(0)
    pool = {
        code: [
            passage.text[start:end]
            for passage in content.passages()
            if passage.language == code
            for start, end in sentences(passage.text)
        ]
        for code in LANGUAGES
    }
    paths: list[Path] = []
    for number in range(count):
        text = ""
        while len(text.split()) < WORDS:
            text += chance.choice(pool[LANGUAGES[number % len(LANGUAGES)]]) + " "
        paths.append(folder / f"page{number:04}.txt")
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def seconds(paths: list[Path], home: Path, *options: str) -> tuple[float, float, int]:
    """Waiting, processor time and passages of one `corpora add` in a new workspace."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "corpora", "add", "pages", *map(str, paths), "--json", *options],
        env={**os.environ, "WORKBENCH_HOME": str(home)},
        stdout=subprocess.PIPE,
        check=True,
    )
    waited, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return waited, processor, int(json.loads(done.stdout)["total"])


def main() -> None:
    """Prints the two lines."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.indexing.added", description=__doc__)
    parser.add_argument("--pages", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        paths = write_pages(place, arguments.pages)
        for name, options in (("without vectors", ("--no-vectors",)), ("with vectors", ())):
            waited, processor, passages = seconds(paths, place / name, *options)
            print(f"{name}: {waited:.0f} s, {processor:.0f} s of processor time, {passages} passages")


if __name__ == "__main__":
    main()
