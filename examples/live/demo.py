"""All four exams of a real language model beside the witnesses of a small world, on one page, on this machine alone.

The model cannot see, so the scenes are told to it in words. Killed and called again, it goes on where it was.
"""

import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
COMMAND = str(Path(sys.executable).with_name("voirdire"))
OUT = Path("live-demo")
WORLD = OUT / "world"


def main() -> int:
    started = time.monotonic()
    if not (WORLD / "world.json").is_file():
        subprocess.run([COMMAND, "world", str(WORLD), "--scenes", "40", "--seed", "7", "--pictures"], check=True)
    pipe = subprocess.PIPE
    with (OUT / "server.log").open("w") as log:
        words = [sys.executable, str(HERE / "serve.py")]
        server = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=log, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        if not url:
            print(f"the server did not start; {OUT / 'server.log'} says why", file=sys.stderr)
            return 1
        words = ["ask", "all", "--model", f"openai:smollm2@{url}", "--name", "SmolLM2", "--data", str(WORLD)]
        words += ["--show", "words", "--witnesses", "--limit", "8", "--turns", "2,5,8", "--pairs", "2"]
        words += ["--connections", "4", "--workers", "2", "-o", str(OUT)]
        done = subprocess.run([COMMAND, *words], check=False).returncode
    finally:
        server.kill()
        server.wait()
    print(f"took {(time.monotonic() - started) / 60:.1f} minutes")
    return done


if __name__ == "__main__":
    sys.exit(main())
