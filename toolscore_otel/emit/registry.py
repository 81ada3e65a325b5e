"""The names under which anything leaves, read from `telemetry.yaml`; a name that does not stand there is refused."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct
from ruamel.yaml import YAML

FILE = Path(__file__).parent / "telemetry.yaml"
"""Where every name stands."""

Stability = Literal["stable", "development", "reserved"]


class Attribute(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An attribute of an event or a metric.

    Attributes:
        template: stands for all names that begin with its own and a dot.
    """

    type: Literal["string", "int", "double", "boolean"]
    stability: Stability
    description: str
    template: bool = False


class Event(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"form": "as"}):
    """An event.

    Attributes:
        form: YAML key `as`: a log record, or an event on a span.
    """

    form: Literal["log", "span"]
    stability: Stability
    description: str
    attributes: tuple[str, ...]


class Metric(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A metric.

    Attributes:
        unit: as in UCUM.
        labels: it also has the `labels` of the contract.
    """

    instrument: Literal["counter", "gauge", "histogram"]
    unit: str
    stability: Stability
    description: str
    attributes: tuple[str, ...]
    labels: bool = False


class Telemetry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All names, in the order in which they are written.

    Attributes:
        attributes: by name.
        events: by name.
        metrics: by name.
    """

    attributes: Mapping[str, Attribute]
    events: Mapping[str, Event]
    metrics: Mapping[str, Metric]

    def __post_init__(self) -> None:
        for owner, event in self.events.items():
            for name in event.attributes:
                self.attribute(name, of=owner)
        for owner, metric in self.metrics.items():
            for name in metric.attributes:
                self.attribute(name, of=owner)

    def attribute(self, name: str, *, of: str = "") -> Attribute:
        """The attribute of this name.

        Raises:
            KeyError: it does not stand in the file.
        """
        found = self.attributes.get(name)
        if found is None:
            found = self.attributes.get(name.rpartition(".")[0])
            found = found if found is not None and found.template else None
        if found is None:
            whose = f" of `{of}`" if of else ""
            raise KeyError(f"the attribute `{name}`{whose} does not stand in {FILE.name}")
        return found

    def event(self, name: str) -> Event:
        """The event of this name.

        Raises:
            KeyError: it does not stand in the file.
        """
        return _known(self.events, name, "event")

    def metric(self, name: str) -> Metric:
        """The metric of this name.

        Raises:
            KeyError: it does not stand in the file.
        """
        return _known(self.metrics, name, "metric")


Named = TypeVar("Named", Event, Metric)


@cache
def telemetry() -> Telemetry:
    """The names, read when they are first asked for."""
    data: Any = YAML(typ="safe").load(FILE)  # pyright: ignore[reportUnknownMemberType]
    return msgspec.convert(data, Telemetry)


def _known(names: Mapping[str, Named], name: str, what: str) -> Named:
    if name not in names:
        raise KeyError(f"the {what} `{name}` does not stand in {FILE.name}")
    return names[name]
