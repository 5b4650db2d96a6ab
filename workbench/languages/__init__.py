"""Languages as sourced data, their scripts, the one normaliser and the one segmenter."""

from workbench.languages.language import CHIRKOVA_LANGUAGES, ENGLISH, Language, is_known, known_languages, language
from workbench.languages.normalise import answer_form, fold
from workbench.languages.scripts import script_of, script_shares
from workbench.languages.segment import index_tokens, sentences, sentences_around, words

__all__ = [
    "CHIRKOVA_LANGUAGES",
    "ENGLISH",
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
    "sentences_around",
    "words",
]
