"""Exam 2, robustness: does a model's accuracy hold when related questions are added as noise?"""

__all__ = ["HELP", "QUESTION"]

# Here, where a list of exams finds them without the exam's declaration.
QUESTION = "Does its accuracy hold when related questions are added as noise?"
HELP = "Rank related questions, add them to a model's questions as noise, and score what it still gets right."
