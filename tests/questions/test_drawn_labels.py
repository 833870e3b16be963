"""Names in a drawing: none on another, none outside."""

import itertools

from voirdire.questions.game_drawing import HEIGHT, LETTER, spots

SIZE = (320.0, 240.0)


def on_each_other(found, names):
    """Pairs of names of which one covers a part of the other."""
    return [
        (one, other)
        for (one, (x, y)), (other, (u, v)) in itertools.combinations(zip(names, found, strict=True), 2)
        if x < u + LETTER * len(other) and u < x + LETTER * len(one) and abs(y - v) < HEIGHT
    ]


def test_a_name_stands_in_the_upper_left_corner_of_its_box():
    assert spots([(10.0, 20.0, 100.0, 80.0)], ["cup 1"], SIZE, 0) == [(13.0, 31.0)]


def test_names_of_boxes_that_overlap_are_apart():
    boxes = [(50.0 + 3 * number, 60.0, 60.0, 90.0) for number in range(6)]
    names = [f"cup {number}" for number in range(6)]
    corner = [(x + 3, y + 11) for x, y, _, _ in boxes]
    assert on_each_other(corner, names)
    found = spots(boxes, names, SIZE, 4)
    assert on_each_other(found, names) == []
    assert found[4] == corner[4]


def test_a_name_stays_in_the_drawing():
    boxes = [(300.0, 0.0, 20.0, 5.0), (310.0, 230.0, 10.0, 10.0)]
    names = ["dining table 1", "potted plant 2"]
    for name, (x, y) in zip(names, spots(boxes, names, SIZE, 0), strict=True):
        assert 0 <= x <= SIZE[0] - LETTER * len(name)
        assert 0 < y < SIZE[1]
