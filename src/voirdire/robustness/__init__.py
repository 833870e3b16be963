"""Exam 2, robustness: does a model's accuracy hold when related questions are added as noise?"""
