"""A corpus page by page: passages, documents, and those with the words of a search."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.errors import UsageError
from workbench.core.records import Passage
from workbench.data.browsing import document_page, passage_of, passage_page
from workbench.data.corpora import passage_table
from workbench.data.corpora.corpus import Corpus
from workbench.data.corpora.corpus_library import CorpusLibrary

DOCUMENTS = [("d1", "en", 3), ("d1", "fi", 2), ("d2", "en", 1), ("d3", "en", 4), ("d4", "th", 1)]
TEXTS = {"en": "The ferry leaves number {}", "fi": "Lautta lähtee {}", "th": "เรือข้ามฟาก {}"}


@pytest.fixture(scope="module", params=[2, 3, 100])
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A corpus of eleven passages, in batches of several sizes."""
    passages = [
        Passage(f"{name}.{code}.{n}", name, "A title", code, TEXTS[code].format(n), n)
        for name, code, count in DOCUMENTS
        for n in range(count)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passage_table, "ROWS_PER_BATCH", request.param)
        library = CorpusLibrary(tmp_path_factory.mktemp("corpora"))
        library.add("mine", passages, source="a test", licence="none")
        corpus = library.open("mine")
        assert len(corpus.table) == 11
    return corpus


def ids(corpus: Corpus, **options: object) -> list[str]:
    return [passage.id for passage in passage_page(corpus, **options).passages]  # type: ignore[arg-type]


def test_pages_follow_each_other_in_the_corpus_s_order(corpus: Corpus) -> None:
    assert [*ids(corpus, limit=6), *ids(corpus, start=6, limit=6)] == [passage.id for passage in corpus.table]
    assert passage_page(corpus, limit=1).total == 11


def test_one_language_is_paged_alone(corpus: Corpus) -> None:
    english = [passage.id for passage in corpus.table if passage.language == "en"]
    assert [name for start in (0, 3, 6) for name in ids(corpus, language="en", start=start, limit=3)] == english
    assert passage_page(corpus, language="en", limit=1).total == 8


def test_the_passages_of_a_document_are_shown_alone(corpus: Corpus) -> None:
    assert ids(corpus, document="d1", language="fi") == ["d1.fi.0", "d1.fi.1"]


def test_documents_are_listed_with_their_passages(corpus: Corpus) -> None:
    documents = document_page(corpus, limit=9)
    assert [(item.id, item.language, item.passages) for item in documents.documents] == DOCUMENTS
    assert documents.documents[0].title == "A title" and documents.total == 5


def test_documents_are_paged_in_one_language(corpus: Corpus) -> None:
    pages = [document_page(corpus, language="en", start=start, limit=1) for start in (0, 1, 2, 3)]
    listed = [(item.id, item.passages) for page in pages for item in page.documents]
    assert listed == [("d1", 3), ("d2", 1), ("d3", 4)] and {page.total for page in pages} == {3}


@pytest.mark.parametrize(
    ("search", "language", "expected"),
    [
        ("FERRY 3", "", ["d3.en.3"]),
        ("ข้ามฟาก", "", ["d4.th.0"]),
        ("lahtee", "", []),
        ("LÄHTEE 1", "", ["d1.fi.1"]),
        ("ferry", "fi", []),
        ("d2.en.0", "", ["d2.en.0"]),
    ],
)
def test_a_search_finds_all_of_its_words_in_any_script(
    search: str, language: str, expected: list[str], corpus: Corpus
) -> None:
    assert ids(corpus, search=search, language=language) == expected


def test_matches_are_paged_and_counted(corpus: Corpus) -> None:
    pages = [passage_page(corpus, search="ferry", start=start, limit=5) for start in (0, 5)]
    assert [len(page.passages) for page in pages] == [5, 3] and {page.total for page in pages} == {8}
    assert pages[0].complete


def test_a_search_states_where_it_looked_at_the_best_hits_only(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.data.browsing.SEARCHED", 4)
    page = passage_page(corpus, search="ferry")
    assert (len(page.passages), page.complete) == (4, False)


def test_a_passage_is_looked_up_by_its_id(corpus: Corpus) -> None:
    assert passage_of(corpus, "d4.th.0").language == "th"
    with pytest.raises(UsageError, match="The corpus “mine” has no passage “nowhere”"):
        passage_of(corpus, "nowhere")


def test_a_language_that_the_corpus_does_not_have_is_reported(corpus: Corpus) -> None:
    for page in (passage_page, document_page):
        with pytest.raises(UsageError, match="Unknown language of corpus “mine” “ja”"):
            page(corpus, language="ja")


def test_a_search_as_long_as_a_book_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="The search has 3,000 characters"):
        passage_page(corpus, search="x" * 3_000)
