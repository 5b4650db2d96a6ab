"""Models by name: what is known of them, where they lie on this machine, and how they come here."""
