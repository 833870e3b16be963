from voirdire.runs import Difference, Signature, differences

FULL = Signature(
    version="0.1.0",
    data={"visdial": "ab" * 32, "dense": "cd" * 32},
    references="H",
    tokeniser="ptb",
    encoder="minilm",
    seed=0,
    options={"top": 21, "lambda": 1e-6},
)


def test_the_short_form_names_what_is_there():
    assert str(FULL) == (
        "version:0.1.0|data.dense:cdcdcdcdcdcd|data.visdial:abababababab|references:H|tokeniser:ptb|encoder:minilm|"
        "seed:0|options.lambda:1e-06|options.top:21"
    )
    assert str(Signature("0.1.0")) == "version:0.1.0"


def test_equal_signatures_do_not_differ():
    assert differences(FULL, FULL) == []
    turned = Signature("0.1.0", {"dense": "cd" * 32, "visdial": "ab" * 32}, "H", "ptb", "minilm", 0, dict(FULL.options))
    assert differences(FULL, turned) == []


def test_each_difference_is_named():
    other = Signature("0.1.0", {"visdial": "ef" * 32}, "S", "ptb", None, 0, {"top": 21, "lambda": 0.1, "m": 20})
    found = differences(FULL, other)
    assert found == [
        Difference("data.dense", "cd" * 32, None),
        Difference("data.visdial", "ab" * 32, "ef" * 32),
        Difference("references", "H", "S"),
        Difference("encoder", "minilm", None),
        Difference("options.lambda", 1e-6, 0.1),
        Difference("options.m", None, 20),
    ]
    assert [str(difference) for difference in found[:2]] == [
        "data.dense: cdcdcdcdcdcd against nothing",
        "data.visdial: abababababab against efefefefefef",
    ]


def test_the_order_of_entries_says_nothing_and_long_values_are_shortened():
    one, other = (Signature("1", options={"noise": noise}) for noise in ({"a": 1, "b": 0}, {"b": 0, "a": 1}))
    assert str(one) == str(other) == "version:1|options.noise.a:1|options.noise.b:0"
    assert list(one.flat()) == list(other.flat())
    # A hash is told by its look, wherever it stands.
    assert str(Signature("1", options={"oracle": "ab" * 32})) == "version:1|options.oracle:abababababab"
    assert str(Signature("1", options={"oracle": "ab" * 31})).endswith("ab" * 31)


def test_zero_and_no_are_values():
    (found,) = differences(Signature("1", seed=0), Signature("1"))
    assert str(found) == "seed: 0 against nothing"
