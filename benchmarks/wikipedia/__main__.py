"""A dump streamed into passages: `python -m benchmarks.wikipedia [--articles 1000000] [--kills 5]`.

A synthetic dump (bz2 in streams of 100 pages, as `-multistream` dumps are; texts of random words with links, templates
and references, seed 1) is imported twice, each time in a process of its own: once without a break, and once killed
(SIGKILL) at random moments and started again. Prints articles a second, the highest resident memory, and whether both
gave the same bytes. The dump's making is not timed.
"""

from __future__ import annotations

import argparse
import bz2
import hashlib
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEADER = '<mediawiki xml:lang="fi">\n  <siteinfo>\n    <dbname>fiwiki</dbname>\n  </siteinfo>\n'
PAGE = (
    "  <page>\n    <title>Artikkeli {number}</title>\n    <ns>0</ns>\n    <id>{number}</id>\n    <revision>\n"
    '      <id>{number}</id>\n      <text xml:space="preserve">{text}</text>\n    </revision>\n  </page>\n'
)
PER_STREAM = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=1_000_000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--worker", nargs=2, type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        work(*arguments.worker)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dump = write_dump(folder / "fiwiki-benchmark-pages-articles-multistream.xml.bz2", arguments.articles)
        print(f"dump: {arguments.articles:,} articles, {dump.stat().st_size / 1e6:,.0f} MB as bz2", flush=True)
        began = time.monotonic()
        run_worker(dump, folder / "calm")
        seconds = time.monotonic() - began
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
        rate = arguments.articles / seconds
        print(f"without a break: {rate:,.0f} articles/s, {peak:.2f} GB resident at most", flush=True)
        draw = random.Random(2)
        for _ in range(arguments.kills):
            run_worker(dump, folder / "killed", kill_after=draw.uniform(2, seconds / arguments.kills))
        run_worker(dump, folder / "killed")
        same = digest(folder / "calm") == digest(folder / "killed")
        print(f"killed {arguments.kills} times and started again: {'the same bytes' if same else 'DIFFERENT BYTES'}")


def work(dump: Path, folder: Path) -> None:
    """Imports the dump into the folder."""
    from workbench.data.documents.wikipedia.article import WORDS_100, article_passages, stream_articles
    from workbench.data.documents.wikipedia.dump_pages import PagesArticles

    stream_articles([PagesArticles(dump)], folder, article_passages(), split=WORDS_100)


def run_worker(dump: Path, folder: Path, kill_after: float = 0.0) -> None:
    """A worker as a process of its own, killed after some seconds where that is not 0."""
    words = [sys.executable, "-m", "benchmarks.wikipedia", "--worker", str(dump), str(folder)]
    process = subprocess.Popen(words, env={**os.environ})
    try:
        code = process.wait(kill_after or None)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return
    if code:
        raise SystemExit(f"A worker ended with {code}.")


def write_dump(path: Path, articles: int) -> Path:
    """A dump of articles of some 1,500 characters; 2,000 different texts, since random ones are slow to make."""
    draw = random.Random(1)
    texts = [article_text(draw) for _ in range(2_000)]
    with path.open("wb") as file:
        file.write(bz2.compress(HEADER.encode()))
        for start in range(1, articles + 1, PER_STREAM):
            numbers = range(start, min(start + PER_STREAM, articles + 1))
            block = "".join(PAGE.format(number=number, text=texts[number % len(texts)]) for number in numbers)
            file.write(bz2.compress(block.encode(), 1))
        file.write(bz2.compress(b"</mediawiki>\n"))
    return path


def article_text(draw: random.Random) -> str:
    words = ["".join(draw.choices("aeioukstnlmprvhj", k=draw.randint(2, 10))) for _ in range(draw.randint(100, 300))]
    for place in range(5, len(words), 17):
        words[place] = f"[[{words[place]}|{words[place - 1]}]]"
    for place in range(11, len(words), 41):
        words[place] += "&lt;ref&gt;{{cite|" + words[place - 2] + "}}&lt;/ref&gt;"
    middle = len(words) // 2
    return f"'''{words[0]}''' {' '.join(words[1:middle])}.\n== {words[2]} ==\n{' '.join(words[middle:])}."


def digest(folder: Path) -> str:
    """A digest of all parts."""
    total = hashlib.sha256()
    for path in sorted((folder / "parts").iterdir()):
        with path.open("rb") as file:
            while data := file.read(1 << 20):
                total.update(data)
    return total.hexdigest()


if __name__ == "__main__":
    main()
