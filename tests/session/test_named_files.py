"""Files by the names of a config: where they are, and what stands for their content."""

from pathlib import Path

from voirdire.session.named_files import fingerprint, paths_of, spec_placed


def test_fingerprints_of_folders_and_providers(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "x").write_text("1")
    before = fingerprint(str(folder))
    assert before == fingerprint(str(folder))
    (folder / "deep" / "x").rename(folder / "deep" / "y")
    assert fingerprint(str(folder)) != before
    file = tmp_path / "v.npz"
    file.write_text("1")
    named = fingerprint(f"npz:{file}")
    assert named.startswith("npz ")
    assert fingerprint(f"bert:{file}?pool=mean") != named
    file.write_text("22")
    assert fingerprint(f"npz:{file}") != named
    assert fingerprint("minilm") == "minilm"
    assert fingerprint("npz:nowhere.npz") == "npz:nowhere.npz"


def test_options_after_a_providers_path_count(tmp_path: Path) -> None:
    file = tmp_path / "b"
    file.write_text("1")
    assert fingerprint(f"bert:{file}?pool=mean") != fingerprint(f"bert:{file}?pool=cls")


def test_providers_with_several_files(tmp_path: Path) -> None:
    for name in ("oracle.npz", "crops.h5"):
        (tmp_path / name).write_text(name)
    placed = spec_placed("model:oracle.npz,crops.h5", tmp_path)
    assert placed == f"model:{tmp_path}/oracle.npz,{tmp_path}/crops.h5"
    assert len(fingerprint(placed).split()) == 3
    assert spec_placed("vlm:some-name", tmp_path) == "vlm:some-name"


def test_only_what_is_there_is_a_path_of_a_provider(tmp_path: Path) -> None:
    (tmp_path / "b").touch()
    assert spec_placed("bert:b?pool=cls", tmp_path) == f"bert:{tmp_path}/b?pool=cls"
    assert spec_placed("bert:c", tmp_path) == "bert:c"
    assert spec_placed("minilm", tmp_path) == "minilm"
    assert paths_of("model:a.npz,b.h5?x=1") == ["a.npz", "b.h5"]
    assert paths_of("minilm") == []


def test_of_a_folder_the_names_of_files_count_too(tmp_path: Path) -> None:
    for name, text in (("a", "1"), ("b", "2")):
        (tmp_path / "one").mkdir(exist_ok=True)
        (tmp_path / "one" / name).write_text(text)
    before = fingerprint(str(tmp_path / "one"))
    (tmp_path / "one").rename(tmp_path / "two")
    assert fingerprint(str(tmp_path / "two")) == before
    (tmp_path / "two" / "b").rename(tmp_path / "two" / "c")
    assert fingerprint(str(tmp_path / "two")) != before
