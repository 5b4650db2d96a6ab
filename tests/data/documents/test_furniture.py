"""What is left out of passages is known by its structure, in any script; figures and lists of sentences stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from fpdf import FPDF
from hypothesis import given, settings, strategies as st

from benchmarks.documents.printing import texts
from tests.data.documents.office_files import FIRST, SECOND, put
from workbench.core.records import Passage
from workbench.data.documents.furniture import left_out_words, mark_furniture
from workbench.data.documents.isolated_reading import FileRequest, OcrRequest, Section
from workbench.data.documents.pdf.pdf_file import read_pdf
from workbench.data.documents.reading import DocumentReading, ReadingOptions, ReadingReport

OFF = OcrRequest("off")
PRINTED = """1. ↑ "Towns by number of people" (PDF). Coast Registry. {word} 2018-08-12.
2. ↑ "The light of the harbour". Coast Herald. {word} 2017-02-03.
3. ↑ Rautavaara, H. (1994). Stones of the shore. ISBN 978-0-19-280146-3.
4. A history of the breakwater
5. ↑ "Tide tables" http://tides.example.org/tables.html"""
WORDS = {
    "hi": "अभिगमन तिथि",
    "bn": "সংগ্রহের তারিখ",
    "pa": "ਪਹੁੰਚ",
    "ar": "اطلع عليه بتاريخ",
    "zh": "访问于",
    "th": "สืบค้นเมื่อ",
}
ACADEMIC = """Hilda Rautavaara and Odile Ferrand. 2021. On the age of breakwaters. In Harbour Days, pages 12–19.
Salim Haddad. 2019. Bridges of one arch. Journal of Stone, 4(2):101–110.
K. Weissbach, L. Moreau, and T. Ito. 2020. Books about mines. arXiv preprint arXiv:2001.01234."""
LINKS = "Office: https://office.example.org\nMaps: www.maps.example.org/a/b\nhttps://tides.example.org/today"


def left_out(*sections: Section | str) -> list[tuple[str | None, str]]:
    """Kind and text of what is marked."""
    given_ = [Section(section) if isinstance(section, str) else section for section in sections]
    return [(section.furniture, section.text) for section in mark_furniture(given_) if section.furniture]


@pytest.mark.parametrize("code", sorted(WORDS))
def test_references_are_left_out_in_any_script_with_their_heading(code: str) -> None:
    references = PRINTED.format(word=WORDS[code])
    heading = Section("ΩΩΩ", heading="ΩΩΩ", kind="heading")
    marked = left_out(texts()[code], heading, references, Section("XX", kind="heading"), texts()[code])
    assert marked == [("references", "ΩΩΩ"), ("references", references)]


@pytest.mark.parametrize("references", [ACADEMIC, LINKS, LINKS.replace("\n", " "), ACADEMIC.replace("\n", "\n\n")])
def test_references_without_arrows_and_lists_of_links_are_left_out(references: str) -> None:
    assert left_out(f"{FIRST}\n\nSources\n\n{references}\n\n{SECOND}") == [("references", f"Sources\n\n{references}")]


KEPT = {
    "a recipe": "1. Warm the oven to 180 degrees.\n2. Mix 200 g of flour with an egg.\n3. Bake it for 45 minutes.",
    "minutes": "1. The plan of 2018-08-12 was adopted.\n2. The board meets on 2018-09-01.\n3. Ms Ito left (2018).",
    "a chronology": "1911: The harbour was built.\n1932: A fire (1932) took the pier.\n2018-08-12: The bridge opened.",
    "a list of guests": "May: H. Ito, K. Moreau, L. Wu\nJune: H. Ito, K. Moreau, Q. Wu\nJuly: K. Moreau, H. Ito, Q. Wu",
    "an interview": "“When did you come?”\n“In 1974 (or 1975), I think.”\n“Who was the keeper?”\n“Odile F. Ferrand.”",
    "an info box": "Population 12,345 (2011)\nArea 22.5 km² (2011)\nMayor H. Ito (2018)\nWebsite www.kemi.example",
    "figures": "2016 1,204 331\n2017 1,180 290\n2018 1,311 402\n2019 1,297 377",
    "rows": "Museum | 12,000 | https://a.example\nPool | 9,000 | https://b.example\nZoo | 7 | https://c.example",
    "opening hours": "Pool 9:00–17:00, https://a.example\nZoo 8:00–12:00, https://b.example\nGym 1:00–2:00, www.c.eu",
    "towns": "Kemi\nOulu\nTornio\nRovaniemi\nInari",
    "rows apart": "Plus | Adds | Sum | Add\n\nMinus | Takes | Rest | Sub\n\nTimes | Repeats | Product | Mul",
    "a table in bars": "| Town | Region | Country | River |\n| --- | --- | --- | --- |\n| Kemi | A | B | C |",
    "steps": (
        "1. Open https://kemi.fi and sign in.\n"
        "2. Choose at https://kemi.fi/b and pay.\n3. Print https://kemi.fi/p at home."
    ),
    "records": "- “Blue Water” (1998)\n- “Red Stone” (2001)\n- “Green Light”, with J. Ito (2004)",
    "winners": (
        "J. Ito, K. Wu, and L. Haddad won in 1998.\n"
        "L. Wu, H. Moreau, and K. Ito won in 2001.\nOulu won in 2004."
    ),
    "news": (
        "“Ferry stops.” The ferry stops on 2018-08-12.\n"
        "“Bridge opens.” It opens on 2018-09-01.\n“Pool closes.” In May."
    ),
    "prizes": "Nobel Prize in Physics (2001) [1]\nWolf Prize (1999) [2]\nTuring Award, 2004. [3]",
    "sourced dates": (
        "1911. Built. Source: News, p. 4–5.\n"
        "1932. Fire. Source: News, p. 1–2.\n1974. Lamp. Source: Daily, p. 7–8."
    ),
    "orders": "Order 10.1234/A-55 left 2018-08-12.\nOrder 10.1234/A-56 left 2018-08-13.\nOrder 10.1234/A-57 is late.",
    "films": "《蓝水》（1998年），导演：王明\n《红石》（2001年），导演：李华\n《绿光》（2004年），导演：张伟",
    "an enumeration": "The line stops at: Oulu · Kemi · Tornio · Inari",
    "a table's head": "Town | Region | Country | River\nKemi | Lapland | Finland | Kemijoki",
    "prose with sources": f"{FIRST} (Ito, 2019) {SECOND} “So it is” (Ferrand et al., 2020). See https://a.example.org.",
    "a law": "Art. 1. (2018) The harbour is open to all.\nArt. 2. (2019) Fees are due on arrival.\nArt. 3. It binds.",
    "a form": "Name: ..............\nDate: ..............\nPlace: ..............",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(KEPT))
def test_what_may_answer_a_question_stays(name: str) -> None:
    assert left_out(f"{FIRST}\n\n{KEPT[name]}\n\n{SECOND}") == []
    assert left_out(f"{texts()['hi']}\n\n{KEPT[name]}\n\n{texts()['hi']}") == []


def test_a_text_in_two_scripts_stays() -> None:
    assert left_out("\n".join([texts()["hi"], FIRST, texts()["hi"], SECOND])) == []


def test_a_table_of_contents_is_known_by_its_dots_or_by_the_headings_that_follow() -> None:
    dots = "1 Stone ............ 3\n2 Light ........ 7\n3 Tide . . . . . . 12"
    assert left_out(f"{dots}\n\n{FIRST}") == [("contents", dots)]
    names = ["इतिहास", "भूगोल और जलवायु", "जनसंख्या"]
    listed = "1 इतिहास\n2 भूगोल और जलवायु\n2.1 जनसंख्या"
    sections = [part for name in names for part in (Section(name, kind="heading"), Section(texts()["hi"]))]
    assert left_out(listed, *sections) == [("contents", listed)]
    assert left_out(*sections, listed) == []


def test_a_row_of_links_is_left_out() -> None:
    assert left_out(f"Home | Articles | About us | Contact\n\n{FIRST}") == [
        ("navigation", "Home | Articles | About us | Contact")
    ]


def test_categories_below_the_references_are_left_out_and_elsewhere_stay() -> None:
    categories = "Categories: Harbours | Piers | Boats"
    assert left_out(FIRST, f"{LINKS}\n\n{categories}")[-1] == ("navigation", categories)
    assert left_out(FIRST, categories) == []


def test_the_rest_of_an_entry_that_a_column_cut_is_left_out() -> None:
    cut = f"{LINKS}\nhttps://boats.example.org/the-boats. Retrieved 2021-\n\n02-10.\n\ntea. Retrieved 2023-01-08."
    assert {kind for kind, text in left_out(FIRST, cut) if text != FIRST} == {"references"}


def at_edge(text: str, page: int) -> Section:
    return Section(text, page, is_at_edge=True)


def test_what_repeats_at_the_edge_of_pages_is_left_out_and_what_changes_stays() -> None:
    sections = [
        section
        for page in range(1, 5)
        for section in (
            at_edge("12/08/2018, 14:22  Kemi", page), at_edge(f"Total {page * 731}", page), Section(FIRST, page),
            at_edge(f"Page {page + 8} of 12", page),
        )
    ]  # fmt: skip
    assert {text[:4] for _, text in left_out(*sections)} == {"12/0", "Page"}
    assert len(left_out(*sections)) == 8
    assert len(left_out(*(section for section in sections if section.page < 3))) == 4
    assert left_out(*(section for section in sections if section.page < 2)) == []


def test_a_running_head_that_runs_both_ways_is_the_same_in_either_order() -> None:
    heads = [at_edge("10:15 ,24/11/2026 منارة", 1), at_edge("24/11/2026, 10:15 منارة", 2)]
    sections = [heads[0], Section(FIRST, 1), heads[1], Section(SECOND, 2)]
    assert [kind for kind, _ in left_out(*sections)] == ["running head", "running head"]


def test_a_running_head_in_large_letters_is_no_heading_of_the_text() -> None:
    sections = [Section("Stone", 1, "Stone", "heading")]
    for page in range(2, 5):
        sections += [Section("KEMI", page, "KEMI", "heading", True), Section(FIRST, page, "KEMI")]
    kept = [section for section in mark_furniture(sections) if section.furniture is None]
    assert [section.heading for section in kept] == ["Stone"] * 4


pieces_of_text = st.sampled_from(
    [*PRINTED.format(word="x").split("\n"), *ACADEMIC.split("\n"), FIRST, "", "Kemi", "1 a .... 3"]
)


@given(st.lists(st.tuples(st.lists(pieces_of_text | st.text(max_size=40), max_size=6), st.booleans()), max_size=8))
@settings(max_examples=100, deadline=None)
def test_nothing_is_lost_or_moved(parts: list[tuple[list[str], bool]]) -> None:
    sections = [Section("\n".join(lines), page, is_at_edge=edge) for page, (lines, edge) in enumerate(parts, start=1)]
    marked = list(mark_furniture(sections))
    assert "".join("".join(part.text.split()) for part in marked) == "".join(
        "".join(part.text.split()) for part in sections
    )


def test_counts_are_said_in_a_sentence() -> None:
    assert left_out_words({}) == ""
    counts = {"references": 42, "running head": 1_200, "contents": 1}
    assert left_out_words(counts) == "Left out of passages: 1,200 running heads, 42 references, 1 table of contents."


class Printed(FPDF):
    """Pages with a date and a title at the head, and an address and a counter at the foot."""

    def header(self) -> None:
        self.set_y(8)
        self.cell(60, 4, "12/08/2018, 14:22")
        self.cell(60, 4, "Kemi", new_x="LMARGIN", new_y="NEXT")
        self.set_y(22)

    def footer(self) -> None:
        self.set_y(-12)
        self.cell(60, 4, "https://en.example.org/wiki/Kemi")
        self.cell(60, 4, f"{self.page_no()}/3")


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pages of text with heads and feet, and a list of references."""
    document = Printed()
    document.set_font("Helvetica", size=11)
    for text in (FIRST, SECOND, f"{FIRST}\n{PRINTED.format(word='Retrieved').replace('↑', '^')}"):
        document.add_page()
        for line in text.split("\n"):
            document.multi_cell(w=0, text=line, new_x="LMARGIN", new_y="NEXT")
    return put(tmp_path_factory.mktemp("furniture"), "kemi.pdf", bytes(document.output()))


def test_heads_and_feet_of_a_pdf_file_are_sections_of_their_own(article: Path) -> None:
    parts = list(read_pdf(FileRequest(article, "kemi.pdf", OFF)))
    edge = [part.text for part in parts if isinstance(part, Section) and part.is_at_edge and part.page == 1]
    assert {"12/08/2018, 14:22 Kemi", "https://en.example.org/wiki/Kemi 1/3"} <= {
        " ".join(line.split()) for line in edge
    }


def test_the_head_of_a_table_stays_on_every_page(tmp_path: Path) -> None:
    document = FPDF()
    document.set_font("Helvetica", size=11)
    for year in range(2015, 2019):
        document.add_page()
        for row in ("Year Visitors Boats", *(f"{year} {number * 917} {number * year}" for number in range(2, 8))):
            document.cell(w=0, h=5, text=row, new_x="LMARGIN", new_y="NEXT")
    passages, report = read(put(tmp_path, "visitors.pdf", bytes(document.output())))
    assert " ".join(passage.text for passage in passages).count("Visitors") == 4 and not report.furniture


def read(path: Path, **options: bool) -> tuple[list[Passage], ReadingReport]:
    reading = DocumentReading([path], ReadingOptions(ocr=OFF, **options))  # type: ignore[arg-type]
    return list(reading.passages()), reading.report


def test_an_article_s_passages_are_its_text_unless_the_rest_is_wanted(article: Path) -> None:
    passages, report = read(article)
    text = " ".join(passage.text for passage in passages)
    assert FIRST in " ".join(text.split()) and "wiki" not in text and "Retrieved" not in text
    assert report.left_out.startswith("Left out of passages: ") and "5 references" in report.left_out
    passages, report = read(article, with_furniture=True)
    text = " ".join(passage.text for passage in passages)
    assert "1/3" in text and "Retrieved" in text and report.left_out == ""


def test_a_file_of_references_alone_is_refused_with_the_way_to_add_it(tmp_path: Path) -> None:
    path = put(tmp_path, "list.txt", ACADEMIC)
    reading = DocumentReading([path], ReadingOptions(ocr=OFF))
    with pytest.raises(Exception, match="keep references"):
        list(reading.passages())
    assert read(path, with_furniture=True)[0]
