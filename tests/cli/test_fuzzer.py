"""The fuzzer of `benchmarks.fuzz.inputs`: what its inputs may touch."""

from pathlib import Path

from benchmarks.fuzz.file_kinds import Kind
from benchmarks.fuzz.inputs import _process
from benchmarks.fuzz.workspace import Template


def test_a_file_that_an_input_names_is_written_into_a_folder_of_its_own(tmp_path: Path) -> None:
    def attempt(_random: object) -> str:
        Path("-1").touch()
        return str(Path.cwd().resolve())

    kind = Kind("names", 1, lambda _template, _place: attempt)
    (line,) = _process(kind, [0], Template(tmp_path, ""), tmp_path, seed=0)
    assert Path(line["words"]).is_relative_to(tmp_path.resolve())
    assert not Path("-1").exists()
