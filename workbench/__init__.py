"""An analyst's workbench for multilingual retrieval-augmented generation (mRAG).

>>> from workbench import Recipe, Workbench
>>> Recipe(mode="trag").scope
'en'

`Workbench().ask("Kuka keksi radion?", "fi", Recipe())` answers one question in the default workspace. The command
line is `mrag`, the screens are started by `make run`. Importing this package loads neither until a name is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.app.workbench import Workbench
    from workbench.pipeline.recipes.recipe import Recipe

__all__ = ["Recipe", "Workbench"]


def __getattr__(name: str) -> Any:
    """The public names, imported when they are first used."""
    if name == "Recipe":
        from workbench.pipeline.recipes.recipe import Recipe

        return Recipe
    if name == "Workbench":
        from workbench.app.workbench import Workbench

        return Workbench
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
