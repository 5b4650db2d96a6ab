"""What a search will cost, told before it starts, and the cap that it never exceeds."""
