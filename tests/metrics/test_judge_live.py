"""Judged metrics over running models: one served by `transformers serve`, and some built to give a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.terminal import terminal
from tests.data.datasets.forms import jsonl, write
from tests.models.llm.conftest import Served, served, tiny_llm
from tests.models.tiny_llm import make_tiny_llm
from workbench.experiments.results.scoring import SharedJudge
from workbench.languages.catalogue import language
from workbench.metrics.judged.judge import CUT, NAMES, OF_CANDIDATES, UNREADABLE, JudgePrompt, Reply, judged_by
from workbench.metrics.measure import Case, Score
from workbench.pipeline.executor import Executor

__all__ = ["served", "tiny_llm"]

QUESTION, ANSWER, GOLD = "Who invented radio?", "Marconi", "Guglielmo Marconi"
PASSAGES, INSTRUCTIONS = ("On radio.", "On cheese."), "Be brief."
OF_FILES = tuple(name for name in NAMES if name not in OF_CANDIDATES)
CASE = Case(ANSWER, (GOLD,), language("en"), QUESTION, PASSAGES, INSTRUCTIONS)


class RecordingJudge:
    """A judge that records its replies."""

    def __init__(self, name: str, home: Path) -> None:
        self._judge = SharedJudge(name, home, Executor(on_error="isolate"))
        self.recorded: list[Reply] = []

    def replies(self, prompts: Sequence[JudgePrompt]) -> list[Reply]:
        replies = self._judge.replies(prompts)
        self.recorded += replies
        return replies


@pytest.fixture(scope="module")
def rambling(served: Served, tmp_path_factory: pytest.TempPathFactory) -> RecordingJudge:
    """A real model behind a real server, whose replies mean nothing."""
    return RecordingJudge(f"openai-like:{served.model}@{served.url}", tmp_path_factory.mktemp("home"))


def measured(name: str, judge: RecordingJudge) -> Score:
    (score,) = {item.name: item for item in judged_by(judge)}[name].score([CASE])
    return score


@pytest.mark.parametrize("name", NAMES)
def test_a_reply_without_a_verdict_is_unscored_with_its_reason_and_never_a_zero(
    name: str, rambling: RecordingJudge
) -> None:
    rambling.recorded.clear()
    score = measured(name, rambling)
    assert rambling.recorded and all(reply.text.strip() for reply in rambling.recorded)
    assert score == (CUT if rambling.recorded[0].cut else UNREADABLE)
    assert score.value is None


def test_the_command_line_counts_such_replies_as_unscored(
    served: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"id": "1", "prediction": ANSWER, "answers": [GOLD], "language": "en", "question": QUESTION}
    file = write(tmp_path, "p.jsonl", jsonl([{**row, "passages": PASSAGES, "instructions": INSTRUCTIONS}]))
    words = ["score", file, "--metrics", ",".join(OF_FILES), "--judge", f"openai-like:{served.model}@{served.url}"]
    words += ["--judge-language", "en"]
    run = terminal(tmp_path / "home", capsys, monkeypatch)
    nothing = {"mean": None, "low": None, "high": None, "n": 0, "unscored": 1}
    assert run(*words, "--json").json["metrics"] == dict.fromkeys(OF_FILES, nothing)
    output = run(*words)
    assert output.out.count("unscored  (n 0, unscored 1)") == len(OF_FILES)
    # What this model writes never ends by itself.
    assert output.err.count(f"1 unscored. {CUT.reason}") == len(OF_FILES)


def test_a_model_that_the_server_does_not_have_is_unscored_for_that_reason(served: Served, tmp_path: Path) -> None:
    score = measured("correctness", RecordingJudge(f"openai-like:gpt-of-dreams@{served.url}", tmp_path))
    assert score.value is None
    assert score.reason.startswith("The judge gave no reply: There is no model “gpt-of-dreams”")


def says(reply: str, folder: Path) -> Path:
    """The tiny model with weights that lead from letter to letter of `reply`, each of which it holds once, to its end.

    Attention and feed-forward layers are silenced, so the next token depends only on the last one.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    make_tiny_llm(folder, ends=1)
    words, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    chain = words.convert_tokens_to_ids(["<|assistant|>", *reply, "</s>"])
    assert isinstance(chain, list)
    with torch.no_grad():
        for layer in model.model.layers:
            layer.self_attn.o_proj.weight.zero_()
            layer.mlp.down_proj.weight.zero_()
        states = model.model.norm(model.model.embed_tokens.weight)
        model.lm_head.weight.zero_()
        model.lm_head.weight[chain[1:]] = states[chain[:-1]]
    model.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_models_verdict_becomes_the_score(name: str, tmp_path: Path) -> None:
    reply, expected = ("score:4", 4.0) if name.startswith("g_eval") else ("yes", 1.0)
    judge = RecordingJudge(f"huggingface:{says(reply, tmp_path / 'model')}", tmp_path)
    assert measured(name, judge) == Score(expected)
    assert {one.text for one in judge.recorded} == {reply}
