"""How well the built-in parts do on the sample, and how much of that the questions' translations explain."""
