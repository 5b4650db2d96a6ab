"""The text layer of PDF files: glyphs become lines, lines become text, and every character keeps its box."""
