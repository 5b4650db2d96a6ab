"""How fast and how large retrieval is at 100,000 and 1,000,000 passages, compared with rank_bm25 and bm25s."""
