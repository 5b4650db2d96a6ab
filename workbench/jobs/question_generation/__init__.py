"""Questions written from a corpus's passages by a generator, filtered, reviewed by a person, and made a dataset."""
