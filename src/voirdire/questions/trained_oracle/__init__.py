"""The oracle of de Vries et al. (2017): from a question, an object's category and its box to yes, no or n/a.

    e_q = LSTM(words of the question)        h = ReLU(W [e_q, e_category, spatial, crop] + b)
    A(q, o) = argmax softmax(V h + c)

crop  features of the object's picture, where a file of them is given; the paper's oracle has none.

`train_oracle` makes one, `write_oracle` and `read_oracle` keep it, and `ModelOracle` answers with it. The package
itself imports nothing heavy; its modules do.
"""

__all__: list[str] = []
