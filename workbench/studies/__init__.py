"""Studies over many questions: experiments (matrices of runs) that survive, and what is made of their results."""
