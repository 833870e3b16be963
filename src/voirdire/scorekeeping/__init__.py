"""Exam 4, scorekeeping: does a model keep track of what is true and what is shared in a dialogue?"""

__all__ = ["HELP", "QUESTION"]

# Here, where a list of exams finds them without the exam's declaration.
QUESTION = "Does it keep track of what is true and of what has been said?"
HELP = "Probe dialogue states, or ask the model: what is true, and what is shared so far?"
