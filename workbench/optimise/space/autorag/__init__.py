"""AutoRAG's YAML (Kim et al. 2024) as a search space: each module taken over, or refused in a sentence."""
