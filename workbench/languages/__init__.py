"""Languages as sourced data, the one normaliser and the one segmenter."""

from workbench.languages.language import ENGLISH, S1_LANGUAGES, Language, is_known, known_languages, language
from workbench.languages.normalise import answer_form, fold, script_of, script_shares
from workbench.languages.segment import index_tokens, sentences, words

__all__ = [
    "ENGLISH",
    "S1_LANGUAGES",
    "Language",
    "answer_form",
    "fold",
    "index_tokens",
    "is_known",
    "known_languages",
    "language",
    "script_of",
    "script_shares",
    "sentences",
    "words",
]
