"""Tests on a Ray cluster of three nodes; `test_engine_ray.py` runs them in a network namespace."""

import contextlib
import functools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import engine_tasks
import pytest
from engine_tasks import collect, faulty_task
from ray_nodes import NODE, QUICK
from typer.testing import CliRunner

import voirdire
from voirdire.cli.main import app
from voirdire.engine import ENGINES, Here, Store, Task, WorkerLost, run_map, shards
from voirdire.engine.notes import listening
from voirdire.engine.shared_files import SharedFile, write_array
from voirdire.errors import InputError, OutOfMemory, UsageError

DIGESTS = 40


@pytest.mark.parametrize("store", [False, True])
def test_same_bytes_as_here(name: str, tmp_path: Path, store: bool) -> None:
    for task in (engine_tasks.digests(), Task("test.product", 1, engine_tasks.product)):
        assert collect(task, 200, name, tmp_path if store else None) == collect(task, 200, "here")
    if store:
        assert len(list(tmp_path.glob("*/[!.]*.shard"))) == 40


def test_no_shard_and_libraries_with_one_thread(name: str) -> None:
    assert collect(faulty_task("prepare"), 0, name) == []
    assert collect(Task("test.threads", 1, engine_tasks.threads), 20, name) == [b"1 1"] * 2


def test_workers_are_heard(name: str) -> None:
    said: list[str] = []
    with listening(said.append):
        assert set(collect(engine_tasks.talking(1.0), 60, name)) == {b"True"}
        time.sleep(0.5)
    assert any("at items" in text for text in said)
    assert said[-1] == ""


def test_faults_are_those_of_any_engine(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^games\.json: game 7, field `status`"):
        collect(faulty_task("user"), 100, name)
    with pytest.raises(InputError, match=r"^table\.npz"):
        collect(faulty_task("prepare"), 100, name)
    with pytest.raises(Exception, match=r"^shard 4 of 10 \(items 30 to 39\): ZeroDivisionError: no such ratio$"):
        collect(faulty_task("bug"), 100, name, tmp_path)
    with pytest.raises(OutOfMemory, match=r"^shard 4 of 10 \(items 30 to 39\): not enough memory"):
        collect(faulty_task("memory"), 100, name)
    with pytest.raises(Exception, match="Local: cannot be pickled"):
        collect(faulty_task("local"), 100, name)


def test_a_shard_that_always_kills_its_worker_is_named_and_the_rest_is_done(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(
        WorkerLost, match=r"^shard 4 of 10 \(items 30 to 39\): its worker ended without an answer 4 times"
    ):
        collect(faulty_task("killed"), 100, name, tmp_path)
    assert len(list(tmp_path.glob("*/[!.]*.shard"))) == 9
    assert capfd.readouterr() == ("", "")


def at_work() -> list[str]:
    """The processes of this network that are called as those of Ray that do a task."""
    found = []
    for process in in_this_network():
        with contextlib.suppress(OSError):
            found.append((Path("/proc") / str(process) / "cmdline").read_text())
    return [one for one in found if one.startswith("ray::_work")]


def test_leaving_early_stops_everything(name: str, tmp_path: Path) -> None:
    started = time.monotonic()
    with run_map(faulty_task("slow"), shards(100, 10), engine=ENGINES.make(name), store=tmp_path) as results:
        assert next(results) == b"x"
    assert time.monotonic() - started < 60
    for _ in range(100):
        if not at_work():
            break
        time.sleep(0.1)
    assert at_work() == []


def test_a_node_is_killed_in_the_middle(cluster: object, name: str, tmp_path: Path) -> None:
    node = cluster.add_node(**NODE)  # type: ignore[attr-defined]
    done = threading.Event()

    def tell(count: int, _: int) -> None:
        if count >= 6 and not done.is_set():
            done.set()
            os.kill(node.all_processes["raylet"][0].process.pid, signal.SIGKILL)

    task = engine_tasks.digests(tmp_path / "side", 0.3)
    with run_map(task, shards(400, 10), engine=ENGINES.make(name), store=tmp_path / "s", progress=tell) as results:
        found = list(results)
    assert done.is_set()
    assert found == collect(engine_tasks.digests(), 400, "here")
    cluster.remove_node(node)  # type: ignore[attr-defined]


def test_the_driver_is_killed_and_another_engine_goes_on(name: str, tmp_path: Path) -> None:
    files = [str(tmp_path / one) for one in ("store", "out", "side")]
    command = [sys.executable, engine_tasks.__file__, "digest", name, *files, str(DIGESTS)]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line.split()[0]) >= 5:
                break
        process.kill()
    task = engine_tasks.digests()
    time.sleep(2)  # Until the cluster has noticed.
    store = Store.of(tmp_path / "store", task)
    kept = {span.start for span in shards(10 * DIGESTS, 10) if store.read(task.key(span)) is not None}
    assert 5 <= len(kept) < DIGESTS
    side = tmp_path / "side"
    before = len(side.read_text().split())
    again = engine_tasks.digests(side)
    with run_map(again, shards(10 * DIGESTS, 10), engine=Here(), store=tmp_path / "store") as results:
        assert list(results) == collect(task, 10 * DIGESTS, "here")
    assert not kept & {int(part) for part in side.read_text().split()[before:]}


def test_a_worker_over_the_memory_limit_of_its_node(tmp_path: Path) -> None:
    from ray.cluster_utils import Cluster

    # So low that every worker is over it.
    limits = {**QUICK, "memory_usage_threshold": 0.001, "memory_monitor_refresh_ms": 50}
    small = Cluster(initialize_head=True, head_node_args={**NODE, "_system_config": limits})
    try:
        code = (
            "import engine_tasks, sys\nfrom pathlib import Path\nfrom voirdire.engine import *\n"
            "from voirdire.engine.cluster import connect\n"
            "connect(sys.argv[1][4:], check=False)\n"  # Looking at the nodes takes memory, too.
            "with run_map(engine_tasks.digests(pause=5.0), shards(10, 10), engine=ENGINES.make(sys.argv[1]), "
            "store=Path(sys.argv[2])) as found: list(found)"
        )
        command = [sys.executable, "-c", code, f"ray:{small.address}", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    finally:
        small.shutdown()
    message = (
        "WorkerLost: shard 1 of 1 (items 0 to 9): its worker ended without an answer 4 times: it went over the memory"
    )
    assert message in done.stderr


def test_a_node_with_another_version_is_refused(cluster: object, name: str, tmp_path: Path) -> None:
    source = Path(voirdire.__file__).parent
    other = tmp_path / "other" / "voirdire"
    shutil.copytree(source, other, ignore=shutil.ignore_patterns("__pycache__", "*.nb?"))
    (other / "_version.py").write_text('__version__ = "0.0.7"\n')
    paths = os.pathsep.join([str(other.parent), os.environ["PYTHONPATH"]])
    node = cluster.add_node(**NODE, env_vars={"PYTHONPATH": paths})  # type: ignore[attr-defined]
    try:
        code = f"from voirdire.engine import *\nwith ENGINES.make({name!r}).map(len, []): pass"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
        told = CliRunner().invoke(app, ["doctor", "--engine", name, "--json"])
    finally:
        cluster.remove_node(node)  # type: ignore[attr-defined]
    version = voirdire.__version__
    assert f"): voirdire 0.0.7, here {version}; install the same there" in done.stderr
    assert done.stderr.count("UsageError: node 127.0.0.1") == 1
    assert told.exit_code == 2
    found = json.loads(told.stdout)
    assert len(found["cluster"]) == 4
    assert sorted(one["versions"]["voirdire"] for one in found["cluster"]) == sorted(
        ["0.0.7", version, version, version]
    )
    assert all(one["sees_folder"] for one in found["cluster"])
    assert [fault for fault in found["faults"] if "0.0.7" in fault]


def test_what_is_no_cluster_does_not_keep_anybody_waiting() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(8)
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        code = f"from voirdire.engine import *\nwith ENGINES.make('ray:{address}').map(len, []): pass"
        started = time.monotonic()
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
        assert time.monotonic() - started < 30
    assert f"UsageError: no Ray cluster at {address}: what listens there did not answer" in done.stderr


def in_this_network() -> set[int]:
    """The processes of this network namespace."""
    ours = Path("/proc/self/ns/net").readlink()
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "ns" / "net").readlink() == ours and (path / "stat").read_text().rsplit(")", 1)[1].split()[
                0
            ] != "Z":
                found.add(int(path.name))
        except OSError:
            continue
    return found


def test_ctrl_c_leaves_no_process_and_no_key_in_the_logs(tmp_path: Path) -> None:
    """A cluster of the program's own: what it knows of the environment, what it logs, how it ends."""
    before = in_this_network()
    # What lies where it is called is no code of ours.
    called = tmp_path / "called"
    called.mkdir()
    for module in ("numpy", "threadpoolctl", "voirdire", "json"):
        (called / f"{module}.py").write_text(f"open({str(called / 'was_run')!r}, 'w')\n")
    # Sockets have short names.
    with tempfile.TemporaryDirectory(prefix="vd") as place:
        secrets = {"OPENAI_API_KEY": "planted-one", "ANYTHING": "planted-two", "VOIRDIRE_TOKEN": "planted-three"}
        files = [str(tmp_path / one) for one in ("store", "out", "side")]
        command = [sys.executable, engine_tasks.__file__, "environment", "ray", *files, str(DIGESTS)]
        with subprocess.Popen(
            command,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            cwd=called,
            env={**os.environ, **secrets, "RAY_TMPDIR": place},
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("3 "):
                    break
            assert len(in_this_network() - before) > 3
            os.killpg(process.pid, signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        assert errors.rstrip().endswith("KeyboardInterrupt")
        assert errors.count("Traceback") == 1
        for _ in range(300):
            if in_this_network() <= before:
                break
            time.sleep(0.1)
        assert in_this_network() <= before
        logs = [path for path in Path(place).rglob("*") if path.is_file() and "logs" in path.parts]
        assert logs
        assert not [path for path in Path(place).rglob("*") if path.is_file() and b"planted" in path.read_bytes()]
    assert not (called / "was_run").exists()
    seen = b"".join(path.read_bytes() for path in (tmp_path / "store").glob("*/[!.]*.shard"))
    assert b"HOME=" in seen
    assert f"WORKS IN={called}".encode() in seen
    assert b"planted" not in seen


@contextlib.contextmanager
def blind_node(cluster: object, hidden: Path) -> Iterator[None]:
    """A node that joins now and has another folder in the place of this one."""
    ray, address = Path(sys.executable).parent / "ray", cluster.address  # type: ignore[attr-defined]
    start = f"mount -t tmpfs none {hidden} && exec {ray} start --address={address} --num-cpus=3 --block"
    node = subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", start], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        node.terminate()
        node.wait(30)


def test_a_node_that_does_not_see_the_folder(
    cluster: object, name: str, spoken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It joins while a map is at work: its results come back and are committed here, and what it reads is put into its
    object store. Work on files refuses it: where it is there at the start, and where it comes later."""
    import numpy as np
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as On

    hidden = tmp_path / "hidden"
    hidden.mkdir()
    write_array(hidden / "a.npy", [np.arange(1000.0)], (1000,), np.float64)
    engine = ENGINES.make(name)
    prepare = functools.partial(engine_tasks.total, SharedFile(hidden / "a.npy"), str(tmp_path / "met"))
    task = Task("test.sum", 1, prepare)
    with contextlib.ExitStack() as later:
        with run_map(task, shards(300, 10), engine=engine, store=hidden) as results:
            found = [next(results)]
            later.enter_context(blind_node(cluster, hidden))
            found += results
        assert found[0] == b"499500.0 True"
        assert set(found) == {b"499500.0 True", b"499500.0 False"}
        assert len(list(hidden.glob("*/[!.]*.shard"))) == 30
        assert [node.sees for node in engine.nodes(hidden)].count(False) == 1  # type: ignore[attr-defined]

        exam = [*VERBS["exam"].format(spoken, hidden).split(), "--engine", name]
        told = r"^.*/hidden/out: not all nodes of the cluster see this folder \(127\.0\.0\.1"
        with pytest.raises(UsageError, match=rf"{told} \([0-9a-f]+\) not\)"):
            call(*exam)
        # As if it were not there yet when the exam begins; it alone has room for a step.
        monkeypatch.setattr("voirdire.engine.cluster.nodes_not_seeing", lambda folder: [])
        kind = ray.remote(num_cpus=1)(engine_tasks.Idle)
        others = [node["NodeID"] for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU") == 1]
        idle = [kind.options(scheduling_strategy=On(one, soft=False)).remote() for one in others]
        ray.get([one.ready.remote() for one in idle])
        with pytest.raises(UsageError, match=rf"{told}, which joined later, not\)"):
            call(*exam)
        for one in idle if ray.is_initialized() else ():
            ray.kill(one)
    assert not list(hidden.rglob(".seen*"))


def files_in(folder: Path) -> dict[str, bytes]:
    """All that was made, without the moment at which that was: it stands in runs, and in what is made of them."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".html"]
    return {
        file.relative_to(folder).as_posix(): re.sub(rb'"created": "[^"]+"', b"", file.read_bytes())
        for file in files
        if not file.name.endswith(".made_of.json")
    }


@pytest.fixture(scope="session")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A world, and what witnesses said of it."""
    from voirdire.world.build import build_world
    from voirdire.world.witnesses.outputs import answer_file, states_file, survey_file

    folder = tmp_path_factory.mktemp("verbs")
    world = folder / "world"
    build_world(world, 30, 7)
    scenes = str(world / "scenes.jsonl")
    answer_file("blind", str(world / "visdial_val.json"), str(world / "generations.json"), scenes)
    survey_file(str(world / "visdial_train.json"), str(world / "survey.json"), scenes)
    states_file("scorekeeper", str(world / "survey.json"), str(world / "states.npz"), scenes)
    call(
        "answers",
        "train",
        "--visdial",
        f"{world}/visdial_train.json",
        "--encoder",
        "static",
        "--k",
        "20",
        "-o",
        f"{world}/cca.npz",
    )
    call("scorekeeping", "propositions", "--dialogues", f"{world}/survey.json", "-o", f"{world}/propositions.json")
    (world / "exam.yaml").write_text(
        "data: {answers: {visdial: visdial_val.json, references: visdial_val_references_true.json}}\n"
        "models: {one: {answers: {generations: generations.json}}, two: {answers: {generations: generations.json}}}\n"
        "options: {answers: {measures: [bleu]}}\n"
    )
    return world


def call(*words: str) -> str:
    done = CliRunner().invoke(app, words)
    if done.exception is not None:
        raise done.exception
    return done.output


VERBS = {
    **{
        f"rank {ranker}": f"robustness rank --main {{0}}/vqa_val_questions.json --pool {{0}}/vqa_train_questions.json "
        f"--ranker {ranker}{' --encoder static --lambda 0.01' * (ranker == 'lasso')} -o {{1}}/r.parquet"
        for ranker in ("lasso", "bleu4", "cider", "meteor", "rouge_l")
    },
    "references": "answers references --visdial {0}/visdial_val.json --method S --cca {0}/cca.npz -o {1}/sets.json",
    "densify": "answers densify --visdial {0}/visdial_train.json --cca {0}/cca.npz -o {1}/sets.parquet",
    "propositions": "scorekeeping propositions --dialogues {0}/survey.json -o {1}/p.json",
    "states": "scorekeeping states --dialogues {0}/survey.json --encoder static -o {1}/states.npz",
    "probe": "scorekeeping probe --propositions {0}/propositions.json --states {0}/states.npz "
    "--dialogues {0}/survey.json --encoder static --all --epochs 1 -o {1}/run",
    "exam": "exam --config {0}/exam.yaml -o {1}/out",
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_makes_the_same_bytes_as_here(name: str, spoken: Path, tmp_path: Path, verb: str) -> None:
    made = []
    for place, engine in (("here", "here"), ("there", name)):
        out = tmp_path / place / "made"
        out.mkdir(parents=True)
        call(*VERBS[verb].format(spoken, out).split(), "--engine", engine)
        made.append(files_in(out))
    assert made[0]
    assert made[0].keys() == made[1].keys()
    assert [one for one in made[0] if made[0][one] != made[1][one]] == []
