"""The Python packages behind a component, by their installed versions: another version may give another result."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def package_version(package: str) -> str:
    """The installed version, "none" where there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def library(*packages: str) -> str:
    """Packages with their versions, for an identity.

    >>> library("no-such-package")
    'no-such-package none'
    """
    return ", ".join(f"{package} {package_version(package)}" for package in packages)
