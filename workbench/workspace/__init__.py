"""What a team keeps: settings, the database, files, processes, jobs, accounts, and who may do what."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
