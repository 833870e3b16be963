"""Serving a study: which addresses it takes, and for whom."""

from pathlib import Path
from typing import Any

import pytest
from benches import Served, plain_tasks, write_study

from voirdire.study.database import JudgedStore
from voirdire.study.folder import OpenedStudy

pytest.importorskip("starlette", reason="needs the extra study: pip install -e '.[study]'")


@pytest.fixture
def study(tmp_path: Path) -> OpenedStudy:
    return write_study(tmp_path / "study", plain_tasks(5))


def invite(study: OpenedStudy) -> None:
    store = JudgedStore(study)
    store.invite(1)
    store.close()


@pytest.mark.slow
def test_a_second_server_and_an_address_in_use_are_refused(study: OpenedStudy, called: Any) -> None:
    invite(study)
    with Served(study.folder) as served:
        status, _, err = called("study", "serve", str(study.folder))
        assert status == 2
        assert "another run is at work here" in err
        other = write_study(study.folder.with_name("other"), plain_tasks(2))
        status, _, err = called("study", "serve", str(other.folder), "--open", "--port", str(served.port))
        assert status == 2
        assert f"--port: nothing can be served at 127.0.0.1:{served.port}" in err
        assert "Address already in use" in err


def test_other_addresses_demand_links_and_say_how_tls_goes_before(study: OpenedStudy, called: Any) -> None:
    status, _, err = called("study", "serve", str(study.folder), "--host", "0.0.0.0", "--open")
    assert status == 2
    assert "--open lets in anybody who comes, so it is for this machine alone" in err
    assert "caddy reverse-proxy" in err
    status, _, err = called("study", "serve", str(study.folder), "--host", "0.0.0.0")
    assert status == 2
    assert "nobody is invited yet" in err
