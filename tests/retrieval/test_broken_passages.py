"""Lexical search over passages whose words a PDF reader broke, among passages as written."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from benchmarks.broken_text.__main__ import LEXICAL, collect, main, reciprocal_ranks, retriever
from benchmarks.broken_text.breaking import WAYS, break_some, broken
from workbench.core.errors import DataError
from workbench.core.records import Passage, Query, top_k
from workbench.retrieval import lexical
from workbench.retrieval.lexical import NGRAMS, LexicalIndex
from workbench.workspace import sealed, unsealed

TEXTS = {
    "en": (
        "The lake froze early that winter, and the ferries stayed in the harbour.",
        "A baker in the old town sells bread with caraway.",
        "The museum of clocks opens on Sunday mornings.",
    ),
    "ru": (
        "Озеро рано замёрзло той зимой, и паромы остались в гавани.",
        "Пекарь в старом городе продаёт хлеб с тмином.",
        "Музей часов открыт по утрам в воскресенье.",
    ),
    "ar": (
        "تجمدت البحيرة مبكرا في ذلك الشتاء وبقيت العبارات في الميناء.",
        "يبيع الخباز في المدينة القديمة خبزا بالكراوية.",
        "يفتح متحف الساعات صباح كل يوم أحد.",
    ),
    "th": (
        "ปีนั้นทะเลสาบเป็นน้ำแข็งเร็วกว่าปกติ เรือข้ามฟากจึงจอดอยู่ที่ท่า",
        "คนทำขนมปังในเมืองเก่าขายขนมปังใส่ยี่หร่า",
        "พิพิธภัณฑ์นาฬิกาเปิดทุกเช้าวันอาทิตย์",
    ),
    "hi": (
        "उस साल झील जल्दी जम गई और नावें बंदरगाह में खड़ी रहीं।",
        "पुराने शहर का बेकर जीरे वाली रोटी बेचता है।",
        "घड़ियों का संग्रहालय रविवार की सुबह खुलता है।",
    ),
}
QUESTIONS = {
    "en": ("Where did the ferries stay?", "Who sells bread with caraway?", "When is the museum of clocks open?"),
    "ru": ("Где остались паромы?", "Кто продаёт хлеб с тмином?", "Когда открыт музей часов?"),
    "ar": ("أين بقيت العبارات؟", "من يبيع خبزا بالكراوية؟", "متى يفتح متحف الساعات؟"),
    "th": ("เรือข้ามฟากจอดที่ไหน", "ใครขายขนมปังใส่ยี่หร่า", "พิพิธภัณฑ์นาฬิกาเปิดเมื่อไร"),
    "hi": ("नावें कहाँ खड़ी रहीं?", "जीरे वाली रोटी कौन बेचता है?", "घड़ियों का संग्रहालय कब खुलता है?"),
}
WRITTEN = tuple(
    Passage(f"{language}-{number}", language, "", language, text)
    for language, texts in TEXTS.items()
    for number, text in enumerate(texts)
)


def build(folder: Path, *ids: str, way: str = "signs") -> LexicalIndex:
    """The index over all passages, of which those with `ids` are broken."""
    LexicalIndex.build(folder, [broken(passage, way, 1) if passage.id in ids else passage for passage in WRITTEN])
    return LexicalIndex.open(folder)


def ask(index: LexicalIndex, language: str, number: int, *scope: str) -> Query:
    return Query(QUESTIONS[language][number], language, scope or (language,))


@pytest.mark.parametrize("way", ["letters", "signs", "controls"])
@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("number", range(3))
def test_a_broken_passage_is_first_for_its_question(tmp_path: Path, language: str, number: int, way: str) -> None:
    index = build(tmp_path, f"{language}-{number}", way=way)
    assert index.retrieve([ask(index, language, number)], 3)[0][0].id == f"{language}-{number}"


@pytest.mark.parametrize("language", TEXTS)
def test_passages_as_written_stay_first_for_their_questions(tmp_path: Path, language: str) -> None:
    index = build(tmp_path, f"{language}-0")
    firsts = [index.retrieve([ask(index, language, number)], 3)[0][0].id for number in (1, 2)]
    assert firsts == [f"{language}-1", f"{language}-2"]


def test_a_language_with_broken_passages_alone_is_searched(tmp_path: Path) -> None:
    index = build(tmp_path, "en-0", "en-1", "en-2")
    assert [index.retrieve([ask(index, "en", n)], 3)[0][0].id for n in range(3)] == ["en-0", "en-1", "en-2"]


def test_a_broken_passage_is_never_outside_the_scope(tmp_path: Path) -> None:
    index = build(tmp_path, "en-0", "ru-0")
    hits = index.retrieve([ask(index, "ru", 0, "ru", "th")], 9)[0]
    assert {hit.language for hit in hits} <= {"ru", "th"}
    assert hits[0].id == "ru-0"


def test_broken_passages_count_among_the_languages_and_are_looked_up_by_id(tmp_path: Path) -> None:
    index = build(tmp_path, "hi-0", "hi-1", "hi-2")
    assert index.languages == ("ar", "en", "hi", "ru", "th")
    assert index.manifest.languages["hi"] == 3
    assert index.rows_of(["hi-1", "en-0", "no"]) == {"hi-1": 13, "en-0": 0}


def test_equal_broken_passages_come_in_order_of_row_even_at_the_cut(tmp_path: Path) -> None:
    texts = (Passage(f"p{n}", "d", "", "en", "t h e  s a m e  w o r d s  h e r e") for n in range(60))
    LexicalIndex.build(tmp_path, texts)
    hits = LexicalIndex.open(tmp_path).retrieve([Query("same words", "en", ("en",))], 3)[0]
    assert [hit.id for hit in hits] == ["p0", "p1", "p2"]


def test_a_broken_hit_shows_its_score_by_n_grams_and_the_one_that_orders_it(tmp_path: Path) -> None:
    index = build(tmp_path, "en-0")
    best, *others = index.retrieve([ask(index, "en", 0)], 3)[0]
    assert set(best.scores) == {"lexical", NGRAMS}
    assert best.scores["lexical"] == best.score
    assert all(set(hit.scores) == {"lexical"} for hit in others)


def test_the_match_share_of_a_broken_passage_is_that_of_the_question_s_n_grams(tmp_path: Path) -> None:
    index = build(tmp_path, "en-0")
    whole, part = Query("ferries harbour", "en", ("en",)), Query("ferries xylophones", "en", ("en",))
    shares = [index.match_share(query, index.retrieve([query], 1)[0]) for query in (whole, part)]
    assert shares[0] == pytest.approx(1.0)
    assert 0 < shares[1] < 0.5


def test_the_match_share_beside_broken_passages_is_that_of_the_words(tmp_path: Path) -> None:
    index, query = build(tmp_path, "en-0"), Query("caraway xyz", "en", ("en",))
    passages = [broken(WRITTEN[0], "signs", 1), *WRITTEN[1:3]]
    LexicalIndex.build(tmp_path / "words", passages, is_broken=lambda _: False)
    words = LexicalIndex.open(tmp_path / "words")
    assert index.match_share(query, index.retrieve([query], 1)[0]) == words.match_share(
        query, words.retrieve([query], 1)[0]
    )


def test_a_question_whose_words_are_broken_finds_the_broken_passage(tmp_path: Path) -> None:
    index = build(tmp_path, "en-1")
    text = WAYS["letters"](QUESTIONS["en"][1], Random(1))
    assert index.retrieve([Query(text, "en", ("en",))], 3)[0][0].id == "en-1"


@pytest.mark.parametrize("text", ["", "\0", "?!", "a", "\ud800", "x " * 5000])
def test_no_question_breaks_the_search_for_broken_passages(tmp_path: Path, text: str) -> None:
    index = build(tmp_path, "en-0", "th-1")
    (ranking,) = index.retrieve([Query(text, "en", ("en", "th"))], 5)
    assert 0 <= index.match_share(Query(text, "en", ("en", "th")), ranking) <= 1


def test_an_index_without_broken_passages_is_as_it_was_before_they_were_known(tmp_path: Path) -> None:
    index = build(tmp_path)
    facts = json.loads((tmp_path / "lexical.json").read_text(encoding="utf-8"))
    assert facts["format"] == 1
    assert "broken" not in facts
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lexical.json", "shards"]
    assert index.identity == (
        f"lexical format=1 index={index.manifest.fingerprint} mass=[0.95,0.85] segmenter=3 tokens=48"
    )


def test_an_index_with_broken_passages_has_another_identity(tmp_path: Path) -> None:
    assert build(tmp_path, "en-0").identity.startswith("lexical format=2 index=")


def test_an_index_that_was_built_by_words_alone_finds_no_broken_passages(tmp_path: Path) -> None:
    passages = [broken(passage, "signs", 1) for passage in WRITTEN]
    LexicalIndex.build(tmp_path, passages, is_broken=lambda _: False)
    index = LexicalIndex.open(tmp_path)
    assert index.identity.startswith("lexical format=1 index=")
    assert index.retrieve([ask(index, "en", 0)], 3) == [()]


def test_building_again_leaves_nothing_of_former_broken_passages(tmp_path: Path) -> None:
    build(tmp_path, "en-0")
    build(tmp_path)
    assert not (tmp_path / "ngrams").exists()


def test_words_that_a_broken_passage_still_has_count(tmp_path: Path) -> None:
    spelt = "a s   i t   w a s   f o r   a l l   o f   u s   i n   t h o s e   y e a r s"
    texts = {"sung": "The ferryman sang", "read": "The man at the ferry sangria bar read", "slept": "Nobody slept"}
    LexicalIndex.build(tmp_path, [Passage(name, name, "", "en", f"{text} {spelt}") for name, text in texts.items()])
    index = LexicalIndex.open(tmp_path)
    assert index.manifest.broken == {"en": 3}
    (part,) = index.language_queries(Query("who sang", "en", ("en",)))
    assert part.ngrams is not None and part.words.tokens == ["sang", "san"]
    assert part.search(3)[0].id == "sung"


def test_n_grams_of_a_question_reach_across_the_borders_of_its_words(tmp_path: Path) -> None:
    texts = ("t h e m i l l o n t h e r i v e r", "t h e m i l l e r s a n d a r i v e r")
    LexicalIndex.build(tmp_path, [Passage(f"p{n}", "d", "", "en", text) for n, text in enumerate(texts)])
    index = LexicalIndex.open(tmp_path)
    (ranking,) = index.retrieve([Query("mill on the river", "en", ("en",))], 2)
    assert ranking[0].id == "p0" and ranking[0].score > 2 * ranking[1].score


@pytest.mark.parametrize("k", [1, 3, 20])
def test_the_best_by_both_are_found_however_far_down_either_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, k: int
) -> None:
    monkeypatch.setattr(lexical, "SLACK", 0)
    draw = Random(4)
    texts = [" ".join(draw.choices(("mill", "river", "riverside", "miller", "old", "ferry"), k=9)) for _ in range(80)]
    passages = [Passage(f"p{n}", "d", "", "en", text) for n, text in enumerate(texts)]
    LexicalIndex.build(tmp_path, [broken(each, "letters", 1) if each.id < "p3" else each for each in passages])
    (part,) = LexicalIndex.open(tmp_path).language_queries(Query("an old mill by the river", "en", ("en",)))
    assert tuple(part.search(k)) == top_k(part.scored(range(80)), k)


def test_a_language_s_first_broken_passage_brings_n_grams_of_all_and_its_last_takes_them(tmp_path: Path) -> None:
    index, numbered = build(tmp_path / "changed"), list(enumerate(WRITTEN))
    before = index.identity, sorted(path.name for path in (tmp_path / "changed").iterdir())
    new = (len(WRITTEN), replace(broken(WRITTEN[3], "signs", 1), id="ru-new"))
    LexicalIndex.change(tmp_path / "changed", [new], [numbered[4]], lambda: numbered)
    left = [*numbered[:4], *numbered[5:], new]
    LexicalIndex.build(tmp_path / "anew", [passage for _, passage in left])
    queries = [ask(index, code, number) for code in TEXTS for number in range(3)]
    changed, anew = (LexicalIndex.open(tmp_path / name) for name in ("changed", "anew"))
    for one, other in zip(changed.retrieve(queries, 5), anew.retrieve(queries, 5), strict=True):
        assert [hit.id for hit in one] == [hit.id for hit in other]
        assert [hit.score for hit in one] == pytest.approx([hit.score for hit in other], abs=2e-4)
    assert changed.manifest.with_ngrams == {"ru": 3}
    LexicalIndex.change(tmp_path / "changed", [numbered[4]], [new], lambda: left)
    again = LexicalIndex.open(tmp_path / "changed")
    assert again.manifest.format == 1 and again.manifest.broken == {} and not again.manifest.with_ngrams
    assert [*before[1]] == ["lexical.json", "shards"]
    assert not (tmp_path / "changed" / "ngrams" / "ru").exists()


def test_an_index_with_broken_passages_of_the_former_format_is_refused(tmp_path: Path) -> None:
    build(tmp_path, "en-0")
    facts = unsealed(json.loads((tmp_path / "lexical.json").read_text(encoding="utf-8")))
    (tmp_path / "lexical.json").write_text(json.dumps(sealed({**facts, "format": 1})), encoding="utf-8")
    with pytest.raises(DataError, match=r"in format 1; these are .* format 2\. Build it again"):
        LexicalIndex.open(tmp_path)


def test_a_damaged_shard_of_broken_passages_is_reported(tmp_path: Path) -> None:
    build(tmp_path, "en-0")
    (tmp_path / "ngrams" / "en" / "meta.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="damaged"):
        LexicalIndex.open(tmp_path)


@pytest.mark.parametrize("language", ["en", "ar"])
def test_half_of_the_sample_s_gold_passages_broken_costs_little(tmp_path: Path, language: str) -> None:
    part = collect(None, language)
    some = break_some(part.passages, part.gold, "signs", 0.5, 10)
    before, after = (
        sum(reciprocal_ranks(retriever(some, tmp_path / str(by_grams), LEXICAL, by_grams=by_grams), part))
        / len(part.questions)
        for by_grams in (False, True)
    )
    assert before < 0.7
    assert after > 0.9


def test_the_benchmark_prints_detection_and_both_searches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["broken_text", "--languages", "fi", "--ways", "signs"])
    assert main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert next(line for line in lines if line.startswith("| fi |")).startswith("| fi | 46 | 0 | 0.00 | 0.00 |")
    assert "lexical, 50% of the gold passages broken: signs" in lines


def test_the_benchmark_skips_docchat_where_it_is_absent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.argv", ["broken_text", "--docchat", str(tmp_path)])
    assert main() == 0
    assert capsys.readouterr().out.startswith(f"DocChat is skipped: {tmp_path} has no document_chunks.json")


def test_breaking_is_the_same_for_the_same_seed() -> None:
    assert broken(WRITTEN[0], "half", 3) == broken(WRITTEN[0], "half", 3)
    assert broken(WRITTEN[0], "half", 3) != broken(WRITTEN[0], "half", 4)
    assert replace(broken(WRITTEN[0], "half", 3), text="") == replace(WRITTEN[0], text="")
