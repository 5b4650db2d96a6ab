"""The Inspect screen's second view: labels by keyboard, queues and what people agree on."""
