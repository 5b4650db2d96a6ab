"""Tiny models, one thread, no network."""

from tests.models.tiny_encoders import (
    bge_m3_folder,
    cross_encoder_folder,
    llm_folder,
    no_network,
    one_thread,
    splade_folder,
)

__all__ = ["bge_m3_folder", "cross_encoder_folder", "llm_folder", "no_network", "one_thread", "splade_folder"]
