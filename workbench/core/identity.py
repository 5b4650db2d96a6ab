"""Fingerprints and identities: the same content has the same name, today and on another machine.

A fingerprint is the first 16 hexadecimal digits of SHA-256 over a tag and canonical JSON (keys sorted, no white space,
UTF-8), so values of different kinds never share one. A component's identity is text: its name, the parameters that
affect its output, and the versions of the packages that compute it.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

DIGITS = 16
CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
"""One for all: `json.dumps` makes an encoder for each value."""


def canonical(value: object) -> str:
    """`value` as JSON in which equal values are equal text.

    Raises TypeError for a type, and ValueError for a number, that JSON cannot express.
    """
    return CANONICAL.encode(value)


def fingerprint(tag: str, value: object) -> str:
    """The fingerprint of a JSON-like `value` of the kind `tag`."""
    return hashlib.sha256(f"{tag}\n{canonical(value)}".encode()).hexdigest()[:DIGITS]


def file_fingerprint(path: Path) -> str:
    """The fingerprint of a file's bytes, read in pieces of 1 MiB."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()[:DIGITS]


def component(name: str, **parameters: object) -> str:
    """A component's identity: its name and every parameter that affects its output.

    >>> component("extractive", version=1)
    'extractive version=1'
    """
    return " ".join([name, *(f"{key}={canonical(parameters[key]).strip(chr(34))}" for key in sorted(parameters))])


@cache
def package_version(package: str) -> str:
    """The version of an installed package, "none" where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def package_versions(*packages: str) -> str:
    """Packages with their installed versions, for an identity.

    >>> package_versions("no-such-package")
    'no-such-package none'
    """
    return ", ".join(f"{package} {package_version(package)}" for package in packages)
