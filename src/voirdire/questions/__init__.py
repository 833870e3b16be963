"""The questions exam: what each question of a guessing game contributed."""

__all__ = ["HELP", "QUESTION"]

# Here, where a list of exams finds them without the exam's declaration.
QUESTION = "Does each question that it asks narrow the candidates?"
HELP = "Score the questions of guessing games: do they narrow the candidates, and do they refer to the target?"
