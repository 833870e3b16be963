"""Sizes of networks that are made in no time."""

from voirdire.models.sizes import HieCoAttSizes, LqiSizes, MlbAttSizes, MlbSizes, MutanAttSizes, MutanSizes, Sizes

LQI = LqiSizes(embedding=5, hidden=4, common=7)
HIECO = HieCoAttSizes(hidden=4, last=5)
GRU = {"embedding": 7, "question": 8}
ATT = {"glimpses": 3, "attention": 5, "common": 4}
SIZES: dict[str, Sizes] = {
    "question-only": LQI,
    "lqi": LQI,
    "hieco-att": HIECO,
    "mutan": MutanSizes(**GRU, from_picture=5, from_question=4, fused=7, rank=3),
    "mutan-att": MutanAttSizes(
        **GRU,
        glimpses=2,
        att_picture=5,
        att_question=4,
        att_fused=7,
        att_rank=3,
        per_glimpse=3,
        from_question=5,
        fused=6,
        rank=2,
    ),
    "mlb": MlbSizes(**GRU, common=5),
    "mlb-att": MlbAttSizes(**GRU, **ATT),
    "mlb-authors": MlbAttSizes(**GRU, **ATT),
}
