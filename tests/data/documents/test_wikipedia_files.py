from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench.core.errors import DataError, UsageError
from workbench.data.documents.wikipedia.article import LanguageLinks, WikiArticle, WikiParagraph
from workbench.data.documents.wikipedia.corpus_import import open_articles

INSERT = "INSERT INTO `langlinks` VALUES "


def article(number: str, title: str, code: str) -> WikiArticle:
    return WikiArticle(number, title, code, (WikiParagraph("x"),))


def hub(tmp_path: Path, **columns: list[str]) -> Path:
    path = tmp_path / "train-00000-of-00001.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=2)
    return path


def test_a_file_of_the_hub_gives_articles_in_the_language_of_their_address(tmp_path: Path) -> None:
    path = hub(
        tmp_path,
        id=["7", "8"],
        url=["https://th.wikipedia.org/wiki/A", "https://th.wikipedia.org/wiki/B"],
        title=["ก", "ข"],
        text=["หนึ่ง\n\nสอง", "สาม"],
    )
    assert [entry for _, entry in open_articles(path).articles({})] == [
        WikiArticle("7", "ก", "th", (WikiParagraph("หนึ่ง"), WikiParagraph("สอง"))),
        WikiArticle("8", "ข", "th", (WikiParagraph("สาม"),)),
    ]


def test_reading_a_file_of_the_hub_goes_on_after_a_row(tmp_path: Path) -> None:
    names = [str(number) for number in range(9)]
    path = hub(tmp_path, id=names, url=["https://fi.wikipedia.org/wiki/A"] * 9, title=names, text=names)
    complete = list(open_articles(path).articles({}))
    assert list(open_articles(path).articles(complete[4][0])) == complete[5:]


def test_an_address_that_is_no_article_is_told_with_its_row(tmp_path: Path) -> None:
    path = hub(tmp_path, id=["7"], url=["https://example.org/"], title=["a"], text=["b"])
    with pytest.raises(DataError, match="row 1 has a “url”"):
        list(open_articles(path).articles({}))


def test_a_row_of_the_hub_without_text_is_no_article(tmp_path: Path) -> None:
    addresses = ["https://fi.wikipedia.org/wiki/A", "https://fi.wikipedia.org/wiki/B"]
    path = hub(tmp_path, id=["7", "8"], url=addresses, title=["a", "b"], text=[" ", "c"])
    assert [entry and entry.id for _, entry in open_articles(path).articles({})] == [None, "8"]


def test_pages_of_kilt_keep_their_headings(tmp_path: Path) -> None:
    path = tmp_path / "kilt_knowledgesource.json"
    texts = ["Oulu\n", "Oulu is a city.\n", "Section::::History.\n", "It was founded.\n", "BULLET::::- A point\n"]
    path.write_text(json.dumps({"wikipedia_id": "12", "wikipedia_title": "Oulu", "text": texts}) + "\n")
    assert [entry for _, entry in open_articles(path).articles({})] == [
        WikiArticle(
            "12",
            "Oulu",
            "en",
            (
                WikiParagraph("Oulu is a city."),
                WikiParagraph("It was founded.", "History"),
                WikiParagraph("A point", "History"),
            ),
        )
    ]


def test_another_file_is_refused_with_those_that_are_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"not a file of articles.*pages-articles dump"):
        open_articles(tmp_path / "a.zip")


def links(tmp_path: Path, values: str, languages: set[str], name: str = "enwiki-latest-langlinks.sql") -> LanguageLinks:
    table = tmp_path / name
    table.write_text(f"-- MySQL dump\n{INSERT}{values};\n", encoding="utf-8")
    return LanguageLinks.build(table, languages, tmp_path / "links.db")


def test_linked_articles_share_the_group_of_the_pivots_page(tmp_path: Path) -> None:
    linked = links(tmp_path, r"(12,'fi','Oulu'),(12,'ru','Оулу'),(13,'fi','L\'Aquila (kaupunki)')", {"fi", "ru"})
    assert linked.group(article("3", "Oulu", "fi")) == "en:12"
    assert linked.group(article("4", "Оулу", "ru")) == "en:12"
    assert linked.group(article("12", "Oulu", "en")) == "en:12"
    assert linked.group(article("5", "L'Aquila (kaupunki)", "fi")) == "en:13"


def test_an_article_without_links_is_a_group_of_itself(tmp_path: Path) -> None:
    assert links(tmp_path, "(12,'fi','Oulu')", {"fi"}).group(article("9", "Kylä", "fi")) == "fi:9"


def test_links_to_languages_that_are_not_imported_are_not_kept(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no link from en to any of th"):
        links(tmp_path, "(12,'fi','Oulu')", {"th"})
    assert not (tmp_path / "links.db").exists()


def test_a_table_of_links_must_say_whose_it_is(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not say whose links"):
        links(tmp_path, "(12,'fi','Oulu')", {"fi"}, "links.sql")


def site_links(tmp_path: Path, text: str, languages: set[str]) -> LanguageLinks:
    table = tmp_path / "wikidatawiki-latest-wb_items_per_site.sql"
    table.write_text(text, encoding="utf-8")
    return LanguageLinks.build(table, languages, tmp_path / "links.db")


@pytest.mark.parametrize("separator", [",", ",\n"])
def test_articles_of_one_item_of_wikidata_share_its_group(tmp_path: Path, separator: str) -> None:
    rows = [r"(1,42,'fiwiki','L\'Aquila')", "(2,42,'enwiki','Eagle')", "(3,42,'fiwikiquote','X')", "(4,7,'thwiki','ก')"]
    insert = "INSERT INTO `wb_items_per_site` VALUES" + separator.removeprefix(",") + separator.join(rows)
    linked = site_links(tmp_path, f"CREATE TABLE x;\n{insert};\n", {"fi", "en", "th"})
    assert linked.group(article("3", "L'Aquila", "fi")) == "Q42"
    assert linked.group(article("4", "Eagle", "en")) == "Q42"
    assert linked.group(article("5", "ก", "th")) == "Q7"
    assert linked.group(article("6", "X", "fi")) == "fi:6"


def test_a_table_of_wikidata_without_a_language_that_is_imported_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no link from Wikidata to any of th"):
        site_links(tmp_path, "INSERT INTO `wb_items_per_site` VALUES (1,42,'fiwiki','A');\n", {"th"})
