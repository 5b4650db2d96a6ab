"""How fast, how exact and how large dense search is up to a million vectors, compared with bare FAISS."""
