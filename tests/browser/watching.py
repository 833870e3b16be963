"""What a page does wrong while it is open, what stands in the way of its readers, and the figures that it shows."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from voirdire.section.content import Model

__all__ = ["barriers", "check_figures", "figures", "shows", "watch"]

OWN = ("data:", "blob:")
ALIKE = "tbody > tr:nth-child(n + 4)"
"""Rows of a table that are as its first three, and cost axe most of its time."""
FIGURES = """all => all.map(one => ({
    run: one.dataset.run, measure: one.dataset.measure, value: one.dataset.value, text: one.innerText, tip: one.title,
    interval: [one.nextElementSibling, one.nextElementSibling?.nextElementSibling]
        .find(beside => beside?.matches(".interval"))?.innerText.replaceAll("\\u00a0", " ") ?? "",
}))"""


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


def barriers(page: Any, *rules: str) -> list[str]:
    """What axe finds of any weight, by these rules or by all, each with the places where it is.

    Axe comes with its package and is put into the page, so nothing is fetched.
    """
    from axe_playwright_python.sync_playwright import Axe

    options: dict[str, Any] = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    found = Axe().run(page, {"exclude": [[ALIKE]]}, options).response["violations"]
    return [
        f"{each['impact']}: {each['id']} ({each['help']}): {node['target']} {node['html'][:120]} "
        f"{[check['message'] for check in node['any']][:1]}"
        for each in found
        for node in each["nodes"]
    ]


def figures(page: Any) -> list[dict[str, str]]:
    """Every figure of a run that the page shows, folded away or not."""
    page.eval_on_selector_all("details:not(.drill)", "all => all.forEach(one => { one.open = true })")
    found: list[dict[str, str]] = page.eval_on_selector_all("[data-measure]", FIGURES)
    return found


def shows(text: str, value: float) -> bool:
    """Whether a text is a number, rounded."""
    shown = text.replace(",", "").replace("−", "-").removesuffix("%").strip()
    return abs(float(shown) - value) <= 0.5 * 10.0 ** -len(shown.partition(".")[2]) * (1 + 1e-9)


def check_figures(found: Iterable[dict[str, str]], models: Iterable[Model]) -> set[tuple[str, str]]:
    """Each is its run's to the last bit, is shown as it is or in percent, and names what it rests on; returns which."""
    runs = {model.key: model.run for model in models}
    seen = set()
    for each in found:
        figure = runs[each["run"]].measures[each["measure"]]
        value = figure.value
        assert value is not None, each
        assert float(each["value"]) == value, each
        pairs = [(each["text"], value)]
        if each["interval"]:
            pairs += zip(each["interval"].split("…"), (figure.low, figure.high), strict=True)
        assert any(all(shows(text, exact * scale) for text, exact in pairs) for scale in (1, 100)), each
        assert str(runs[each["run"]].signature) in each["tip"], each
        seen.add((each["run"], each["measure"]))
    return seen
