"""Exam 4, scorekeeping: does a model keep track of what is true and what is shared in a dialogue?"""
