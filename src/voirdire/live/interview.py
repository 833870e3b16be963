"""An interview: a model is asked for the files of one part.

OUT/said/NAME/EXAM-PART/             the files, and `asked.json`, which says how they came to be
OUT/said/NAME/EXAM-PART.journal      what was sent and what came back

A part's `Ask` is given an interview. It writes its questions as scripts (`live.scripts`), and the replies to files.
All else is done here: pictures, the journal, ceilings, the check whether the model sees, progress, counts of faults.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from voirdire.errors import InputError, UsageError
from voirdire.figures import counted
from voirdire.formats.scenes import Scene, read_scenes
from voirdire.live.endpoint_model import EndpointModel
from voirdire.live.journal import Journal
from voirdire.live.model import DRY_RUN, Asking, LiveModel, Reply, Task, VisualInput
from voirdire.live.pictures import Pictures
from voirdire.live.prices import Price, Prices, read_prices
from voirdire.live.prompts import Template, read_template, scene_text
from voirdire.live.providers import make_model
from voirdire.live.scripts import Ceiling, Script, ScriptResults, Served, Spending, run_scripts
from voirdire.live.settings import LiveOptions
from voirdire.live.trust import host_of, without_secrets
from voirdire.live.vision_check import two_pictures, vision_tasks, why_blind
from voirdire.progress import UNSEEN, Stages
from voirdire.runs.provenance import Provenance
from voirdire.runs.readings import ReadingCount

T = TypeVar("T")


def _far(replies: int, faults: Counter[str]) -> str:
    tried = ", ".join(f"{kind} {number:,}" for kind, number in sorted(faults.items()))
    return f"{replies:,} replies{f', tried again: {tried}' if tried else ''}"


@dataclass
class Forecast:
    """What would be asked: requests, how many of them with a picture, about how many tokens, and what they cost.

    remarks  what else there is to say of it
    """

    requests: int = 0
    pictures: int = 0
    tokens: int = 0
    cost: float = 0.0
    remarks: tuple[str, ...] = ()

    def __add__(self, other: "Forecast") -> "Forecast":
        return Forecast(*(count + more for count, more in zip(astuple(self), astuple(other), strict=True)))


@dataclass
class Interview:
    """One model and the files that it is asked for, for use with `with`.

    folder   where the files go
    journal  where replies are kept
    images   folders and zips of pictures
    spending  of the whole call, for its ceilings
    dry      count the requests in `forecast` in place of sending them
    notes    what a reader of the figures should know
    readings  in which ways replies were read, but for the check whether the model sees
    terms    what the figures depend on beside the model, for signatures
    """

    options: LiveOptions
    folder: Path
    journal: Path
    images: Sequence[Path] = ()
    stages: Stages = UNSEEN
    spending: Spending = field(default_factory=Spending)
    dry: bool = False
    forecast: Forecast = field(default_factory=Forecast)
    notes: list[str] = field(default_factory=list)
    terms: dict[str, str | int] = field(default_factory=dict)
    blind: bool = False
    replies: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    marks: Counter[str] = field(default_factory=Counter)
    served: Served = field(default_factory=Counter)
    readings: ReadingCount = field(default_factory=ReadingCount)
    tokens: tuple[int, int] = (0, 0)
    _checked_vision: bool = False
    _others: dict[str, LiveModel] = field(default_factory=dict)
    _closing: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> "Interview":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()

    @cached_property
    def model(self) -> LiveModel:
        """The model that is asked."""
        return make_model(self.options)

    @property
    def template_name(self) -> str:
        """The name of the template in which the model is asked; empty where it is asked without words."""
        return self._own_template.name if self._own_template else ""

    @cached_property
    def _journal(self) -> Journal:
        self.journal.parent.mkdir(parents=True, exist_ok=True)
        journal = self._closing.enter_context(Journal(self.journal))
        if warning := journal.warning():
            self.stages.say(warning)
        return journal

    @cached_property
    def pictures(self) -> Pictures | None:
        """The pictures that it is shown; None where it is shown none."""
        if self.options.show != "pictures" or not self.shows:
            return None
        if not self.images:
            raise UsageError(
                "`show` is pictures, and no pictures are named; name folders or zips with `images`, or show words or "
                "nothing"
            )
        return Pictures(self.images, longest=self.options.longest)

    @property
    def shows(self) -> bool:
        """Whether any model needs to be shown a picture: a witness has the scene itself."""
        return not all(model.knows_scenes for model in (self.model, *self._others.values()))

    @cached_property
    def template(self) -> Template:
        """The words in which the model is asked; they say which questions there are, also for one without words."""
        return self._own_template or read_template(self.options.template)

    @property
    def _own_template(self) -> Template | None:
        template = getattr(self.model, "template", None)
        return template if isinstance(template, Template) else None

    def tell_requests(self, line: str) -> None:
        """Say how many requests things take: in a dry run beside the forecast, else in the run."""
        if self.dry:
            self.forecast += Forecast(remarks=(line,))
        else:
            self.notes.append(line)

    def show_nothing(self) -> None:
        """Show nothing, whatever the options say: the questions are about words."""
        self.options = replace(self.options, show="nothing")

    @cached_property
    def scenes(self) -> dict[int, Scene]:
        """The scenes of the world, by image."""
        if self.options.scenes is None:
            raise UsageError("`show` words and witnesses need the scenes of a world; name its file with `scenes`")
        return {scene.id: scene for scene in read_scenes(self.options.scenes)}

    def showable(self, images: Collection[int]) -> frozenset[int]:
        """Those of the images that can be shown; where that is not all, it is refused, unless a part is enough."""
        if (pictures := self.pictures) is not None:
            return self._shown(pictures, images)
        tells = self.options.show == "words" and self.shows
        if tells and (missing := sorted(set(images) - set(self.scenes))):
            raise UsageError(
                f"{self.options.scenes}: no scene of {counted(len(missing), 'image')}, image {missing[0]} for example"
            )
        return frozenset(images)

    def _shown(self, pictures: Pictures, images: Collection[int]) -> frozenset[int]:
        wrong, broken = pictures.missing(images), frozenset[int]()
        shown = frozenset(image for image in images if image in pictures)
        if self.options.partial:
            # Else a broken picture stops the run where it is reached: all are checked only where a part is enough.
            broken, unreadable = pictures.broken(shown)
            wrong = ". ".join(filter(None, (wrong, unreadable)))
        shown -= broken
        if wrong and not self.options.partial:
            raise UsageError(f"{wrong}. Ask about the others alone with `partial`")
        if wrong and not shown:
            raise UsageError(wrong)
        if wrong:
            self.notes.append(f"{wrong}. Nothing was asked about them.")
        return shown

    def askable(self, images: Collection[int]) -> Collection[int]:
        """Those of the images that a limit may draw: where a part is enough, those that there is a picture of."""
        if not self.options.partial or (pictures := self.pictures) is None:
            return images
        return [image for image in images if image in pictures]

    def seen(self, image: int) -> VisualInput:
        """What the model is shown of an image."""
        if self.pictures is not None:
            try:
                return self.pictures.seen(image)
            except InputError as error:
                raise UsageError(f"{error} Ask about the others alone with `partial`") from None
        if self.options.show == "words" and self.shows:
            return VisualInput(image, told=scene_text(self.scenes[image]))
        return VisualInput(image)

    def ask_all(
        self,
        scripts: Sequence[Script[T]],
        unit: str = "tasks",
        look: Callable[[list[T]], str] | None = None,
    ) -> list[T]:
        """Let all scripts ask; the result of each, in their order.

        look  makes a line about the finished scripts from time to time: an early look
        """
        if self.dry:
            return asyncio.run(self._count(scripts))
        return asyncio.run(self._ask_all(scripts, unit, look))

    async def _ask_all(self, scripts: Sequence[Script[T]], unit: str, look: Callable[[list[T]], str] | None) -> list[T]:
        options, journal = self.options, self._journal
        progress = self.stages(f"ask {self.model.name}", unit)
        if self._checks_vision:
            await self._check_vision()
        through: list[T] = []
        due = 50

        def watched(script: Script[T]) -> Script[T]:
            async def asked(ask: Asking) -> T:
                nonlocal due
                result = await script(ask)
                through.append(result)
                if look is not None and len(through) >= due:
                    due = min(2 * due, due + 1000)
                    if summary := look(through):
                        self.stages.say(f"{len(through):,} of {len(scripts):,} {unit}: {summary}")
                return result

            return asked

        self.stages.note(_far(0, journal.faults))
        progress(0, len(scripts))
        results = await run_scripts(
            [watched(script) for script in scripts],
            self.model,
            journal,
            pictures=self._data,
            others=self.other,
            connections=options.connections,
            ceiling=self._ceiling,
            spending=self.spending,
            max_refused=options.max_refused,
            progress=progress,
            total=len(scripts),
            on_reply=lambda count: self.stages.note(_far(count, journal.faults)),
            served=self.served,
            readings=self.readings,
            say=self.stages.say,
        )
        self._add(results)
        if results.stopped:
            raise UsageError(results.stopped)
        if results.unanswered and not options.missing:
            kinds = ", ".join(f"{kind} {number:,}" for kind, number in results.faults.items())
            raise UsageError(
                f"{self.model.name} gave no reply to {results.unanswered:,} of {results.asked:,} requests ({kinds}). "
                f"The last: {results.why}. Replies are kept: call again to ask for these, or go on without them with "
                "`missing`"
            )
        return [result for result in results.results if result is not None]

    @property
    def _checks_vision(self) -> bool:
        """Whether to check if the model sees."""
        return self.pictures is not None and not self._checked_vision and not self.model.knows_scenes

    async def _check_vision(self) -> None:
        self._checked_vision = True
        reasons: list[str] = []

        async def look(ask: Asking) -> bool:
            reasons.append(await why_blind(ask, self.model.skills))
            return True

        pictures = two_pictures()
        results = await run_scripts(
            [look],
            self.model,
            self._journal,
            pictures=lambda seen: pictures.get(seen.picture),
            ceiling=self._ceiling,
            spending=self.spending,
            keep=False,
            served=self.served,
        )
        self._add(results)
        if results.stopped:
            raise UsageError(results.stopped)
        if not reasons[0]:
            # A check that failed is made anew by the next call: the server may have been mended.
            results.keep()
        else:
            self.blind = True
            if not self.options.blind:
                raise UsageError(
                    f"{self.model.name} {reasons[0]}. Go on, marked as blind, with `blind`, or show it nothing"
                )

    def _add(self, results: ScriptResults[Any]) -> None:
        self.replies += results.asked + results.kept
        self.faults += results.faults
        self.marks += results.marks
        self.tokens = self.tokens[0] + results.tokens[0], self.tokens[1] + results.tokens[1]

    @property
    def _ceiling(self) -> Ceiling:
        return Ceiling(self.options.max_requests, self.options.max_cost, self._prices)

    @cached_property
    def _prices(self) -> Prices:
        others = Price(self.options.price_sent, self.options.price_received)
        return Prices(others) if self.options.prices is None else read_prices(self.options.prices, others)

    def _data(self, seen: VisualInput) -> bytes | None:
        if not seen.picture or self.pictures is None:
            return None
        return self.pictures.shown(seen)

    def other(self, spec: str) -> LiveModel:
        """A model that plays another role, with the same settings; who is to be shown pictures is named before.

        At another host it is asked without the key, unless that is granted.
        """
        if spec not in self._others:
            options, withheld = without_secrets(replace(self.options, model=spec), self.options.model)
            self._others[spec] = model = make_model(options)
            if withheld and isinstance(model, EndpointModel):
                grants = " ".join(f"`trust` {grant}" for grant in withheld)
                without = f"{spec} is asked without the secrets that {host_of(self.options.model)} is sent"
                self.stages.say(f"{without}; these would grant them: {grants}")
        return self._others[spec]

    async def _count(self, scripts: Sequence[Script[T]]) -> list[T]:
        """The scripts with nobody who answers, to count what they would ask."""

        async def ask(task: Task, spec: str = "") -> Reply:
            model = self.other(spec) if spec else self.model
            if (steps := model.in_steps(task, partial(ask, spec=spec))) is not None:
                return await steps
            tokens = model.size(task)
            cost = self._prices.of(model).cost(*tokens)
            self.forecast += Forecast(1, bool(task.seen.picture), sum(tokens), cost)
            return Reply(fault=DRY_RUN)

        if self._checks_vision:
            self._checked_vision = True
            for task in vision_tasks(self.model.skills):
                await ask(task)
        return [await script(ask) for script in scripts]

    def provenance(self) -> Provenance:
        """How the files came to be, for beside them."""
        tried: Counter[str] = self._journal.faults
        return Provenance(
            self.model.name,
            dict(self.model.identity),
            self.options.show if self.shows else "the scene itself",
            self.blind,
            self.replies,
            dict(self.faults),
            dict(self.marks),
            dict(tried),
            tuple(self.notes),
            self.tokens,
            self.terms,
            {
                model: {name: self.served[model, name] for asked, name in sorted(self.served) if asked == model}
                for model, _ in sorted(self.served)
            },
            self.readings.readings(),
        )
