"""How accounts, keys and the audit are drawn, on the Settings screen of a workspace with sign-in."""
