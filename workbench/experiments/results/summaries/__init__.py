"""What results amount to: which runs belong together, how they rank, and what a figure shows in a sentence."""
