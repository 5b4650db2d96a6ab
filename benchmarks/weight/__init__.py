"""What the screens cost a browser."""
