"""The built-in translator: a translation memory, exact or fuzzy, and a word gloss learnt from it."""
