"""Exam 1: are the answers that a model generates among the valid ones?"""

__all__ = ["HELP", "QUESTION"]

# Here, where a list of exams finds them without the exam's declaration.
QUESTION = "Are the answers that it generates among the valid ones?"
HELP = "Score generated answers and rankings against sets of valid answers, and make such sets."
