"""The command line under fire: mutated calls and files, a damaged workspace, bombs, kills, a full disk."""
