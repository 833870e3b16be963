"""The questions exam: what each question of a guessing game contributed."""
