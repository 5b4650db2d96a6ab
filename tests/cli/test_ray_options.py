"""--ray and --workers: what is refused, before anything is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, refused
from workbench.components.ray import ray_pool
from workbench.components.ray.ray_pool import RayChoice, connected
from workbench.core.errors import UsageError, WorkbenchError
from workbench.experiments.jobs.control import ExperimentParameters

INDEX = ("corpora", "index", "sample")


@pytest.mark.parametrize(
    "address",
    ["", "here", "http://10.0.0.1:6379", "10.0.0.1", "ray://host", "a b:1", "auto", "127.0.0.1:99999", "127.0.0.1:0"],
)
def test_an_address_that_is_none_is_refused_with_what_is_allowed(run: Terminal, address: str) -> None:
    refused(
        run(*INDEX, "--encoder", "e5-small", "--ray", address), "is not an address of Ray", "local", "ray://host:10001"
    )


@pytest.mark.parametrize("address", ["local", "10.0.0.1:6379", "ray://head.example:10001", "[fd00::1]:6379"])
def test_an_address_of_ray_is_accepted(address: str) -> None:
    choice = RayChoice(address, 2)
    stored = ExperimentParameters(ray=choice).model_dump_json()
    assert ExperimentParameters.model_validate_json(stored).ray == choice
    assert choice.is_local == (address == "local")


def test_without_a_choice_there_is_no_ray() -> None:
    assert ExperimentParameters().ray is None


@pytest.mark.parametrize("workers", ["-1", "1001"])
def test_a_number_of_workers_that_is_none_is_refused(run: Terminal, workers: str) -> None:
    refused(run(*INDEX, "--encoder", "e5-small", "--ray", "local", "--workers", workers), "is not a number of workers")


def test_workers_without_ray_are_refused(run: Terminal) -> None:
    refused(run(*INDEX, "--encoder", "e5-small", "--workers", "2"), "add --ray local")


def test_the_built_in_encoder_is_fitted_in_one_process(run: Terminal) -> None:
    refused(run(*INDEX, "--ray", "local"), "--ray is for an encoder's index: add --encoder NAME")


def test_an_encoder_behind_a_service_has_nothing_to_gain(run: Terminal) -> None:
    refused(
        run(*INDEX, "--encoder", "openai-like:m@http://127.0.0.1:9/v1", "--ray", "local"), "is called over the network"
    )


def test_a_pilot_runs_in_one_process(run: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "experiment.yaml"
    file.write_text("name: Small\nmodes: [multirag]\nlanguages: [en]\nquestions: 1\n", encoding="utf-8")
    refused(run("run", file, "--ray", "local", "--pilot", "1"), "A pilot runs in one process")


def test_without_the_package_the_command_that_installs_it_is_named(
    run: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_pool, "find_spec", lambda _name: None)
    result = run(*INDEX, "--encoder", "e5-small", "--ray", "local")
    refused(result, "Ray is not installed. Type: pip install -r requirements-scale.txt", code=1)


@pytest.mark.parametrize("address", ["127.0.0.1:9", "ray://[::1]:9"])
def test_a_cluster_that_is_not_there_is_one_sentence_at_once(address: str) -> None:
    words = r"cannot be reached: .*Check the address, and that it runs"
    with pytest.raises(WorkbenchError, match=words), connected(RayChoice(address)):
        pass


def test_a_number_of_workers_is_checked_where_none_is_typed() -> None:
    with pytest.raises(UsageError, match="is not a number of workers"):
        RayChoice("local", 5_000)
