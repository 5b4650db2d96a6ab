"""The components that a recipe names: adapters, what they need, where texts are sent, and whether they are ready."""
