"""The page on which people judge: one HTML file with its script and its style inside, and nothing from elsewhere.

Its policy lets it talk to its own server alone, show pictures that it got from there, and run its one script, which is
named by its hash. All texts, of the study and of its files, are put in as texts by the script, never as HTML.
"""

from collections.abc import Mapping

from voirdire.pages import part, render
from voirdire.study.folder import OpenedStudy
from voirdire.study.tasks import WAYS

POLICY = (
    "default-src 'none'; img-src blob: data:; style-src 'unsafe-inline'; script-src {}; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'none'; form-action 'none'; base-uri 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""What goes with every answer of the server."""


def study_page(study: OpenedStudy, texts: Mapping[str, str], anyone: bool) -> str:
    """The page; `anyone`, whether who comes without a link is let in."""
    way = study.tasks[0].way
    settings = {
        "key": study.seal[:16],
        "anyone": anyone,
        "asked": [{"name": name, "choices": words} for name, words in WAYS[way]],
        "texts": texts,
    }
    css, script = (part("voirdire.study", f"judge.{kind}") for kind in ("css", "js"))
    return render(
        "voirdire.study",
        "judge.html",
        texts["title"],
        css=css,
        script=script,
        language=texts["language"],
        policy=POLICY,
        texts=texts,
        settings=settings,
    )
