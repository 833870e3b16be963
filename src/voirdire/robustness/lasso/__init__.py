"""The LASSO with one dictionary and very many right-hand sides, each answer with its proof."""

from voirdire.robustness.lasso.dictionary import Dictionary
from voirdire.robustness.lasso.solve import Solution, solve_lasso

__all__ = ["Dictionary", "Solution", "solve_lasso"]
