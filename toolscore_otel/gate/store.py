"""The file of baselines: which scores the runs of each release had.

    {
     "format": "toolscore-otel-gate",
     "version": 1,
     "releases": [
      {"release": "1.4.0", "entries": [
       {"contract": "support", "expectations": "5f0c...", "model": "gpt-4o", "scenario": "refund", "runs": [
        {"run": "0af7...", "scores": {"right_tool": 1.0, "calls_per_task": 2.0, "argument_f1": null}}
       ]}
      ]}
     ]
    }

Releases stand in the order in which they were accepted first. `expectations` is a fingerprint of what the contract expects of
the scenario; stores of before have one there that all scenarios of the contract share. An entry is told apart by contract, expectations, model and
scenario, a run by its trace id. A score that is null was not known, or does not apply. Only more is ever written: an entry or
a run that is there stays there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from toolscore_otel.errors import ConfigError, clip
from toolscore_otel.matchers.value import is_object

VERSION: Final = 1
FORMAT: Final = "toolscore-otel-gate"


class Run(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The scores of one run.

    Attributes:
        run: its trace id.
        scores: by name.
    """

    run: str
    scores: dict[str, float | None]


class Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The runs of one scenario with one model, under one contract.

    Attributes:
        contract: its id.
        expectations: fingerprint of what it expects of the scenario.
        model: that the runs name; several joined.
        scenario: empty where the runs name none.
    """

    contract: str
    expectations: str
    model: str
    scenario: str
    runs: tuple[Run, ...]

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What tells it apart within a release."""
        return self.contract, self.expectations, self.model, self.scenario


class Release(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All entries of one release."""

    release: str
    entries: tuple[Entry, ...]


class Store(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything in the file."""

    format: Literal["toolscore-otel-gate"] = FORMAT
    version: Literal[1] = VERSION
    releases: tuple[Release, ...] = ()

    def before(self, release: str) -> tuple[Release, ...]:
        """The releases that one is compared with, the one that counts least first.

        Those accepted before it count, the later the more. What it has itself comes before them all: it counts where they
        have nothing, as where every release has the same name.
        """
        names = [one.release for one in self.releases]
        if release not in names:
            return self.releases
        place = names.index(release)
        return self.releases[place], *self.releases[:place]


def read_store(text: str | bytes, path: str) -> Store:
    """The store in a text.

    NaN and infinities, which are no JSON but which other programs write, are read: whoever compares says where they stand.

    Args:
        text: of the file.
        path: named in errors.

    Raises:
        ConfigError: no JSON, another format or version, or a part that is not as it should be; said with its place.
    """
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"the baseline `{path}` is no JSON: {error}") from error
    if not is_object(data) or data.get("format") != FORMAT:
        raise ConfigError(
            f'the baseline `{path}` is none that `gate` wrote: `"format": "{FORMAT}"` is missing'
        )
    version = data.get("version")
    if type(version) is not int or version != VERSION:
        raise ConfigError(
            f"the baseline `{path}` is of version {clip(version)} of its format; this program knows {VERSION}"
        )
    try:
        return msgspec.convert(data, Store)
    except (msgspec.ValidationError, OverflowError) as error:
        raise ConfigError(f"the baseline `{path}` is not as `gate` writes it: {error}") from error


def write_store(store: Store) -> str:
    """The text of a store: JSON, each run on a line of its own, so that a version control shows what came."""
    releases = ",\n".join(_release(release) for release in store.releases)
    inside = f"[\n{releases}\n ]" if releases else "[]"
    return f'{{\n "format": "{FORMAT}",\n "version": {VERSION},\n "releases": {inside}\n}}\n'


def accepted(store: Store, release: str, entries: Iterable[Entry]) -> Store:
    """The store with the runs of a release added; a run that it has by its trace id gets its scores of now.

    Raises:
        ConfigError: no name, or a score that is NaN or infinite.
    """
    if not release:
        raise ConfigError("a release needs a name")
    entries = tuple(entries)
    for entry in entries:
        for run in entry.runs:
            _check(entry, run)
    known = {one.release: one for one in store.releases}
    before = known[release].entries if release in known else ()
    known[release] = Release(release=release, entries=joined([*before, *entries]))
    return Store(releases=tuple(known.values()))


def joined(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Entries in a stable order, those of one key as one; of two runs of one trace the later stays."""
    found: dict[tuple[str, ...], tuple[Entry, dict[str, Run]]] = {}
    for entry in entries:
        _, runs = found.setdefault(entry.key, (entry, {}))
        runs.update({run.run: run for run in entry.runs})
    return tuple(
        msgspec.structs.replace(entry, runs=tuple(run for _, run in sorted(runs.items())))
        for _, (entry, runs) in sorted(found.items())
    )


def _check(entry: Entry, run: Run) -> None:
    for name, value in run.scores.items():
        if value is not None and not math.isfinite(value):
            raise ConfigError(
                f"the score `{name}` of run {run.run} under `{entry.contract}` is {value}: it cannot be a baseline"
            )


def _release(release: Release) -> str:
    entries = ",\n".join(_lines(entry) for entry in release.entries)
    return f'  {{"release": {_text(release.release)}, "entries": [\n{entries}\n  ]}}'


def _lines(entry: Entry) -> str:
    names = ("contract", "expectations", "model", "scenario")
    head = ", ".join(f'"{name}": {_text(getattr(entry, name))}' for name in names)
    runs = ",\n".join(_run(run) for run in entry.runs)
    return f'   {{{head}, "runs": [\n{runs}\n   ]}}'


def _run(run: Run) -> str:
    return "    " + json.dumps({"run": run.run, "scores": dict(sorted(run.scores.items()))})


def _text(text: str) -> str:
    return json.dumps(text)
