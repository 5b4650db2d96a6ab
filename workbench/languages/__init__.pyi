from .broken_words import has_broken_words as has_broken_words, letter_grams as letter_grams, query_grams as query_grams
from .catalogue import (
    CHIRKOVA_LANGUAGES as CHIRKOVA_LANGUAGES,
    CODE as CODE,
    ENGLISH as ENGLISH,
    Language as Language,
    is_known as is_known,
    known_languages as known_languages,
    language as language,
)
from .detection import Detection as Detection, Detector as Detector, detect as detect
from .folds import (
    final_tones as final_tones,
    fold_letters as fold_letters,
    stated_years as stated_years,
    with_both_years as with_both_years,
)
from .labels import flores_code as flores_code, language_of as language_of, parse_label as parse_label
from .normalise import TONAL as TONAL, answer_form as answer_form, fold as fold, search_form as search_form
from .scripts import (
    ABJAD as ABJAD,
    CASED as CASED,
    DENSE as DENSE,
    KATAKANA as KATAKANA,
    LATIN as LATIN,
    LETTER as LETTER,
    SPACELESS as SPACELESS,
    SPACELESS_BRAHMIC as SPACELESS_BRAHMIC,
    UNSTOPPED as UNSTOPPED,
    script_of as script_of,
    script_shares as script_shares,
)
from .segment import (
    SEGMENTER_VERSION as SEGMENTER_VERSION,
    UNIT as UNIT,
    index_tokens as index_tokens,
    sentences as sentences,
    sentences_around as sentences_around,
    words as words,
)
