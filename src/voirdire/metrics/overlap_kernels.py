"""The loops of CIDEr, BLEU and ROUGE-L over interned texts, compiled. Import late: it brings numba.

Arguments that all share:

first, grams, counts   the n-grams of distinct text d, ascending: grams[first[d] : first[d + 1]]
bounds                 n-grams of order n have numbers from bounds[n − 1] to below bounds[n]
hypotheses, sets       the text of each hypothesis, and the set that it is compared with
set_first, members     the texts of set s: members[set_first[s] : set_first[s + 1]]
"""

import numpy as np

from voirdire.stats.compiled import compiled

__all__ = ["cosines", "document_frequencies", "longest_common", "matches", "norms"]


@compiled
def document_frequencies(first, grams, set_first, members, frequencies):  # type: ignore[no-untyped-def]
    """frequencies[g] += the number of sets that hold n-gram g."""
    seen = np.full(len(frequencies), -1, np.int32)
    for s in range(len(set_first) - 1):
        for r in range(set_first[s], set_first[s + 1]):
            for i in range(first[members[r]], first[members[r] + 1]):
                if seen[grams[i]] != s:
                    seen[grams[i]] = s
                    frequencies[grams[i]] += 1


@compiled
def norms(first, grams, counts, bounds, idf, out):  # type: ignore[no-untyped-def]
    """out[d, n − 1] = length of the vector of text d's n-grams, each weighing count · idf."""
    for d in range(len(first) - 1):
        for order in range(out.shape[1]):
            out[d, order] = 0.0
        order = 0
        for i in range(first[d], first[d + 1]):
            while grams[i] >= bounds[order + 1]:
                order += 1
            weight = counts[i] * idf[grams[i]]
            out[d, order] += weight * weight
        for order in range(out.shape[1]):
            out[d, order] = np.sqrt(out[d, order])


@compiled
def cosines(  # type: ignore[no-untyped-def]
    first, grams, counts, bounds, idf, lengths, tokens, hypotheses, sets, set_first, members, clipped, closeness, out
):
    """out[h, n − 1] = mean over the set of the cosine of order n.

    lengths    norms of each text;  tokens  how many it has
    clipped    whether the hypothesis' weight counts only up to the reference's
    closeness  factor for texts that differ by 0, 1, 2 … bigrams; the last one holds for all more
    """
    orders = out.shape[1]
    dots = np.empty(orders)
    for h in range(len(hypotheses)):
        ours = hypotheses[h]
        begin, end = set_first[sets[h]], set_first[sets[h] + 1]
        for order in range(orders):
            out[h, order] = 0.0
        for r in range(begin, end):
            theirs = members[r]
            for order in range(orders):
                dots[order] = 0.0
            i, j = first[ours], first[theirs]
            while i < first[ours + 1] and j < first[theirs + 1]:
                a, b = grams[i], grams[j]
                if a == b:
                    order = 0
                    while a >= bounds[order + 1]:
                        order += 1
                    weight = idf[a]
                    count = min(counts[i], counts[j]) if clipped else counts[i]
                    dots[order] += count * counts[j] * weight * weight
                i += a <= b
                j += b <= a
            apart = abs(max(tokens[ours], 1) - max(tokens[theirs], 1))
            factor = closeness[min(apart, len(closeness) - 1)]
            for order in range(orders):
                both = lengths[ours, order] * lengths[theirs, order]
                if both > 0.0:
                    out[h, order] += factor * dots[order] / both
        for order in range(orders):
            out[h, order] /= end - begin


@compiled
def matches(first, grams, counts, bounds, lengths, hypotheses, sets, set_first, members, longest, out, closest):  # type: ignore[no-untyped-def]
    """out[h, n − 1]: n-grams of the hypothesis that a member of the set has too, each as often as that one has it.

    closest[h]: the length of the member nearest in length, the shorter of two that are as near.
    lengths  tokens of each text;  longest  the most n-grams that a text has
    """
    best = np.zeros(longest, np.int64)
    for h in range(len(hypotheses)):
        ours = hypotheses[h]
        low, high = first[ours], first[ours + 1]
        length = lengths[ours]
        near = -1
        for i in range(high - low):
            best[i] = 0
        for r in range(set_first[sets[h]], set_first[sets[h] + 1]):
            theirs = members[r]
            other = lengths[theirs]
            apart, nearest = abs(other - length), abs(near - length)
            if near < 0 or apart < nearest or (apart == nearest and other < near):
                near = other
            i, j = low, first[theirs]
            while i < high and j < first[theirs + 1]:
                a, b = grams[i], grams[j]
                if a == b and counts[j] > best[i - low]:
                    best[i - low] = counts[j]
                i += a <= b
                j += b <= a
        closest[h] = near
        order = 0
        for n in range(out.shape[1]):
            out[h, n] = 0
        for i in range(low, high):
            while grams[i] >= bounds[order + 1]:
                order += 1
            out[h, order] += min(best[i - low], counts[i])


@compiled
def longest_common(first, tokens, hypotheses, sets, set_first, members, longest, precision, recall):  # type: ignore[no-untyped-def]
    """Best precision and best recall of the longest common subsequence of tokens, over the set.

    first, tokens  the tokens of distinct text d;  longest  the most tokens that a text has
    """
    row = np.zeros(longest + 1, np.int64)
    for h in range(len(hypotheses)):
        start, stop = first[hypotheses[h]], first[hypotheses[h] + 1]
        size = stop - start
        precision[h] = recall[h] = 0.0
        for r in range(set_first[sets[h]], set_first[sets[h] + 1]):
            begin, end = first[members[r]], first[members[r] + 1]
            if size == 0 or begin == end:
                continue
            for j in range(size + 1):
                row[j] = 0
            for i in range(begin, end):
                token = tokens[i]
                corner = 0
                for j in range(size):
                    above = row[j + 1]
                    if tokens[start + j] == token:
                        row[j + 1] = corner + 1
                    elif row[j] > above:
                        row[j + 1] = row[j]
                    corner = above
            common = row[size]
            precision[h] = max(precision[h], common / size)
            recall[h] = max(recall[h], common / (end - begin))
