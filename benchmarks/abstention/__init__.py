"""How well answers that abstain are recognised."""
