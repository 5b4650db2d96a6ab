"""Documents: what comes back of printed text, what is noticed of broken text layers, and what OCR gains."""
