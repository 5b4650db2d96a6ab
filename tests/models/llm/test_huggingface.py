"""Local causal language models, through transformers' own loading code over a tiny one."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.models.tiny_llm import DROPS_SYSTEM, NO_SYSTEM, make_tiny_llm
from workbench.core.errors import GenerationFailed, MissingError
from workbench.core.protocols import Generator
from workbench.core.records import Prompt, Task
from workbench.core.stopping import stopping_with
from workbench.models.llm import huggingface
from workbench.models.llm.conversation import StreamingGenerator, TokenLimits
from workbench.models.llm.huggingface import HuggingFaceGenerator, LoadedLLM, find_llm, load_llm
from workbench.models.llm.retrying import NotStarted

LIMITS = TokenLimits(short=12, dialectic=400)
PROMPT = Prompt("Answer briefly.", "Who invented the radio?", Task("Who invented the radio?", "en"))
LONGER = Prompt("Answer briefly, please.", "Who invented the telephone and the radio?", Task("Who?", "en"))
ENDLESS = Prompt("Weigh.", "Who invented the radio?", Task("Who?", "en", dialectic=("answer",)))


@pytest.fixture(scope="session")
def generator(tiny_llm: Path) -> HuggingFaceGenerator:
    return HuggingFaceGenerator(str(tiny_llm), limits=LIMITS, device="cpu")


def loaded_llm(folder: Path) -> LoadedLLM:
    return load_llm(find_llm(str(folder)), "none", "cpu")


def prompt_text(folder: Path, prompt: Prompt = PROMPT) -> str:
    from transformers import AutoTokenizer

    return str(AutoTokenizer.from_pretrained(folder).decode(loaded_llm(folder).tokenise(prompt, 8).tokens))


def test_it_is_a_generator_that_streams(generator: HuggingFaceGenerator) -> None:
    assert isinstance(generator, Generator)
    assert isinstance(generator, StreamingGenerator)


def test_the_same_prompt_always_gives_the_same_answer(generator: HuggingFaceGenerator) -> None:
    assert generator.generate([PROMPT])[0].text == generator.generate([PROMPT])[0].text


def test_an_answer_counts_its_tokens_and_states_that_it_reached_its_limit(generator: HuggingFaceGenerator) -> None:
    generation = generator.generate([PROMPT])[0]
    assert generation.usage is not None
    assert (generation.usage.completion_tokens, generation.usage.estimated, generation.finish) == (12, False, "length")


def test_an_answer_that_the_model_ends_states_so_and_omits_the_end_token(tiny_llm: Path, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    model = loaded_llm(tiny_llm)
    text = model.complete([model.tokenise(PROMPT, 3)])[0].text
    third = AutoTokenizer.from_pretrained(tiny_llm)(text)["input_ids"][-1]
    generation = HuggingFaceGenerator(str(make_tiny_llm(tmp_path, ends=third)), limits=LIMITS).generate([PROMPT])[0]
    assert generation.finish == "stop"
    assert generation.usage is not None
    assert generation.usage.completion_tokens == 3


def test_a_chat_model_is_prompted_by_its_template(tiny_llm: Path) -> None:
    assert prompt_text(tiny_llm) == "<|system|>Answer briefly.\n<|user|>Who invented the radio?\n<|assistant|>"


@pytest.mark.parametrize("template", [NO_SYSTEM, DROPS_SYSTEM], ids=["refuses", "drops"])
def test_a_template_without_a_system_role_gets_the_instructions_in_the_users_turn(
    tmp_path: Path, template: str
) -> None:
    folder = make_tiny_llm(tmp_path, template)
    assert prompt_text(folder) == "<|user|>Answer briefly.\n\nWho invented the radio?\n<|assistant|>"


def test_a_model_without_a_template_continues_the_plain_text(tmp_path: Path) -> None:
    assert prompt_text(make_tiny_llm(tmp_path, None)) == "Answer briefly.\n\nWho invented the radio?\n"


def test_pieces_make_up_the_answer(generator: HuggingFaceGenerator) -> None:
    stream = generator.stream(PROMPT)
    pieces = list(stream)
    assert len(pieces) > 1
    assert "".join(pieces).strip() == stream.generation.text == generator.generate([PROMPT])[0].text
    assert stream.generation.finish == "length"


def test_a_character_is_streamed_once_its_bytes_are_complete_without_waiting_for_a_space() -> None:
    pieces: list[str] = []
    streamer = huggingface._streamer(lambda tokens: bytes(tokens).decode(errors="replace"), pieces.append)
    import torch

    streamer.put(torch.tensor([[1, 2]]))  # the prompt
    for byte in "ไทย".encode():
        streamer.put(torch.tensor([byte]))
    streamer.end()
    assert [piece for piece in pieces if piece] == ["ไ", "ท", "ย"]


def test_stop_keeps_the_partial_answer_and_releases_the_model(generator: HuggingFaceGenerator) -> None:
    stop = Event()
    with stopping_with(stop):
        stream = generator.stream(ENDLESS)
    first = next(stream)
    stop.set()
    assert list(stream) == []
    assert (stream.generation.text, stream.generation.finish) == (first.strip(), "stopped")
    assert generator.generate([PROMPT])[0].finish == "length"


def test_a_stopped_batch_starts_no_more_prompts(generator: HuggingFaceGenerator) -> None:
    stop = Event()
    stop.set()
    with stopping_with(stop):
        assert [type(one) for one in generator.attempt([PROMPT, ENDLESS])] == [NotStarted, NotStarted]


def test_prompts_generated_together_answer_as_they_do_alone(tiny_llm: Path) -> None:
    model = loaded_llm(tiny_llm)
    prompts = [model.tokenise(PROMPT, 12), model.tokenise(LONGER, 12)]
    together = [one.text for one in model.complete(prompts)]
    assert together == [model.complete([one])[0].text for one in prompts]


def test_a_prompt_over_the_models_context_names_the_remedy(tmp_path: Path) -> None:
    generator = HuggingFaceGenerator(str(make_tiny_llm(tmp_path, longest=64)), limits=LIMITS)
    long = Prompt("", "radio " * 100, Task("", "en"))
    results = generator.attempt([long, Prompt("", "Who?", Task("", "en"))])
    assert isinstance(results[0], GenerationFailed)
    assert "give fewer passages (a smaller k)" in str(results[0])
    assert not isinstance(results[1], GenerationFailed), "the other prompt has its answer"


@pytest.fixture
def room_for_two(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Memory suffices for two prompts at once; the list gets how many were tried each time."""
    from transformers import GenerationMixin

    generate, tried = GenerationMixin.generate, list[int]()

    def narrow(self: Any, **options: Any) -> Any:
        tried.append(len(options["input_ids"]))
        if tried[-1] > 2:
            raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 GB.")
        return generate(self, **options)

    monkeypatch.setattr(GenerationMixin, "generate", narrow)
    monkeypatch.setitem(huggingface.BATCH, "cpu", 4)
    return tried


def test_a_batch_too_large_for_memory_is_answered_in_halves(tiny_llm: Path, room_for_two: list[int]) -> None:
    generator = HuggingFaceGenerator(str(tiny_llm), limits=TokenLimits(short=2), device="cpu")
    answers = [one.text for one in generator.generate([PROMPT, LONGER, PROMPT, LONGER])]
    assert room_for_two == [4, 2, 2]
    assert answers[:2] == answers[2:]


def test_a_prompt_too_large_for_memory_is_a_failure_that_names_the_remedy(
    tiny_llm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: object, **_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("transformers.GenerationMixin.generate", full)
    with pytest.raises(GenerationFailed, match=r"not enough memory for .+; give fewer"):
        HuggingFaceGenerator(str(tiny_llm), limits=LIMITS, device="cpu").generate([PROMPT])


def test_another_error_of_the_library_is_not_called_a_lack_of_memory(
    tiny_llm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: object, **_: object) -> None:
        raise RuntimeError("shapes cannot be multiplied")

    monkeypatch.setattr("transformers.GenerationMixin.generate", broken)
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        HuggingFaceGenerator(str(tiny_llm), limits=LIMITS, device="cpu").generate([PROMPT])


def test_a_model_that_is_not_on_this_machine_is_named_with_the_command() -> None:
    with pytest.raises(MissingError, match="python -m workbench models download nobody/nothing"):
        HuggingFaceGenerator("nobody/nothing")


def test_a_folder_without_a_model_is_reported_as_such(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="is incomplete"):
        HuggingFaceGenerator(str(tmp_path))


def test_weights_of_another_kind_of_model_are_reported_as_such(tmp_path: Path) -> None:
    make_tiny_llm(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "unheard-of"}', encoding="utf-8")
    with pytest.raises(MissingError, match="cannot be loaded"):
        HuggingFaceGenerator(str(tmp_path)).generate([PROMPT])


def test_int4_without_a_gpu_is_refused_in_a_sentence(tiny_llm: Path) -> None:
    with pytest.raises(MissingError, match="int4 needs an NVIDIA GPU"):
        HuggingFaceGenerator(str(tiny_llm), quantised="int4", device="cpu").generate([PROMPT])


def test_a_gguf_file_that_is_missing_is_reported_as_such(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"give the path of a \.gguf file"):
        HuggingFaceGenerator(str(tmp_path / "model.gguf"))


def test_a_gguf_file_needs_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface, "find_spec", lambda name: None)
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    with pytest.raises(MissingError, match="python -m pip install gguf"):
        HuggingFaceGenerator(str(tmp_path / "model.gguf"))


def test_the_identity_changes_with_the_weights_and_the_limits(tiny_llm: Path, tmp_path: Path) -> None:
    other = make_tiny_llm(tmp_path, ends=7)
    generators = (
        HuggingFaceGenerator(str(tiny_llm)),
        HuggingFaceGenerator(str(other)),
        HuggingFaceGenerator(str(tiny_llm), limits=LIMITS),
        HuggingFaceGenerator(str(tiny_llm), quantised="int4"),
    )
    assert len({generator.identity for generator in generators}) == 4


def test_a_check_runs_the_model(generator: HuggingFaceGenerator, tiny_llm: Path) -> None:
    health = generator.check()
    assert health.ok
    assert "ran on cpu" in health.sentence


def test_a_check_that_fails_states_why(tiny_llm: Path) -> None:
    health = HuggingFaceGenerator(str(tiny_llm), quantised="int4", device="cpu").check()
    assert not health.ok
    assert "int4 needs" in health.sentence
