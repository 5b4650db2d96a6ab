"""The pipeline: states, stages, the chain of each mode, and the executor that runs them."""
