"""What a start costs: of a command, of the screens, of a service."""
