"""The questions exam: what each question of a guessing game contributed."""

__all__ = ["HELP"]

HELP = "Score the questions of guessing games: do they narrow the candidates, and do they refer to the target?"
"""What the exam's verbs are for: here, where the list of verbs finds it without the exam's declaration."""
