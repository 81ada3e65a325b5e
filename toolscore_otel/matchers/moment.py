"""RFC 3339 times as instants, exact to the last digit of the fraction.

Source:
    RFC 3339, section 5.6 (`date-time`; `T` and `Z` in either case, or a space for `T`) and 5.7 (second 60).
"""

from __future__ import annotations

import re
from datetime import date

Instant = tuple[int, str]
"""Seconds since 0001-01-01T00:00:00Z, and the digits of the fraction without zeros at the end: they compare as instants do."""

_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?"
    r"(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))",
    re.ASCII,
)
_EXAMPLE = "2000-01-01T00:00:00Z"
_DAY_S = 86_400


def instant(text: str) -> Instant | None:
    """The instant that a text names; None where it is no RFC 3339 time."""
    if (found := _TIME.fullmatch(text)) is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    try:
        days = date(year, month, day).toordinal()
    except ValueError:  # 30 February, or the year 0
        return None
    fraction, sign, offset_hour, offset_minute = found.groups()[6:]
    offset_s = int(offset_hour or 0) * 3600 + int(offset_minute or 0) * 60
    local_s = days * _DAY_S + hour * 3600 + minute * 60 + second
    return local_s - (-offset_s if sign == "-" else offset_s), (fraction or "").rstrip("0")


def may_become_time(prefix: str) -> bool:
    """Whether a text that begins with `prefix` can be an RFC 3339 time; past the seconds it is not looked at."""
    return len(prefix) >= len(_EXAMPLE) or instant(prefix + _EXAMPLE[len(prefix) :]) is not None
