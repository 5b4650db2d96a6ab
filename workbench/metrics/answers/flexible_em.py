"""Flexible exact match: does the answer contain a complete gold answer?

Source: Ranaldi et al. (2025, D-RAG) and Ranaldi et al. (2025, CrossRAG), there called accuracy. Range {0, 1}; higher
is better; one gold is enough.

`flexible_em_paper` is the formula as published, for comparison: 1 where a lower-cased gold is contained in the
lower-cased answer, with each run of white space one space.

`flexible_em` is right where inclusion is not. Both sides are normalised (`languages.answer_form`); the words of a gold
must follow each other in the answer.

- In scripts with spaces each is equal to the answer's word, or the answer's word is a form of it by the endings of the
  language (`word_forms`): Поповым, Marconin, Einsteins, but not `art` in `party`.
- A gold of one capitalised word with marks is not that word without both: not Pará in "Vai para o norte."
- Numbers are complete, without separators of thousands: 500 is not in 2,500, 5 not in 2.5; 1960 is in 1960s.
- In scripts without spaces a match begins and ends where a word may (`contains_word`): not ベル in ノーベル.
- Number words and digits are one, and so are the wordings of a day of a month, which is no number: 12 is in "twelve",
  but not in "December 12" (`numbers_and_dates`).
- A list is found in any order, with "and", a comma or neither between its items: `China, Nepal` for "Nepal and China".
- A surname of one word (Bell, beside the gold Alexander Graham Bell) is found by its capital alone: not in "a bell".
- Sentences that end in a question mark answer nothing: "A or B?" contains neither, unless a gold is a question, too.
- Years in Thai whose era is stated are compared in both eras (`normalise.stated_years`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import permutations, repeat

import regex
from babel import Locale, localedata

from workbench.languages import (
    KATAKANA,
    SPACELESS,
    SPACELESS_BRAHMIC,
    Language,
    answer_form,
    fold,
    fold_letters,
    sentences,
    stated_years,
    with_both_years,
    words,
)
from workbench.metrics.answers.numbers_and_dates import with_dates, with_digits, word_lists
from workbench.metrics.answers.word_forms import is_form, keys
from workbench.metrics.measure import NO_GOLD, Measure, Score, per_case

BETWEEN_RUNS = regex.compile(rf"(?<=[{SPACELESS}]\p{{M}}*) (?=[{SPACELESS}])")
"""A space inside a run of a script without spaces."""
CACHED_GOLDS = 1 << 16
"""Gold answers whose normalised forms are cached."""
CHARACTER = regex.compile(rf"[{SPACELESS}]\p{{M}}*|[^{SPACELESS}]+")


@lru_cache(maxsize=CACHED_GOLDS)
def gold_form(gold: str, language: Language) -> str:
    """`answer_form` of a gold answer, cached: every recipe is scored against the same ones."""
    return answer_form(gold, language)


def usable_golds(golds: Sequence[str], language: Language) -> list[str]:
    """The gold answers, unchanged, of which something is left after normalisation."""
    return [gold for gold in golds if gold_form(gold, language)]


def units(text: str) -> list[str]:
    """The folded words of `text`; in scripts without spaces its characters, each with its marks.

    >>> units("Tokyo は東京。")
    ['tokyo', 'は', '東', '京']
    """
    parts = words(text)
    if text.isascii():
        return parts
    return [unit for word in parts for unit in CHARACTER.findall(word)]


CLASSES = regex.compile(
    rf"(?P<space> )|(?P<number>[0-9.])|(?P<katakana>[{KATAKANA}])|(?P<hiragana>\p{{Hiragana}})|(?P<han>\p{{Han}})"
    rf"|(?P<brahmic>[{SPACELESS_BRAHMIC}\p{{M}}])|(?P<letter>.)",
    regex.DOTALL,
)

# --- Han and Kana ---------------------------------------------------------------------------------------------------

HAN_NUMERALS = frozenset("〇零一二三四五六七八九十百千万萬億亿兆两兩")
CALENDAR = frozenset("月日号號年世点點分角星")
"""What makes a date, a time or a part of a numeral before it; other characters after a numeral measure or name."""
MULTIPLIERS = frozenset("十百千万萬億亿兆")
FUNCTION_WORDS = frozenset("的是在和与與了于於由为為有被把从從到对對及等也都就将將而或以这這那位叫名称稱即乃之个個")
"""Characters that are words of their own next to others: particles, prepositions, the copula, the general measure."""
BEFORE_KANA = frozenset("はがをにのでともへやかだな")
AFTER_KANA = frozenset("はがをにのでともへやかだならで")
PEOPLES = frozenset("人語语話话軍军")
TRANSLITERATION = frozenset(
    "阿埃艾昂奥奧巴班鲍鮑贝貝彼宾賓波伯勃博布查楚茨达達戴丹登迪蒂杜顿頓厄恩尔爾凡菲费費芬冯馮佛弗伏甘冈岡戈格瓜哈赫亨霍基吉"
    "贾賈杰傑卡凯凱坎柯克肯库庫奎昆拉莱萊赖賴兰蘭朗勒雷黎莉琳隆卢盧鲁魯伦倫罗羅洛吕呂玛瑪迈邁麦麥曼芒梅蒙缪繆摩莫默姆穆娜纳納瑙"
    "内尼妮涅诺諾欧歐帕潘庞龐佩珀皮普奇乔喬切琴茹瑞萨薩塞赛賽桑瑟沙舍施史舒斯索塔泰汤湯特滕廷托瓦威韦韋维維魏翁沃乌烏伍"
    "谢謝辛耶伊尤泽澤扎詹兹茲祖佐马馬里利德丽麗林列科康考科古加森苏蘇亚亞雅"
)
"""Characters by which Chinese writes foreign names, without those that are mostly words of their own."""
LONGEST_SYLLABLES = 3
PLACES = frozenset((
    "東京", "东京", "北京", "南京", "西京", "大阪", "京都", "奈良", "横浜", "神戸", "広島", "長崎",
    "福岡", "千葉", "静岡", "新潟", "岡山", "熊本", "日本", "中国", "中國", "美国", "美國", "英国",
    "英國", "法国", "法國", "德国", "德國", "俄国", "韩国", "韓国", "韓國", "泰国", "泰國", "上海",
    "天津", "重庆", "重慶", "广州", "廣州", "广东", "廣東", "广西", "山东", "山東", "山西", "河南",
    "河北", "湖南", "湖北", "江西", "江苏", "江蘇", "浙江", "四川", "云南", "雲南", "海南", "台湾",
    "台灣", "香港", "澳门", "澳門", "台北", "臺北", "朝鮮", "朝鲜", "印度", "米国", "仏国", "独国",
    "大学", "大學", "第一", "第二", "第三", "今年", "去年", "昨年", "今日", "明日",
))  # fmt: skip
"""Common words of two characters whose second one may begin another word."""


def _han_starts(text: str, at: int, size: int) -> bool:
    before, first = text[at - 1], text[at]
    if first in HAN_NUMERALS and before in HAN_NUMERALS:
        return False
    match = text[at : at + size]
    if size == 1:
        return before in FUNCTION_WORDS
    if size <= LONGEST_SYLLABLES and before in TRANSLITERATION and TRANSLITERATION.issuperset(match):
        return False
    return size != 2 or before + first not in PLACES


def _han_ends(text: str, end: int, size: int) -> bool:
    last, after = text[end - 1], text[end]
    if last in HAN_NUMERALS and after in HAN_NUMERALS:
        return False
    match = text[end - size : end]
    if size == 1:
        return after not in CALENDAR if last in HAN_NUMERALS else after in FUNCTION_WORDS
    if size <= LONGEST_SYLLABLES and after in TRANSLITERATION and TRANSLITERATION.issuperset(match):
        return False
    return size != 2 or after not in PEOPLES


# --- Thai and its kin -----------------------------------------------------------------------------------------------

LEADING_VOWELS = frozenset("เแโใไເແໂໃໄ")
FOLLOWING_VOWELS = regex.compile(r"[\p{M}ะาำๅๆະາຳໆ]")
NEVER_FINAL = frozenset("ฉผฝฌหฮ")
"""Thai consonants that end no syllable: after one of them without a vowel, the next letter belongs to it."""
FINALS = frozenset("งนมยวกดบ")
CLUSTERED = frozenset("รลว")
OPEN_SYLLABLE = 4
"""Letters and signs up to which a match is taken for one syllable."""
THAI_CONSONANT = regex.compile("[ก-ฮ]")


def _thai_starts(text: str, at: int) -> bool:
    before, first = text[at - 1], text[at]
    if before in LEADING_VOWELS or FOLLOWING_VOWELS.match(first):
        return False
    return not (before in NEVER_FINAL and THAI_CONSONANT.match(first))


def _thai_ends(text: str, end: int, size: int) -> bool:
    after = text[end]
    if FOLLOWING_VOWELS.match(after) or text[end - 1] in LEADING_VOWELS:
        return False
    # Only an open syllable can be closed: its last letter is a vowel, or a tone above one.
    if size > OPEN_SYLLABLE or not FOLLOWING_VOWELS.match(text[end - 1]) or after not in FINALS:
        return True
    return _is_onset(text, end)


def _is_onset(text: str, at: int) -> bool:
    """Whether the consonant at `at` begins a syllable: it has a vowel or tone, or is in a cluster that has one."""
    after = text[at + 1 : at + 3]
    if not after:
        return False
    if FOLLOWING_VOWELS.match(after) or after[0] == "อ":
        return True
    return after[0] in CLUSTERED and bool(FOLLOWING_VOWELS.match(after[1:]))


# --- all ------------------------------------------------------------------------------------------------------------

COMPOUNDS = tuple(unicodedata.normalize("NFKC", word) for word in word_lists()["compounds"])
"""Common words that contain another one and mean something else, in scripts that do not mark where words end."""


def _kind(letter: str) -> str:
    match = CLASSES.match(letter)
    return (match.lastgroup or "") if match else ""


def starts_word(text: str, at: int, size: int) -> bool:
    """Whether a word may start at character `at`, where a match of `size` characters starts."""
    if at == 0:
        return True
    kind, before = _kind(text[at]), _kind(text[at - 1])
    if kind != before:
        return True
    if kind == "han":
        return _han_starts(text, at, size)
    if kind == "hiragana":
        return text[at - 1] in BEFORE_KANA
    return kind == "brahmic" and _thai_starts(text, at)


def ends_word(text: str, end: int, size: int) -> bool:
    """Whether a word may end before character `end`, where a match of `size` characters ends."""
    if end == len(text):
        return True
    kind, after = _kind(text[end - 1]), _kind(text[end])
    if kind != after:
        if kind == "number" and after == "han":
            return text[end] not in MULTIPLIERS
        return not (kind == "han" and size == 1 and after == "hiragana" and text[end] not in AFTER_KANA)
    if kind == "han":
        return _han_ends(text, end, size)
    if kind == "hiragana":
        return text[end] in AFTER_KANA
    return kind == "brahmic" and _thai_ends(text, end, size)


def contains_word(text: str, match: str) -> bool:
    """Whether `match` is somewhere in `text`, of a script without spaces, as far as can be told a word, or several.

    Words cannot be told without a dictionary, but much of where they cannot end is told by the script:

    - A run of Katakana is one word. A run of digits or of other letters is one, too.
    - Hiragana next to a match in Hiragana must be a particle or the copula.
    - A match of one Han character must stand next to function words, and in Japanese before a particle; a numeral
      stands next to no other and makes no date. A short name in characters that transliterate (贝尔) does not continue
      in others (诺贝尔). A match of two does not begin with the second character of a common place name (京都 in
      東京都), and is not followed by the character for a people, a language or an army (日本人).
    - In Thai and its kin a match does not cut a syllable: no vowel sign or tone follows it, no leading vowel or
      consonant that cannot end a syllable precedes it, and a short open syllable is not closed by the consonant after
      it: ห้า is none in ห้าง.
    - A match is not within a common word of another meaning (`COMPOUNDS`: กา in กาแฟ, 印度 in 印度洋).

    What this cannot tell is accepted where the match is of two Han characters or more (天文 in 人工天文台).

    >>> contains_word("ノーベルと", "ベル"), contains_word("ベルと", "ベル"), contains_word("東京都", "京都")
    (False, True, False)
    """
    at = text.find(match)
    while at >= 0:
        end = at + len(match)
        if (
            starts_word(text, at, len(match))
            and ends_word(text, end, len(match))
            and not any(
                len(word) > len(match) and word in text[max(0, end - len(word)) : at + len(word)] for word in COMPOUNDS
            )
        ):
            return True
        at = text.find(match, at + 1)
    return False


UNSPACED = regex.compile(rf"[{SPACELESS}]")
RUN = regex.compile(rf"[{SPACELESS}][{SPACELESS}\p{{M}}]*")
TIMES = regex.compile(rf"(?<=[0-9])(?=[{''.join(sorted(MULTIPLIERS))}])")
QUESTION_MARKS = ("?", "？", "؟")
DOT = "\u0307"
"""Of İ, once it is folded: no mark that tells words apart."""
SQUEEZED = 4
"""Characters from which a gold is also searched across spaces inside a script without them."""

RIGHT, WRONG = Score(1.0), Score(0.0)

LONGEST_LIST = 4
"""Items; longer lists are searched for as they are written."""
LOWER_WORD = regex.compile(r"(?<![\p{L}\p{M}])\p{Ll}[\p{L}\p{M}]*")
BARE_NAME = regex.compile(r"\p{Lu}[\p{Latin}\p{Cyrillic}\p{M}]+|\p{Hangul}")
"""A surname that may be a common word: one with a capital, or a Korean one of one syllable."""
NAME = regex.compile(r"\p{Lu}[\p{Latin}\p{M}]+")
CAPITAL = regex.compile(r"\p{Lu}")
NOT_A_WORD = "ꙮ"
"""Replaces what only looks like a word of a gold; a letter that nobody writes."""

_Gold = tuple[str, tuple[str, ...], tuple[str, ...], "regex.Pattern[str] | None", bool]
"""A normalised gold between spaces, its words, and what every text with forms of them contains; unspaced ones have no
words.  Then what only looks like it, and whether it is a bare name."""


def flexible_em(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """1.0 if `answer` contains a gold in any form of its words, else 0.0; unscored when no gold survives normalisation.

    >>> from workbench.languages import language
    >>> flexible_em("It was Marconi, in 1895.", ["Guglielmo Marconi", "Marconi"], language=language("en")).value
    1.0
    >>> flexible_em("a party", ["art"], language=language("en")).value
    0.0
    """
    if language.code == "th":
        golds, answer = [form for gold in golds for form in stated_years(gold)], with_both_years(answer)
    forms = _forms(tuple(golds), language)
    if not forms:
        return NO_GOLD
    if _asks(answer) and not any(map(_asks, golds)):
        statements = _statements(answer)
        if not statements:
            plain = f" {answer_form(answer, language)} "
            return Score(float(plain in {gold for gold, *_ in forms}))
        answer = statements
    dated = with_dates(answer, language)
    if dated != answer:
        answer = f"{dated} {NOT_A_WORD} {with_dates(answer, language, days=False)}"
    text = f" {answer_form(answer, language)} "
    if (in_digits := with_digits(text, language)) != text:
        text = f"{text}{NOT_A_WORD}{in_digits}"
    for form in forms:
        if (
            _contains(text, form, language)
            and _is_named(answer, form, language)
            and _is_more_than_alike(answer, form, language)
        ):
            return RIGHT
    return WRONG


def _is_named(answer: str, form: _Gold, language: Language) -> bool:
    """Whether an answer has a bare name with its capital, or is nothing else; true of any other gold."""
    gold, *_, is_name = form
    if not is_name or words(answer) == gold.split():
        return True
    return _contains(f" {answer_form(LOWER_WORD.sub(' ', answer), language)} ", form, language)


def flexible_em_paper(answer: str, golds: Sequence[str]) -> Score:
    """The formula as published: 1.0 if the lower-cased `answer` contains a lower-cased gold, in a word or not.

    >>> flexible_em_paper("A  Party", ["art", "the party"]).value
    1.0
    """
    forms = [form for gold in golds if (form := " ".join(gold.lower().split()))]
    if not forms:
        return NO_GOLD
    text = " ".join(answer.lower().split())
    return Score(float(any(form in text for form in forms)))


@lru_cache(maxsize=CACHED_GOLDS)
def _forms(golds: tuple[str, ...], language: Language) -> tuple[_Gold, ...]:
    """The golds as they are searched for, lists in all their orders; () if nothing is left."""
    last = {gold.split()[-1] for gold in golds if len(gold.split()) > 1}
    return tuple(
        form
        for gold in golds
        for text in dict.fromkeys((gold, with_dates(gold, language), *_orders(gold, language.code)))
        for form in _plain_forms(text, language, gold in last and BARE_NAME.fullmatch(gold) is not None)
    )


def _orders(gold: str, code: str) -> Iterator[str]:
    """The orders of a gold's items, without and with what joins the last two; nothing where it is no list."""
    separator, patterns = _joints(code)
    items = [item.strip() for item in separator.split(gold)]
    if not 1 < len(items) <= LONGEST_LIST or not all(len(item) > 1 and item[0].isalpha() for item in items):
        return
    for *first, last in permutations(items):
        yield " ".join((*first, last))
        yield from (pattern.format(" ".join(first), last) for pattern in patterns)


@cache
def _joints(code: str) -> tuple[regex.Pattern[str], tuple[str, ...]]:
    """What stands between the items of a list in a language, and the patterns that join the last two."""
    conjunctions, written_on = word_lists()["conjunctions"], word_lists()["written on an item"]
    pattern = Locale.parse(code).list_patterns["standard"]["2"] if localedata.exists(code) else "{0}, {1}"
    between = pattern.format("", "").strip()
    others = conjunctions.get(code, ())
    patterns = (pattern, *(pattern.replace(between, word) for word in others))
    joints = filter(str.strip, (pattern.format("", "") for pattern in patterns))
    return regex.compile(
        rf"(?:, |[،、，]|{written_on.get(code, ', ')}|{'|'.join(map(regex.escape, joints))})"
    ), patterns


def _plain_forms(text: str, language: Language, is_name: bool) -> tuple[_Gold, ...]:
    """A text as it is searched for, with number words, digits or both; () if nothing is left."""
    form = answer_form(text, language)
    if not form:
        return ()
    if form.isascii() or not UNSPACED.search(form):
        lookalike = None if text.isascii() else _lookalike(text, form)
        plain = dict.fromkeys((form, with_digits(f" {form} ", language).strip()))
        spelt = [(form, tuple(form.split())) for form in plain]
        return tuple((f" {form} ", words, keys(words, language), lookalike, is_name) for form, words in spelt)
    joined = BETWEEN_RUNS.sub("", form)
    return tuple((f" {form} ", (), (), None, False) for form in dict.fromkeys((form, joined)))


def _lookalike(gold: str, form: str) -> regex.Pattern[str] | None:
    """What a gold of one capitalised word is without capital and marks: another word, as `para` is for Pará."""
    names = [fold(name).replace(DOT, "") for name in NAME.findall(unicodedata.normalize("NFC", gold))]
    if form in names or form not in map(fold_letters, names):
        return None
    return regex.compile(rf"(?<![\p{{L}}\p{{M}}\p{{N}}]){regex.escape(form)}(?![\p{{L}}\p{{M}}\p{{N}}])")


def _is_more_than_alike(answer: str, form: _Gold, language: Language) -> bool:
    """Whether an answer that contains a gold still does without the words that only look like it.

    Where nothing in the answer is a capital it says nothing that a name has none.
    """
    lookalike = form[3]
    if lookalike is None or not lookalike.search(answer) or not CAPITAL.search(answer):
        return True
    return _contains(f" {answer_form(lookalike.sub(NOT_A_WORD, answer), language)} ", form, language)


def _contains(text: str, form: _Gold, language: Language) -> bool:
    gold, words, parts, *_ = form
    if not words:
        return gold in text or _contains_unspaced(text, gold.strip())
    # The last word is the least often an article or preposition that every answer has.
    for part in reversed(parts):
        if part not in text:
            break
    else:
        if gold in text or _has_words(text, form, language):
            return True
    return not text.isascii() and UNSPACED.search(text) is not None and _has_words(_spaced(text), form, language)


def _has_words(text: str, form: _Gold, language: Language) -> bool:
    """Whether forms of a gold's words follow each other in a text between spaces."""
    _, words, parts, _, is_name = form
    size, first = len(words), parts[0]
    second = parts[1] if size > 1 and parts[1][0] == " " else " "
    at = text.find(first)
    while at >= 0:
        start = at if text[at] == " " else text.rfind(" ", 0, at)
        if text.startswith(second, text.find(" ", start + 1)):
            others = text[start + 1 :].split(" ", size)[:size]
            if (
                len(others) == size
                and all(map(is_form, words[:-1], others, repeat(language)))
                and is_form(words[-1], others[-1], language, is_name=is_name or size > 1)
            ):
                return True
        at = text.find(first, at + 1)
    return False


def _spaced(text: str) -> str:
    """The words without those in scripts without spaces, between spaces; a number keeps what multiplies it (5万)."""
    return f" {' '.join(RUN.sub(' ', TIMES.sub('0', text)).split())} "


def _contains_unspaced(text: str, gold: str) -> bool:
    if contains_word(text, gold):
        return True
    joined = BETWEEN_RUNS.sub("", text) if len(gold) >= SQUEEZED else text
    return joined != text and contains_word(joined, gold)


def _asks(text: str) -> bool:
    return "?" in text or (not text.isascii() and ("？" in text or "؟" in text))


def _statements(answer: str) -> str:
    """The sentences that are no questions."""
    parts = [answer[start:end] for start, end in sentences(answer)]
    return " ".join(part for part in parts if not part.rstrip(" \"'”’)»」』").endswith(QUESTION_MARKS))


MEASURES = (
    Measure(
        "flexible_em",
        "Answer contains the gold (words)",
        "Ranaldi et al. (2025, D-RAG) and Ranaldi et al. (2025, CrossRAG), there: accuracy; by complete words",
        per_case(lambda case: flexible_em(case.prediction, case.answers, language=case.language)),
    ),
    Measure(
        "flexible_em_paper",
        "Answer contains the gold (text, as published)",
        "Ranaldi et al. (2025, D-RAG) and Ranaldi et al. (2025, CrossRAG), there: accuracy",
        per_case(lambda case: flexible_em_paper(case.prediction, case.answers)),
    ),
)
"""The measures of this module."""
