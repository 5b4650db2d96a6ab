"""What labels say: agreement between people, and between people and what measures answers."""
