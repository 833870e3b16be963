"""Exam 4, scorekeeping: does a model keep track of what is true and what is shared in a dialogue?"""

__all__ = ["HELP"]

HELP = "Probe dialogue states: do they hold what is true, and what is shared so far?"
"""What the exam's verbs are for: here, where the list of verbs finds it without the exam's declaration."""
