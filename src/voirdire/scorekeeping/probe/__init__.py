"""The probe: what can be read off a model's dialogue states about the score of the dialogue?

    h = σ(W_r r + W_z z + b),  scores = V dropout(h) + c          r  a state, z  a proposition's embedding

W_r r is the same for all propositions of a dialogue and turn, W_z z for all uses of a sentence: each is made once per
batch. The package itself imports nothing heavy; its modules do.
"""

__all__: list[str] = []
