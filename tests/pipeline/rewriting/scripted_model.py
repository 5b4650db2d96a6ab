"""A language model behind a real OpenAI-compatible server that replies to each prompt as a test says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.models.llm.endpoint import Endpoint
from workbench.models.llm.llm_generator import LLMGenerator
from workbench.models.llm.sources import OpenAILikeSource


@dataclass
class ScriptedModel:
    """`turns` are the users' turns that came, `systems` the system texts; a reply of None is an error of the server."""

    server: MisbehavingServer
    turns: list[str] = field(default_factory=list)

    @property
    def systems(self) -> list[str]:
        return [
            message["content"]
            for request in self.server.requests
            for message in request.body["messages"]
            if message["role"] == "system"
        ]

    @property
    def name(self) -> str:
        """The model as a recipe names it."""
        return f"openai-like:m@{self.server.url('says')}"

    def generator(self, way: str = "says") -> LLMGenerator:
        return LLMGenerator(OpenAILikeSource("m", Endpoint(self.server.url(way), "")), sleep=lambda _: None)


@contextmanager
def scripted_model(reply: Callable[[str], str | None]) -> Iterator[ScriptedModel]:
    """The model for as long as a test needs it."""
    with misbehaving() as server:
        model = ScriptedModel(server)

        def script(turn: str) -> str | None:
            model.turns.append(turn)
            return reply(turn)

        server.script = script
        yield model
