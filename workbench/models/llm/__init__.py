"""Any language model as a generator: endpoints, LlamaIndex classes, local models."""
