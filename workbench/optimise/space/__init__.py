"""What a search searches: nodes, modules and the recipes that they make up, as YAML; AutoRAG's YAML is read too."""
