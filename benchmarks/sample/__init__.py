"""How well the built-in parts do on the sample, and how much of it the questions' translations explain."""
