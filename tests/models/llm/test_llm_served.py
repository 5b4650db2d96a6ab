"""Generation from a real server: `transformers serve` over smollm2, with nothing in between."""

from __future__ import annotations

from threading import Event

import pytest

from tests.models.llm.conftest import Served
from workbench.core.errors import GenerationFailed
from workbench.core.records import Prompt, Task
from workbench.core.stopping import stopping_with
from workbench.models.llm.conversation import TokenLimits
from workbench.models.llm.endpoint import Endpoint
from workbench.models.llm.huggingface import HuggingFaceGenerator
from workbench.models.llm.llm_generator import LLMGenerator
from workbench.models.llm.sources import OpenAILikeSource

pytestmark = pytest.mark.slow

PROMPT = Prompt("Answer briefly.", "Who invented the radio?", Task("Who invented the radio?", "en"))
ENDLESS = Prompt("Weigh.", "Who invented the radio?", Task("Who?", "en", dialectic=("answer",)))


def generator_for(served: Served, model: str = "", short: int = 12) -> LLMGenerator:
    source = OpenAILikeSource(model or served.model, Endpoint(served.url, ""))
    return LLMGenerator(source, limits=TokenLimits(short=short))


def test_the_answer_is_what_the_model_itself_says(served_smollm2: Served) -> None:
    generation = generator_for(served_smollm2).generate([PROMPT])[0]
    direct = HuggingFaceGenerator(served_smollm2.model, limits=TokenLimits(short=12)).generate([PROMPT])[0]
    assert generation.text.strip() == direct.text
    assert generation.usage is not None
    assert direct.usage is not None
    assert generation.usage.prompt_tokens == direct.usage.prompt_tokens
    assert (generation.usage.completion_tokens, generation.usage.estimated, generation.finish) == (12, False, "length")


def test_the_answer_streams_in_pieces_that_make_up_the_complete_one(served_smollm2: Served) -> None:
    stream = generator_for(served_smollm2).stream(PROMPT)
    pieces = list(stream)
    assert len(pieces) > 1
    assert "".join(pieces) == stream.generation.text
    # The server's streams omit a last character that is not complete, its plain answers do not.
    assert stream.generation.text == generator_for(served_smollm2).generate([PROMPT])[0].text.rstrip(
        "\N{REPLACEMENT CHARACTER}"
    )
    assert stream.generation.usage is not None
    assert not stream.generation.usage.estimated


def test_stop_keeps_the_partial_answer(served_smollm2: Served) -> None:
    stop = Event()
    with stopping_with(stop):
        stream = generator_for(served_smollm2).stream(ENDLESS)
    first = next(stream)
    stop.set()
    assert list(stream) == []
    assert (stream.generation.text, stream.generation.finish) == (first, "stopped")


def test_a_check_calls_the_model(served_smollm2: Served) -> None:
    health = generator_for(served_smollm2).check()
    assert health.ok, health.sentence


def test_another_models_name_is_reported_as_such(served_smollm2: Served) -> None:
    with pytest.raises(GenerationFailed, match="There is no model “gpt-of-dreams”"):
        generator_for(served_smollm2, "gpt-of-dreams").generate([PROMPT])
