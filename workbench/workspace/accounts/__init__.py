"""The people of a workspace with sign-in: accounts, passwords, sessions, keys, and the audit of who did what."""
