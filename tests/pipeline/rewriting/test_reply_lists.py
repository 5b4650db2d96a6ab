"""Reading the questions in a model's reply: the ways in which models write lists, in any script, never guessing."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from workbench.pipeline.rewriting import WORD, is_nothing, reply_items

TWO = ("Who invented radio?", "Where was he born?")
ARABIC = ("من اخترع الراديو؟", "أين وُلد؟")


@pytest.mark.parametrize(
    ("reply", "items"),
    [
        ("1. Who invented radio?\n2. Where was he born?", TWO),
        ("1) Who invented radio?\n\n2) Where was he born?", TWO),
        ("1: Who invented radio?\n2: Where was he born?", TWO),
        ("(1) Who invented radio?\n(2) Where was he born?", TWO),
        ("- Who invented radio?\n* Where was he born?", TWO),
        ("• Who invented radio?\n•Where was he born?", TWO),
        ("Who invented radio?\nWhere was he born?", TWO),
        ("Here are two questions:\n\n1. Who invented radio?\n2. Where was he born?\n\nI hope this helps!", TWO),
        ("Queries:\nWho invented radio?\nWhere was he born?", TWO),
        ('1. "Who invented radio?"\n2. **Where was he born?**', TWO),
        ("**1. Who invented radio?**\n**2. Where was he born?**", TWO),
        ("```\n1. Who invented radio?\n2. Where was he born?\n```", TWO),
        ("<think>1. Not this?</think>\n1. Who invented radio?\n2. Where was he born?", TWO),
        ("1. Who invented radio?\r\n2. Who  invented radio?\r\n3. Where was he born?", TWO),
        ("\u200f١. من اخترع الراديو؟\n\u200f٢. أين وُلد؟", ARABIC),
        ("\u202b1) من اخترع الراديو؟\u202c\n\u202b2) أين وُلد؟\u202c", ARABIC),
        ("1、誰が発明しましたか。\n2、どこで生まれましたか。", ("誰が発明しましたか。", "どこで生まれましたか。")),
        ("①「誰がラジオを発明しましたか」\n② 彼はどこで", ("誰がラジオを発明しましたか", "彼はどこで")),
        ("๑. ใครประดิษฐ์วิทยุ\n๒. เขาเกิดที่ไหน", ("ใครประดิษฐ์วิทยุ", "เขาเกิดที่ไหน")),
        ("1.5 million people live where?", ("1.5 million people live where?",)),
        ("1969 - what happened?", ("1969 - what happened?",)),
        ("-5 degrees is measured where?", ("-5 degrees is measured where?",)),
        ("NONE", ()),
        ("**NONE.**", ()),
        ("", ()),
        ("  \n\u200f\n---\n", ()),
        ("<think>nothing comes to mind", ()),
        ("Here is what I would ask:", ()),
    ],
    ids=str,
)  # fmt: skip
def test_the_items_of_a_reply(reply: str, items: tuple[str, ...]) -> None:
    assert reply_items(reply) == items


WORDS = st.text("aäßéЖшаمنكตก誰何 ", max_size=20).map(lambda text: " ".join(f"q{text}?".split()))
QUESTIONS = st.lists(WORDS, min_size=1, max_size=6, unique_by=str.casefold)
MARKS = st.sampled_from(["{}. ", "{}) ", "({}) ", "{}: ", "- ", "• ", "* ", "\u200f{}. ", ""])


@given(QUESTIONS, MARKS, st.booleans())
def test_a_list_is_read_back_however_it_is_marked(questions: list[str], mark: str, announced: bool) -> None:
    lines = [mark.format(number) + text for number, text in enumerate(questions, start=1)]
    reply = "\n".join((["Here you are:"] if announced else []) + lines)
    assert reply_items(reply) == tuple(questions)


@given(st.text())
def test_any_reply_gives_distinct_items_with_words_on_one_line_each(reply: str) -> None:
    items = reply_items(reply)
    assert items == reply_items(reply)
    assert len({item.casefold() for item in items}) == len(items)
    for item in items:
        assert item == item.strip()
        assert len(item.splitlines()) == 1
        # By the same edition of Unicode as the reader: Python's may not know the newest letters.
        assert WORD.search(item)
        assert not is_nothing(item)
