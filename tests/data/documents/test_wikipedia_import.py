from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.data.documents.dumps import pages, write_streams
from workbench.core.errors import UsageError
from workbench.core.records import Passage
from workbench.data.documents.wikipedia.article import WikiArticle, passages_of, read_state, stream_articles
from workbench.data.documents.wikipedia.dump_pages import PagesArticles

COUNT = 1_200
SCRIPT = """
import sys
from pathlib import Path
from tests.data.documents.test_wikipedia_import import import_into
import_into(Path(sys.argv[1]), Path(sys.argv[2]))
"""


def split(article: WikiArticle) -> list[Passage]:
    return [
        Passage(f"{article.id}:{number}", article.id, article.title, article.language, paragraph.text, number)
        for number, paragraph in enumerate(article.paragraphs)
    ]


def import_into(dump: Path, folder: Path) -> None:
    stream_articles([PagesArticles(dump)], folder, split, split="paragraphs", articles_per_part=200)


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_streams(tmp_path_factory.mktemp("dump") / "d.xml.bz2", pages(COUNT), per_stream=100)


def parts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "parts").iterdir())}


def test_every_article_is_in_the_parts_in_order(dump: Path, tmp_path: Path) -> None:
    import_into(dump, tmp_path)
    wanted = [passage for _, article in PagesArticles(dump).articles({}) if article for passage in split(article)]
    assert list(passages_of(tmp_path)) == wanted
    state = read_state(tmp_path)
    assert state and state.complete and state.pages == COUNT and state.passages == len(wanted)


def test_killed_at_any_moment_and_started_again_it_gives_the_same_bytes(dump: Path, tmp_path: Path) -> None:
    import_into(dump, tmp_path / "calm")
    choose, kills = random.Random(7), 0
    for _ in range(40):
        words = [sys.executable, "-c", SCRIPT, str(dump), str(tmp_path / "killed")]
        process = subprocess.Popen(words, env={**os.environ}, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        before = _parts_now(tmp_path / "killed")
        while process.poll() is None and _parts_now(tmp_path / "killed") == before and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(choose.random() * 0.15)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
        state = read_state(tmp_path / "killed")
        if state and state.complete:
            break
    assert kills >= 2
    import_into(dump, tmp_path / "killed")
    assert parts(tmp_path / "killed") == parts(tmp_path / "calm")


def test_work_begun_on_other_files_is_not_mixed(dump: Path, tmp_path: Path) -> None:
    import_into(dump, tmp_path / "work")
    other = write_streams(tmp_path / "other.xml.bz2", pages(20))
    with pytest.raises(UsageError, match=r"import of d\.xml\.bz2 \(paragraphs\) was begun"):
        import_into(other, tmp_path / "work")


def test_a_watcher_ends_it_between_two_parts(dump: Path, tmp_path: Path) -> None:
    sources = [PagesArticles(dump)]
    state = stream_articles(
        sources, tmp_path, split, split="paragraphs", articles_per_part=200, watch=lambda state: state.parts < 2
    )
    assert (state.parts, state.complete) == (2, False)


def _parts_now(folder: Path) -> int:
    state = read_state(folder)
    return state.parts if state else 0
