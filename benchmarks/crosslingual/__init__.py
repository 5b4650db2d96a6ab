"""How well a question finds its passage in another language, with nothing downloaded."""
