"""The components that a recipe names: adapters, what they need, where texts go, and whether they are ready."""
