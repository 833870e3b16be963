"""The loops over texts, compiled: interning, and the overlaps of CIDEr, BLEU and ROUGE-L. Import late: it brings numba.

Interning leads from texts to distinct texts, to tokens, to n-grams. Everything is looked up in open hash tables and
compared in full, so that numbers are exact whatever the hashes do. Arguments that all overlaps share:

first, grams, counts   the n-grams of distinct text d, ascending: grams[first[d] : first[d + 1]]
bounds                 n-grams of order n have numbers from bounds[n − 1] to below bounds[n]
hypotheses, sets       the text of each hypothesis, and the set that it is compared with
set_first, members     the texts of set s: members[set_first[s] : set_first[s + 1]]
"""

import numpy as np

from voirdire.stats.compiled import compiled

SEED = np.uint64(0x9E3779B97F4A7C15)
PRIME = np.uint64(0xFF51AFD7ED558CCD)
SHIFT = np.uint64(32)
BYTE = np.uint64(8)
LOW = np.uint64(255)


@compiled
def _scatter(word):  # type: ignore[no-untyped-def]
    """Spread the information of a word's bits over its low ones."""
    word = (word ^ (word >> SHIFT)) * PRIME
    return word ^ (word >> SHIFT)


@compiled
def _hash(points, start, stop):  # type: ignore[no-untyped-def]
    word = SEED
    for i in range(start, stop):
        word = (word ^ np.uint64(points[i])) * PRIME
        word ^= word >> SHIFT
    return word


@compiled
def _same(points, a, b, length):  # type: ignore[no-untyped-def]
    for i in range(length):  # noqa: SIM110 (the compiled loop is faster than `all`)
        if points[a + i] != points[b + i]:
            return False
    return True


@compiled
def _space(point):  # type: ignore[no-untyped-def]
    """Whether `str.split` parts tokens here."""
    if point <= 32:
        return point == 32 or 9 <= point <= 13 or 28 <= point <= 31
    if point < 0x85:
        return False
    return point in (0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000) or 0x2000 <= point <= 0x200A


@compiled
def distinct_texts(points, ends, table, hashes, numbers, firsts):  # type: ignore[no-untyped-def]
    """numbers[i]: the number of text i among the distinct ones; firsts[d]: where distinct text d comes first.

    points  code points of all texts, one after the other;  ends[i]  where text i ends
    table   zeros, a power of two and more than there are texts;  hashes  room for one word per text
    """
    mask = np.uint64(len(table) - 1)
    count = 0
    start = 0
    for i in range(len(ends)):
        stop = ends[i]
        word = _hash(points, start, stop)
        slot = word & mask
        while True:
            entry = table[slot] - 1
            if entry < 0:
                table[slot] = count + 1
                hashes[count] = word
                firsts[count] = i
                numbers[i] = count
                count += 1
                break
            if hashes[entry] == word:
                other = firsts[entry]
                begin = ends[other - 1] if other else 0
                if ends[other] - begin == stop - start and _same(points, begin, start, stop - start):
                    numbers[i] = entry
                    break
            slot = (slot + np.uint64(1)) & mask
        start = stop
    return count


@compiled
def intern_tokens(points, ends, firsts, first, tokens):  # type: ignore[no-untyped-def]
    """Fill `tokens` with the numbers of the distinct texts' tokens, in order of first appearance; gives how many.

    first[d + 1] is set to the tokens of the distinct texts up to d.
    A token of at most eight code points below 256 is packed into a word, which names it exactly; any other one is
    hashed, and compared with the one that has its hash. table[slot] = (word, number + 1 and, in the low byte, the
    length of a packed token, 0 for a hashed one).
    """
    table = np.zeros((4096, 2), np.uint64)
    starts = np.empty(2048, np.int64)
    stops = np.empty(2048, np.int64)
    count = 0
    filled = 0
    for d in range(len(firsts)):
        i = firsts[d]
        at = ends[i - 1] if i else 0
        stop = ends[i]
        while at < stop:
            point = points[at]
            if _space(point):
                at += 1
                continue
            start = at
            word = np.uint64(0)
            wide = point
            while True:
                word = word << BYTE | np.uint64(point)
                at += 1
                if at == stop:
                    break
                point = points[at]
                if _space(point):
                    break
                wide |= point
            tag = np.uint64(at - start)
            if at - start > 8 or wide > 255:
                tag = np.uint64(0)
                word = _hash(points, start, at)
            mask = np.uint64(len(table) - 1)
            slot = _scatter(word + tag) & mask
            while True:
                entry = table[slot, 1]
                if entry == 0:
                    table[slot, 0] = word
                    table[slot, 1] = np.uint64(count + 1) << BYTE | tag
                    starts[count] = start
                    stops[count] = at
                    tokens[filled] = count
                    count += 1
                    break
                if table[slot, 0] == word and entry & LOW == tag:
                    number = np.int64(entry >> BYTE) - 1
                    begin = starts[number]
                    if tag or (stops[number] - begin == at - start and _same(points, begin, start, at - start)):
                        tokens[filled] = number
                        break
                slot = (slot + np.uint64(1)) & mask
            filled += 1
            if 2 * count == len(table):
                table = _larger(table)
                starts = np.concatenate((starts, np.empty(len(table) // 2 - count, np.int64)))
                stops = np.concatenate((stops, np.empty(len(table) // 2 - count, np.int64)))
        first[d + 1] = filled
    return count


@compiled
def _larger(table):  # type: ignore[no-untyped-def]
    """The table with four times the room."""
    larger = np.zeros((4 * len(table), 2), np.uint64)
    mask = np.uint64(len(larger) - 1)
    for old in range(len(table)):
        if table[old, 1]:
            slot = _scatter(table[old, 0] + (table[old, 1] & LOW)) & mask
            while larger[slot, 1]:
                slot = (slot + np.uint64(1)) & mask
            larger[slot, 0] = table[old, 0]
            larger[slot, 1] = table[old, 1]
    return larger


@compiled
def number_ngrams(first, tokens, order, prefixes, table, count):  # type: ignore[no-untyped-def]
    """Turn prefixes[i], the number of the (order − 1)-gram at token i, into that of the order-gram; gives how many.

    A pair (number of the prefix, number of the last token) names an n-gram exactly. Where a text is too short the
    entry is left as it is. table[slot] = (pair + 1, number), zeros at first.
    """
    mask = np.uint64(len(table) - 1)
    for d in range(len(first) - 1):
        for i in range(first[d], first[d + 1] - order + 1):
            pair = (np.uint64(prefixes[i]) << SHIFT | np.uint64(tokens[i + order - 1])) + np.uint64(1)
            slot = _scatter(pair) & mask
            while True:
                entry = table[slot, 0]
                if entry == pair:
                    prefixes[i] = table[slot, 1]
                    break
                if entry == 0:
                    table[slot, 0] = pair
                    table[slot, 1] = count
                    prefixes[i] = count
                    count += 1
                    break
                slot = (slot + np.uint64(1)) & mask
    return count


@compiled
def pack_ngrams(first, numbers, packed_first, packed, counts):  # type: ignore[no-untyped-def]
    """Each text's n-grams of all orders, ascending, each once with its count; packed_first is filled on the way.

    numbers[n − 1, i]  the number of the n-gram at token i
    """
    orders = len(numbers)
    at = 0
    for d in range(len(first) - 1):
        begin = at
        for order in range(1, orders + 1):
            # Numbers of a higher order are higher, so each order is sorted behind the last one.
            low = at
            stop = first[d + 1] - order + 1
            if stop - first[d] > 64:
                for number in np.sort(numbers[order - 1, first[d] : stop]):
                    if at > low and packed[at - 1] == number:
                        counts[at - 1] += 1
                    else:
                        packed[at] = number
                        counts[at] = 1
                        at += 1
                continue
            for i in range(first[d], stop):
                number = numbers[order - 1, i]
                place = at
                while place > low and packed[place - 1] > number:
                    place -= 1
                if place > low and packed[place - 1] == number:
                    counts[place - 1] += 1
                    continue
                for move in range(at, place, -1):
                    packed[move] = packed[move - 1]
                    counts[move] = counts[move - 1]
                packed[place] = number
                counts[place] = 1
                at += 1
        packed_first[d] = begin
    packed_first[len(first) - 1] = at
    return at


@compiled
def document_frequencies(first, grams, set_first, members, frequencies):  # type: ignore[no-untyped-def]
    """frequencies[g] += the number of sets that hold n-gram g."""
    latest = np.full(len(frequencies), -1, np.int32)
    for s in range(len(set_first) - 1):
        for r in range(set_first[s], set_first[s + 1]):
            for i in range(first[members[r]], first[members[r] + 1]):
                if latest[grams[i]] != s:
                    latest[grams[i]] = s
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
