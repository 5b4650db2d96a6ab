"""YAML files that ship with the workbench, read by libyaml where PyYAML has it, in a tenth of the time.

What people write is read by `workspace/yaml_files.py`, with limits: libyaml has none.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import yaml

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def package_yaml(package: str, name: str) -> Any:
    """The content of a file in a package, read once: change nothing of it. Raises yaml.YAMLError."""
    return yaml.load(files(package).joinpath(name).read_text(encoding="utf-8"), LOADER)  # noqa: S506 - a safe one
