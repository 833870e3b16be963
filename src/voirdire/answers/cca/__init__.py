"""What questions and answers have in common: canonical correlation analysis, its training, and answers made by it."""
