"""One Ray cluster of three nodes for all tests that want one; a plugin of the pytest that runs them."""

import os
from collections.abc import Iterator

import pytest

os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_BACKEND_LOG_LEVEL="error")
# Nodes that are gone are noticed in seconds.
QUICK = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500, "health_check_failure_threshold": 3}
NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}


@pytest.fixture(scope="session")
def cluster() -> "Iterator[object]":
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={**NODE, "_system_config": QUICK})
    made.add_node(**NODE)
    made.add_node(**NODE)
    yield made
    import ray

    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="session")
def name(cluster: object) -> str:
    """The engine's name."""
    return f"ray:{cluster.address}"  # type: ignore[attr-defined]
