"""Models by name: what is known of them, where they are on this machine, and how they are downloaded and loaded."""
