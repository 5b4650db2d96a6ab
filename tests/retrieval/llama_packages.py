"""A LlamaIndex integration package as pip would lay it out: `llama_index.postprocessor.ours`."""

from __future__ import annotations

from pathlib import Path

CODE = '''
from llama_index.core.bridge.pydantic import Field
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore


class Backwards(BaseNodePostprocessor):
    """The other way round, without scores; keeps few unless told otherwise."""

    top_n: int = Field(default=2)

    def _postprocess_nodes(self, nodes, query_bundle=None):
        return nodes[::-1][: self.top_n]


class Needy(Backwards):
    key: str

    def __init__(self, key):
        super().__init__(key=key)


class Talkative(Backwards):
    def __init__(self):
        raise ValueError("wrong key sk-planted")


class Unfinished(BaseNodePostprocessor):
    """Has no method of its own."""
'''
BROKEN = "import a_module_that_nobody_has\n"


def install(folder: Path) -> None:
    """Lays `llama_index.postprocessor.ours` and `llama_index.postprocessor.broken` under `folder`."""
    for name, code in (("ours", CODE), ("broken", BROKEN)):
        place = folder / "llama_index" / "postprocessor" / name
        place.mkdir(parents=True)
        (place / "__init__.py").write_text(code, encoding="utf-8")
