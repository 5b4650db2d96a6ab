"""The script that makes the shipped table of language means."""
