"""Signing in and out: what people meet before the screens where the workspace has accounts."""
