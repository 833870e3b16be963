"""Oracles: who says what the answer to a question would be, were the target another object.

table:FILE   answers from a file, JSON lines (`formats.oracle_answers`)
model:FILE   an oracle that `voirdire questions train-oracle` trained; `model:FILE,CROPS` where it needs crops
scenes:FILE  the truth of a made-up world

Other packages add theirs, a vision-language model for one, through the entry-point group `voirdire.oracles`: a function
of the text after the colon (None where there is none) that gives an `Oracle`.
"""

from voirdire.questions.oracles.protocol import ORACLES, Oracle, make_oracle

__all__ = ["ORACLES", "Oracle", "make_oracle"]


@ORACLES.register("table")
def _table(argument: str | None) -> Oracle:
    from voirdire.questions.oracles.table import TableOracle

    return TableOracle(argument)


@ORACLES.register("model")
def _model(argument: str | None) -> Oracle:
    from voirdire.questions.trained_oracle.oracle import ModelOracle

    return ModelOracle.from_spec(argument)
