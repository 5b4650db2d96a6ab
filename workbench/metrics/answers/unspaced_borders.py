"""Whether a match in a script without spaces may be a word of its own: ベル is none in ノーベル, 京都 none in 東京都.

Words cannot be told without a dictionary, but much of where they cannot end is told by the script:

- A run of Katakana is one word. A run of digits or of other letters is one, too.
- Hiragana next to a match in Hiragana must be a particle or the copula.
- A match of one Han character must stand next to function words, and in Japanese before a particle; a numeral stands
  next to no other and makes no date. A short name in characters that transliterate (贝尔) does not continue in others
  (诺贝尔). A match of
  two does not begin with the second character of a common place name (京都 in 東京都), and is not followed by the
  character for a people, a language or an army (日本人).
- In Thai and its kin a match does not cut a syllable: no vowel sign or tone follows it, no leading vowel or consonant
  that cannot end a syllable precedes it, and a short open syllable is not closed by the consonant after it: ห้า is
  none in ห้าง. A match does not begin a common Thai word of another meaning (กา in กาแฟ).

What this cannot tell is accepted where the match is of two Han characters or more (天文 in 人工天文台).
"""

from __future__ import annotations

import unicodedata

import regex

from workbench.languages import KATAKANA, SPACELESS_BRAHMIC

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
THAI_WORDS = tuple(unicodedata.normalize("NFKC", word) for word in (
    "กาแฟ", "ชาติ", "น้ำมัน", "น้ำตาล", "น้ำตา", "น้ำแข็ง", "น้ำหอม", "น้ำผึ้ง", "น้ำเงิน", "น้ำหนัก", "ไฟฟ้า", "นกหวีด",
    "หมาป่า", "ม้าลาย", "ปลาวาฬ", "ปลาหมึก", "ปลาดาว", "เสือดาว", "หนังสือ", "ข้าวโพด", "ข้าวสาลี", "ข้าวโอ๊ต", "ดินสอ",
    "ดินปืน", "ทองแดง", "ทองเหลือง", "มือถือ", "ปากกา", "ตาราง", "สองแถว", "สามก๊ก", "สามเหลี่ยม", "สี่เหลี่ยม", "สี่แยก",
    "ห้าเหลี่ยม", "หกเหลี่ยม", "หกล้ม", "หกคะเมน", "แปดเหลี่ยม", "เก้าอี้", "ร้อยเอก", "ร้อยเอ็ด", "พันเอก", "พันตรี", "พันโท",
    "ล้านนา", "ล้านช้าง", "ไทยรัฐ", "ไทยพาณิชย์",
))  # fmt: skip
"""Common words that begin with another one and mean something else; Thai has no marks where words end."""


def _thai_starts(text: str, at: int) -> bool:
    before, first = text[at - 1], text[at]
    if before in LEADING_VOWELS or FOLLOWING_VOWELS.match(first):
        return False
    return not (before in NEVER_FINAL and THAI_CONSONANT.match(first))


def _thai_ends(text: str, end: int, size: int) -> bool:
    after = text[end]
    if FOLLOWING_VOWELS.match(after) or text[end - 1] in LEADING_VOWELS:
        return False
    start = end - size
    if any(len(word) > size and text.startswith(word, start) for word in THAI_WORDS):
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
    """Whether `match` is somewhere in `text` as far as can be told a word, or several.

    >>> contains_word("ノーベルと", "ベル"), contains_word("ベルと", "ベル"), contains_word("東京都", "京都")
    (False, True, False)
    """
    at = text.find(match)
    while at >= 0:
        if starts_word(text, at, len(match)) and ends_word(text, at + len(match), len(match)):
            return True
        at = text.find(match, at + 1)
    return False
