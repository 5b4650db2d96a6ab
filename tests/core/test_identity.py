"""Fingerprints: equal content, equal name, on every machine."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from workbench.core.identity import DIGITS, canonical, component, file_fingerprint, fingerprint


def test_the_order_of_keys_does_not_matter() -> None:
    assert canonical({"b": 1, "a": [2, 3]}) == canonical({"a": [2, 3], "b": 1}) == '{"a":[2,3],"b":1}'


def test_letters_of_every_script_are_unchanged() -> None:
    assert canonical("สวัสดี") == '"สวัสดี"'


@pytest.mark.parametrize("value", [{1, 2}, object(), b"bytes", float("nan"), float("inf")])
def test_values_that_json_cannot_express_are_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        canonical(value)


def test_a_fingerprint_is_the_head_of_sha256_over_tag_and_json() -> None:
    assert fingerprint("kind", {"a": 1}) == hashlib.sha256(b'kind\n{"a":1}').hexdigest()[:16]
    assert DIGITS == 16


def test_values_of_different_kinds_never_share_a_fingerprint() -> None:
    assert fingerprint("recipe", {"k": 5}) != fingerprint("step", {"k": 5})


def test_a_number_and_its_text_have_different_fingerprints() -> None:
    assert fingerprint("x", 1) != fingerprint("x", "1")


def test_a_file_longer_than_one_piece_is_read_completely(tmp_path: Path) -> None:
    content = b"0123456789abcdef" * 70_000
    (tmp_path / "file").write_bytes(content)
    assert file_fingerprint(tmp_path / "file") == hashlib.sha256(content).hexdigest()[:16]


def test_a_component_names_its_parameters_in_order() -> None:
    assert component("retrieve", k=5, b="x", a=None) == "retrieve a=null b=x k=5"


def test_components_with_other_parameters_have_other_identities() -> None:
    assert component("a", b="1") != component("a", b="2")
    assert component("a") == "a"
