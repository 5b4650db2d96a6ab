"""Generation from a real server: `transformers serve` over a tiny model, without anything in between."""

from __future__ import annotations

from threading import Event

import pytest

from tests.llm.conftest import Served
from workbench.errors import GenerationFailed
from workbench.llm.conversation import TokenLimits
from workbench.llm.endpoint import Endpoint
from workbench.llm.huggingface import HuggingFaceGenerator
from workbench.llm.llm_generator import LLMGenerator
from workbench.llm.sources import OpenAILikeSource
from workbench.records import Prompt, Task

PROMPT = Prompt("Answer briefly.", "Who invented the radio?", Task("Who invented the radio?", "en"))
ENDLESS = Prompt("Weigh.", "Who invented the radio?", Task("Who?", "en", dialectic=("answer",)))


def over(served: Served, model: str = "", short: int = 12) -> LLMGenerator:
    source = OpenAILikeSource(model or served.model, Endpoint(served.url, ""))
    return LLMGenerator(source, limits=TokenLimits(short=short))


def test_the_answer_is_what_the_model_itself_says(served: Served) -> None:
    made = over(served).generate([PROMPT])[0]
    itself = HuggingFaceGenerator(served.model, limits=TokenLimits(short=12)).generate([PROMPT])[0]
    assert made.text.strip() == itself.text
    assert made.usage is not None
    assert itself.usage is not None
    assert made.usage.prompt_tokens == itself.usage.prompt_tokens
    assert (made.usage.completion_tokens, made.usage.estimated, made.finish) == (12, False, "length")


def test_the_answer_streams_in_pieces_that_make_up_the_whole(served: Served) -> None:
    stream = over(served).stream(PROMPT)
    pieces = list(stream)
    assert len(pieces) > 1
    assert "".join(pieces) == stream.generation.text
    # The server's streams leave out a last character that is not whole, its plain answers do not.
    assert stream.generation.text == over(served).generate([PROMPT])[0].text.rstrip("\N{REPLACEMENT CHARACTER}")
    assert stream.generation.usage is not None
    assert not stream.generation.usage.estimated


def test_stop_keeps_the_part_answer(served: Served) -> None:
    stop = Event()
    stream = over(served).stream(ENDLESS, stop)
    first = next(stream)
    stop.set()
    assert list(stream) == []
    assert (stream.generation.text, stream.generation.finish) == (first, "stopped")


def test_a_check_calls_the_model(served: Served) -> None:
    health = over(served).check()
    assert health.ok, health.sentence


def test_another_models_name_is_told_as_such(served: Served) -> None:
    with pytest.raises(GenerationFailed, match="There is no model “gpt-of-dreams”"):
        over(served, "gpt-of-dreams").generate([PROMPT])
