"""Models on several workers, here or on a cluster of Ray: encoding a corpus, and the stages of an experiment."""
