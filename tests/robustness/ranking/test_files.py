"""What two rankings differ in is said in full; of hashes their beginnings."""

from voirdire.robustness.ranking.files import as_signature, signature_difference

LASSO = {"version": "1", "ranker": "lasso", "lambda": 1e-6, "encoder": "minilm", "encoder_hash": "a" * 64, "top": 21}


def test_a_signature_has_its_parts_in_their_places() -> None:
    signature = as_signature(LASSO | {"pool": "b" * 64, "tokeniser": "words"})
    assert (signature.version, signature.encoder, signature.tokeniser) == ("1", "minilm", "words")
    assert signature.data == {"pool": "b" * 64, "encoder_hash": "a" * 64}
    assert signature.options == {"ranker": "lasso", "lambda": 1e-6, "top": 21}
    assert as_signature({}).version == ""


def test_long_values_are_not_cut() -> None:
    long = "none; without a common n-gram of each order the score is 0 and the question no neighbour"
    assert signature_difference({"smoothing": long}, {"smoothing": long + "s"}) == f"smoothing: {long} against {long}s"
    assert signature_difference({"encoder": "bert:/a/long/path/one"}, {"encoder": "bert:/a/long/path/two"}) == (
        "encoder: bert:/a/long/path/one against bert:/a/long/path/two"
    )


def test_hashes_are_told_by_their_beginnings() -> None:
    assert signature_difference(LASSO, LASSO | {"encoder_hash": "b" * 64, "lambda": 0.1}) == (
        "encoder_hash: aaaaaaaaaaaa against bbbbbbbbbbbb; lambda: 1e-06 against 0.1"
    )
    assert signature_difference(LASSO, LASSO) == ""
    assert signature_difference({}, {"top": 3}) == "top: nothing against 3"
