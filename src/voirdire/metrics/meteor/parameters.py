"""The parameters of METEOR 1.5 for English: those that its authors tuned to rankings by people."""

__all__ = ["ALPHA", "BETA", "DELTA", "GAMMA", "WEIGHTS", "WIDTH"]

# α: how much recall counts beside precision; β and γ: shape and size of the penalty; δ: weight of words with meaning.
ALPHA, BETA, GAMMA, DELTA = 0.85, 0.20, 0.60, 0.75
# Of a word that is matched as itself, by its stem, as a synonym, in a paraphrase.
WEIGHTS = (1.0, 0.6, 0.8, 0.6)
# How many statistics a segment has.
WIDTH = 6
