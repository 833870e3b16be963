"""Dialogue states from HDF5 and npz: shapes, values that are not finite, damaged files."""

import io
import sys
import warnings
import zipfile

import h5py
import numpy as np
import pytest

from voirdire.errors import InputError, UsageError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import Source
from voirdire.formats.states import FORMAT, States, parse_states, read_states, write_states

ENDINGS = [".npz", ".h5", ".hdf5"]


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return Source("states.npz", file.getvalue())


def hdf5(**arrays):
    file = io.BytesIO()
    with h5py.File(file, "w") as out:
        for name, array in arrays.items():
            out.create_dataset(name, data=array)
    return Source("states.h5", file.getvalue())


def cube(dialogues=3, turns=11, width=4, dtype=np.float32):
    return np.arange(dialogues * turns * width, dtype=dtype).reshape(dialogues, turns, width)


def faults(source):
    with pytest.raises(InputError) as caught:
        parse_states(source)
    assert str(caught.value).startswith(source.name)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("make", [npz, hdf5])
class TestBoth:
    def test_the_one_cube_is_read_whatever_its_name(self, make):
        record = parse_states(make(anything=cube()))
        assert np.array_equal(record.states, cube())
        assert record.states.dtype == np.float32
        assert FORMAT.describe(record) == "3 dialogues, 11 turns, 4 dimensions"
        assert FORMAT.keys(record)["dialogue"].tolist() == [0, 1, 2]
        assert record.notes == ()

    def test_it_is_recognised(self, make):
        assert detect(make(anything=cube())).name == "states"

    @pytest.mark.parametrize("dtype", [np.float16, np.float64, ">f4"])
    def test_other_floats_are_converted_and_noted(self, make, dtype):
        record = parse_states(make(z=cube(dtype=dtype)))
        assert record.states.dtype == np.float32
        assert np.array_equal(record.states, cube())
        assert record.notes == (f"{np.dtype(dtype)} was converted to float32",)

    def test_other_arrays_are_noted(self, make):
        record = parse_states(make(z=cube(), ids=np.arange(3)))
        assert record.notes == ("array 'ids' was not read",)

    def test_values_that_are_not_finite_are_named_by_dialogue_and_turn(self, make):
        states = cube(dialogues=1500)
        states[0, 2, 1] = np.nan
        states[1400, 10, :2] = np.inf
        assert faults(make(z=states)) == [
            "dialogue 0, turn 2 (both from 0): found 1 of 4 values not finite (nan), expected finite numbers",
            "dialogue 1400, turn 10 (both from 0): found 2 of 4 values not finite (inf), expected finite numbers",
        ]

    def test_what_float32_cannot_hold_is_a_fault(self, make):
        states = cube(dtype=np.float64)
        states[1, 0, 0] = 1e300
        assert faults(make(z=states)) == [
            "dialogue 1, turn 0 (both from 0): found 1 of 4 values not finite (inf), expected finite numbers"
        ]

    def test_integers_are_a_fault(self, make):
        assert faults(make(z=cube(dtype=np.int64))) == ["array 'z': found values of the type int64, expected float32"]

    def test_too_many_turns_and_swapped_axes(self, make):
        assert faults(make(z=cube(turns=12))) == ["array 'z': found 12 turns in the shape (3, 12, 4), expected 1 to 11"]
        assert faults(make(z=cube(dialogues=11, turns=30))) == [
            "array 'z': found 30 turns in the shape (11, 30, 4), expected 1 to 11. The axes are dialogues, turns, d."
        ]

    def test_fewer_turns_and_one_dialogue_are_well(self, make):
        assert parse_states(make(z=cube(1, 1, 1))).states.shape == (1, 1, 1)

    @pytest.mark.parametrize("shape", [(0, 11, 4), (3, 11, 0)])
    def test_nothing_is_a_fault(self, make, shape):
        (problems,) = faults(make(z=np.zeros(shape, np.float32)))
        assert problems == f"array 'z': found the shape {shape}, expected at least one dialogue and one dimension"

    def test_no_cube_and_two_cubes_are_faults(self, make):
        assert faults(make(a=np.zeros(3))) == [
            "found arrays: a (3,), expected one array of the shape (dialogues, turns, d)"
        ]
        (problems,) = faults(make(a=cube(), b=cube()))
        assert problems.startswith("found arrays: a (3, 11, 4), b (3, 11, 4), expected one array")

    def test_a_damaged_file_is_refused(self, make):
        source = make(z=cube(dialogues=40))
        for size in (20, len(source.data) // 2, len(source.data) - 10):
            (problems,) = faults(Source(source.name, source.data[:size]))
            assert "damaged or unreadable" in problems


def test_pickles_are_never_loaded():
    (problems,) = faults(npz(z=np.array([{"a": 1}], dtype=object)))
    assert problems == "field `z`: found Python objects, which are not read, expected numbers or text"


def test_a_dataset_that_claims_more_than_its_file_can_hold():
    file = io.BytesIO()
    with h5py.File(file, "w") as out:
        out.create_dataset("z", shape=(10**9, 11, 512), dtype=np.float32, chunks=(1, 11, 512))
    (problems,) = faults(Source("states.h5", file.getvalue()))
    assert problems.endswith("expected no more than a file of this size can hold")


def made(make, **options):
    file = io.BytesIO()
    with h5py.File(file, "w", **options) as out:
        make(out)
    return Source("states.h5", file.getvalue())


def virtual(name, source):
    """Makes a dataset that is a view of another, in the file of that name (`.` is the same one)."""

    def make(out):
        layout = h5py.VirtualLayout(shape=(3, 11, 4), dtype=np.float32)
        layout[...] = h5py.VirtualSource(name, source, shape=(3, 11, 4))
        out.create_virtual_dataset("z", layout)

    return make


def dataset(*, write=True, **options):
    def make(out):
        actual = out.create_dataset("z", **{"shape": (3, 11, 4), "dtype": np.float32, **options})
        if write:
            actual[:] = 1

    return make


def external_link(out):
    out["kept"] = cube()
    out["z"] = h5py.ExternalLink("/etc/hostname", "z")


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (virtual("other.h5", "z"), "array 'z': found virtual storage, which reads other files"),
        (virtual(".", "z"), "array 'z': found virtual storage"),
        (dataset(external=[("/etc/hostname", 0, 528)], write=False), "array 'z': found external storage"),
        (external_link, "link 'z': found one to '/etc/hostname', expected all numbers in the file itself"),
        (dataset(scaleoffset=3), "array 'z': found the filter 6, expected none but gzip, shuffle, fletcher32, lzf"),
        (dataset(shape=(2**60, 1, 1), chunks=(1, 1, 1), write=False), "found the shape (1152921504606846976, 1, 1)"),
        (
            dataset(chunks=(2**14, 11, 1024), maxshape=(None,) * 3, write=False),
            "chunks of the shape (16384, 11, 10",
        ),
        (dataset(write=False), "array 'z': found none of its numbers, expected all of them"),
        (dataset(write=False, chunks=(1, 11, 4)), "array 'z': found 0 of 3 chunks, expected all of them"),
        (dataset(write=False, shape=(3, 11, 4), dtype=h5py.vlen_dtype(np.float32)), "found values of the type object"),
        (dataset(write=False, dtype=h5py.ref_dtype), "array 'z': found values of the type object"),
        (dataset(write=False, dtype=np.dtype([("a", "f4")])), "array 'z': found values of the type [('a', '<f4')]"),
        (lambda out: out.create_dataset("z", data=h5py.Empty("f4")), "found arrays: z None, expected one array"),
    ],
)
def test_what_does_not_stand_in_the_file_itself_is_refused_before_it_is_read(make, found):
    assert found in faults(made(make))[0]


def test_a_file_that_was_begun_with_a_block_of_somebody_elses_is_refused():
    assert faults(made(dataset(), userblock_size=512))[0].startswith("found neither HDF5 nor npz")


@pytest.mark.parametrize(
    "options", [{"compression": "gzip", "shuffle": True, "fletcher32": True}, {"compression": "lzf"}]
)
def test_the_usual_filters_and_soft_links_are_read(options):
    def make(out):
        dataset(**options)(out)
        out["again"] = h5py.SoftLink("/z")
        out["circle"] = h5py.SoftLink("/circle")

    assert parse_states(made(make)).states.tolist() == np.ones((3, 11, 4)).tolist()


def zipped(*members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a name that is there twice
        for name, data in members:
            archive.writestr(name, data)
    return Source("states.npz", file.getvalue())


def npy(array, shape=None):
    file = io.BytesIO()
    header = np.lib.format.header_data_from_array_1_0(array)
    np.lib.format.write_array_header_1_0(file, header | ({"shape": shape} if shape else {}))
    return file.getvalue() + array.tobytes()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (zipped(("z.npy", npy(cube(), (2**40, 11, 4)))), "field `z`: found float32 of shape (1099511627776, 11, 4)"),
        (zipped(("z.npy", npy(cube())), ("z.npy", npy(cube() * 0))), "field `z`: found this array twice"),
        (zipped(("z.npy", bytes(300 * 2**20))), "found an archive that unpacks to 314,572,800 bytes, expected at most"),
    ],
)
def test_an_npz_that_is_not_what_it_claims_is_refused(source, found):
    assert found in faults(source)[0]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("number", [np.nan, -np.inf])
def test_numbers_that_are_not_finite_are_not_written(tmp_path, ending, number):
    states = cube()
    states[2, 5, 1] = number
    with pytest.raises(InputError, match=r"dialogue 2, turn 5 \(both from 0\): found 1 of 4 values not finite"):
        write_states(States(states), tmp_path / f"a{ending}")
    assert list(tmp_path.iterdir()) == []


def test_a_dataset_in_a_group_is_found():
    file = io.BytesIO()
    with h5py.File(file, "w") as out:
        out.create_dataset("answerer/states", data=cube())
    assert np.array_equal(parse_states(Source("states.h5", file.getvalue())).states, cube())


def test_other_files_are_refused():
    assert faults(Source("states.h5", b"[1, 2]")) == [
        "found neither HDF5 nor npz, expected dialogue states as HDF5 or npz"
    ]


@pytest.mark.parametrize("ending", ENDINGS)
def test_written_and_read_again_it_is_the_same(tmp_path, ending):
    record = States(cube())
    write_states(record, tmp_path / f"a{ending}")
    write_states(record, tmp_path / f"b{ending}")
    assert read_states(tmp_path / f"a{ending}") == record
    assert (tmp_path / f"a{ending}").read_bytes() == (tmp_path / f"b{ending}").read_bytes()


def test_another_ending_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(UsageError, match=r"\.npz, \.h5 or \.hdf5"):
        write_states(States(cube()), tmp_path / "states.json")
    assert not list(tmp_path.iterdir())


def test_states_from_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(hdf5(z=cube()).data)))
    assert np.array_equal(read_states("-").states, cube())


def test_a_link_to_a_name_without_an_ending(tmp_path):
    states = np.ones((2, 11, 3), np.float32)
    for ending in (".npz", ".h5"):
        link = tmp_path / f"states{ending}"
        link.symlink_to(tmp_path / ending.strip(".") / "kept")
        write_states(States(states), link)
        assert [each.name for each in (tmp_path / ending.strip(".")).iterdir()] == ["kept"]
        assert (read_states(link).states == states).all()
