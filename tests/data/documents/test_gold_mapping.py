"""Gold passages in a sister corpus, worked out by hand and for any cut."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, strategies as st

from tests.data.documents.test_rebuilt_text import TEXT, stretch_of
from workbench.data.documents.chunking import Span, Splitter, chunk_method, splitter_of
from workbench.data.documents.rechunking import NewPassage, Stretch, gold_in, origin_of, split_stretch

FIRST = "Radio was shown in 1895. Popov built a receiver."
GOLD = "Marconi sent signals over the sea. He got a patent in London."
LAST = "Marconi shared a prize. Braun had the other half."


def split_at(*ends: int) -> Splitter:
    def spans(text: str) -> list[Span]:
        places = [0, *ends, len(text)]
        return [(start, end) for start, end in pairwise(places) if text[start:end].strip()]

    return spans


def mapped(stretch: Stretch, number: int, splitter: Splitter, *answers: str) -> list[str]:
    """The texts of what the stretch's passage `number` becomes."""
    new = split_stretch(stretch, splitter)
    texts = {item.id: item.text for item in new}
    origins = [NewPassage(item.id, origin) for item in new if (origin := origin_of(item.id))]
    return [texts[name] for name in gold_in(stretch, number, origins, answers)]


def test_of_the_parts_of_a_gold_passage_those_with_the_answer_are_gold() -> None:
    stretch = stretch_of(FIRST, GOLD, LAST)
    start = stretch.spans[1][0]
    halves = split_at(start, start + len("Marconi sent signals over the sea."), stretch.spans[2][0])
    assert mapped(stretch, 1, halves, "London") == ["He got a patent in London."]
    assert mapped(stretch, 1, halves, "Marconi") == ["Marconi sent signals over the sea."]
    assert mapped(stretch, 1, halves) == ["Marconi sent signals over the sea.", "He got a patent in London."]


def test_an_answer_outside_the_gold_passage_counts_for_nothing() -> None:
    stretch = stretch_of(FIRST, GOLD, LAST)
    start, end = stretch.spans[1]
    cut = split_at(start + len("Marconi sent signals"))
    first, second = mapped(stretch, 1, cut)
    assert mapped(stretch, 1, cut, "1895") == [first, second]  # only in what the first has before the gold passage
    assert mapped(stretch, 1, cut, "London") == [second]
    assert end < len(stretch.text)


def test_where_no_part_holds_the_answer_all_that_overlap_are_gold() -> None:
    stretch = stretch_of(GOLD)
    cut = split_at(len("Marconi sent signals over the sea. He got a patent in Lon"))
    assert len(mapped(stretch, 0, cut, "London")) == 2


def test_the_answer_is_a_complete_word() -> None:
    stretch = stretch_of("We had a party there. It was art.")
    assert mapped(stretch, 0, split_at(22), "art") == ["It was art."]


def test_a_larger_passage_takes_the_place_of_those_it_holds() -> None:
    stretch = stretch_of(FIRST, GOLD, LAST)
    everything = mapped(stretch, 1, splitter_of(chunk_method("words-100")), "London")
    assert everything == [stretch.text]


texts = st.lists(
    st.text(alphabet=[*"abcde .", "é", "ह", "ि", "ไ", "ท", "漢", "字", "。"], min_size=1, max_size=60).filter(
        str.strip
    ),
    min_size=1,
    max_size=6,
)


@given(texts)
def test_the_same_chunking_maps_each_passage_to_itself(parts: list[str]) -> None:
    stretch = stretch_of(*parts)
    spans = stretch.spans
    for number, text in enumerate(parts):
        if len(set(spans)) == len(spans) and all(a[1] <= b[0] for a, b in pairwise(spans)):
            assert mapped(stretch, number, lambda _: list(spans)) == [text.strip()]


@given(texts, st.sampled_from(["words-20", "characters-40-10", "sentences-20-5"]), st.lists(st.text(max_size=8)))
def test_every_gold_passage_maps_to_one_at_least(parts: list[str], chunking: str, answers: list[str]) -> None:
    stretch = stretch_of(*parts)
    for number in range(len(parts)):
        assert mapped(stretch, number, splitter_of(chunk_method(chunking)), *answers)


def test_passages_of_tokens_hold_the_answers_of_passages_of_words() -> None:
    cut = [TEXT[slice(*span)] for span in splitter_of(chunk_method("words-20"))(TEXT)]
    for part in mapped(stretch_of(*cut), 1, splitter_of(chunk_method("tokens-40-10")), "word25"):
        assert "word25" in part
