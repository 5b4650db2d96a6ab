"""An analyst's workbench for multilingual retrieval-augmented generation (mRAG).

>>> from workbench import Recipe, Workbench
>>> Recipe(mode="trag").scope
'en'

`Workbench().ask("Kuka keksi radion?", "fi", Recipe())` answers one question in the default workspace. The command
line is `mrag`, the screens are started by `make run`. Importing this package loads neither until a name is used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
