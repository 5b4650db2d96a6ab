"""Searches on the sample: killed and resumed, and their cost beside what was foreseen."""
