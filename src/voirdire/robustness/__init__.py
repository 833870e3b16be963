"""Exam 2, robustness: does a model's accuracy hold when related questions are added as noise?"""

__all__ = ["HELP"]

HELP = "Rank related questions, add them to a model's questions as noise, and score what it still gets right."
"""What the exam's verbs are for: here, where the list of verbs finds it without the exam's declaration."""
