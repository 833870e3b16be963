"""The model itself is asked: at each turn and of each proposition, is it true, and do both speakers know by now?

Where a probe reads a model's states, here its own words are scored, so no state, no training and no control is needed.
Two answers of yes and no make the class of a point in every task:

    truth    is the sentence true of the picture?         asked with the picture and the dialogue so far
    sharing  has it been settled whether it is true?      asked with the dialogue so far

The package itself imports nothing heavy; its modules do.
"""

__all__: list[str] = []
