"""Which scoring belongs to which tracer provider: one each, whichever ways in are combined.

`attach` knows the provider. A processor and an exporter are never told theirs; what they see of it is its resource, the
same object on all of its spans. So a scoring is found by either. Nothing here keeps a provider or a scoring alive.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from toolscore_otel.model import ClosedBy
from toolscore_otel.sdk.scoring import Scoring

_of_provider: WeakKeyDictionary[Any, Scoring] = WeakKeyDictionary()
_of_resource: WeakValueDictionary[int, Scoring] = WeakValueDictionary()
_all: WeakSet[Scoring] = WeakSet()
_changing = threading.RLock()


def scoring_of(
    resource: Any, make: Callable[[], Scoring], *, provider: Any = None, also_over: bool = False
) -> Scoring:
    """The scoring of a provider, made where there is none.

    Args:
        resource: of the provider and of all its spans.
        make: makes a scoring.
        provider: where it is known; two that are known and differ share nothing, even with one resource.
        also_over: take one whose provider was shut down; its exporter may be asked only then.
    """
    with _changing:
        found = _of_provider.get(provider) if provider is not None else None
        if found is None:
            found = _with_resource(resource, provider)
        if found is None or (found.is_over and not also_over):
            found = make()
            _all.add(found)
            atexit.unregister(_close_at_exit)
            atexit.register(_close_at_exit)  # the last to be registered is the first to run
        if provider is not None:
            _of_provider[provider] = found
            found.providers.add(provider)
        found.resources[id(resource)] = resource  # kept, so that its id stays its own
        _of_resource[id(resource)] = found
        return found


def known_scoring(resource: Any) -> Scoring | None:
    """The scoring of the tracer provider with this resource, the very object; None where there is none."""
    with _changing:
        return _with_resource(resource, None)


def _with_resource(resource: Any, provider: Any) -> Scoring | None:
    found = _of_resource.get(id(resource))
    if found is None or id(resource) not in found.resources:
        return None
    others = provider is not None and any(known is not provider for known in found.providers)
    return None if others else found


def _close_at_exit() -> None:
    """End everything while the providers that findings go to still take them: those shut down in the order of making."""
    for scoring in list(_all):
        if scoring.fed_by_processor and not scoring.is_over:
            scoring.close(ClosedBy.SHUTDOWN)


def _start_anew_in_child() -> None:
    global _changing  # noqa: PLW0603 - whoever held it does not live in the child
    _changing = threading.RLock()
    for scoring in list(_all):
        scoring.start_anew()
        for told in scoring.on_fork:
            told()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew_in_child)
