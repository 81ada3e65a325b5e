"""A copy of a log record with something else in it. The record itself is shared with every other processor."""

from __future__ import annotations

import inspect
from copy import copy
from typing import Any

from opentelemetry.attributes import BoundedAttributes

_BOUNDED: Any = BoundedAttributes
_ANY_VALUE: dict[str, Any] = {
    name: True
    for name in inspect.signature(BoundedAttributes).parameters
    if name == "extended_attributes"  # on its way out of opentelemetry: then they always are
}


def changed_record(data: Any, **parts: Any) -> Any:
    """A copy of a log record, which still says what the SDK had dropped from that one.

    Args:
        data: `LogData` (opentelemetry-sdk up to 1.38) or `ReadableLogRecord`; stays as it is.
        parts: what is different: `attributes`, `body`, `event_name`.
    """
    given = data.log_record
    if "attributes" in parts:
        attributes = _BOUNDED(attributes=parts["attributes"], immutable=False, **_ANY_VALUE)
        attributes.dropped = getattr(given.attributes, "dropped", 0)
        parts["attributes"] = attributes
    record, outer = copy(given), copy(data)
    for name, value in parts.items():
        setattr(record, name, value)
    object.__setattr__(outer, "log_record", record)  # the newer one is frozen
    return outer
