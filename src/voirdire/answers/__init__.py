"""Exam 1: are the answers that a model generates among the valid ones?"""

__all__ = ["HELP"]

HELP = "Score generated answers and rankings against sets of valid answers, and make such sets."
"""What the exam's verbs are for: here, where the list of verbs finds it without the exam's declaration."""
