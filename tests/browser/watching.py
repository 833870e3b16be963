"""What a page does wrong while it is open, and what stands in the way of its readers."""

from pathlib import Path
from typing import Any

__all__ = ["barriers", "watch"]

OWN = ("data:", "blob:")


def watch(page: Any, path: Path) -> list[str]:
    """A list that grows with every error, warning and request of the page; the file itself may be asked for."""
    faults: list[str] = []

    def asked(request: Any) -> None:
        if request.url.partition("#")[0] != path.as_uri() and not request.url.startswith(OWN):
            faults.append(f"asked for {request.url}")

    def told(message: Any) -> None:
        if message.type in ("error", "warning", "assert"):
            faults.append(f"{message.type}: {message.text}")

    page.on("request", asked)
    page.on("console", told)
    page.on("pageerror", lambda error: faults.append(f"uncaught: {error}"))
    return faults


def barriers(page: Any) -> list[str]:
    """What axe finds of any weight, each with the places where it is; axe comes with its package and is put in."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{each['impact']}: {each['id']} ({each['help']}): {node['target']} {node['html'][:120]} "
        f"{[check['message'] for check in node['any']][:1]}"
        for each in found
        for node in each["nodes"]
    ]
