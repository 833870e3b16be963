"""Exam 1: are the answers that a model generates among the valid ones?"""
