"""METEOR 1.5: words aligned with a reference by form, stem, synonym and paraphrase, less a penalty for disorder.

    F = 1 / ((1 − α)/P + α/R),  score = F · (1 − γ · (chunks / matches)^β),  METEOR = 1/N · Σ_i max_r score(h_i, r)

P, R    share of the hypothesis and of the reference that is matched; words with meaning weigh δ, function words 1 − δ
chunks  runs of matches that follow each other in both
α, β, γ, δ = 0.85, 0.20, 0.60, 0.75; a match weighs 1 as itself, 0.6 by stem, 0.8 as synonym, 0.6 in a paraphrase.

Equal to the jar of METEOR 1.5 for English with `-norm`, without running it: its word lists and its paraphrase table are
read from the package pycocoevalcap and indexed once (half a minute; `prepare` does it ahead and says how far it is).
The mean of the segments is the figure that dense-visdial prints; `CORPUS` makes the other one, where statistics are
added up first.
"""

from voirdire.metrics.measure import Key, Measure, identity, mean
from voirdire.metrics.meteor.prepare import prepare
from voirdire.metrics.meteor.segments import CORPUS, meteor_segments, meteor_statistics

__all__ = ["CORPUS", "METEOR", "meteor_segments", "meteor_statistics", "prepare"]

METEOR = Measure(
    key=Key("meteor"),
    label="METEOR",
    leads=1,
    statistic=identity,
    of=("meteor",),
    aggregate=mean,
    better="higher",
    description="METEOR 1.5 with the best reference, mean over items",
    citation="meteor",
)
