"""Dates and times in their usual spellings, where only one reading is possible: year first, the month as a word, or a day past 12.

What two people would read differently (`01/02/2025`, but not `31/01/2025`) is no date here, and neither is a number, which may count
seconds or milliseconds.
"""

from __future__ import annotations

import re

from msgspec import Struct

from toolscore_otel.matchers import Answer, CutText
from toolscore_otel.matchers.answer import UNSURE, yes_if
from toolscore_otel.matchers.moment import Instant, instant
from toolscore_otel.matchers.value import Value, is_unseen, seen

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<word>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:[snrt][tdh])?"  # 1st, 2nd
_YEAR = r"(?P<year>\d{4})"
_TIME = (
    r"(?:(?:t|,?\s+)(?P<hour>\d\d|\d(?=:)):?(?P<minute>\d\d)"
    r"(?::?(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?(?:\s*(?P<half>[ap])\.?m\.?)?"
    r"\s*(?:(?P<zulu>z|utc|gmt)|(?P<sign>[+-])(?P<hours>\d\d)(?::?(?P<minutes>\d\d))?)?)?"
)
_SPELLINGS = tuple(
    re.compile(date + _TIME, re.ASCII | re.IGNORECASE)
    for date in (
        _YEAR + r"(?P<month>\d\d)(?P<day>\d\d)",
        _YEAR + r"(?P<between>[-/.])(?P<month>\d{1,2})(?P=between)(?P<day>\d{1,2})",
        r"(?P<first>\d{1,2})(?P<between>[-/.])(?P<other>\d{1,2})(?P=between)" + _YEAR,
        rf"{_DAY}[\s-]+{_MONTH}[\s,-]+{_YEAR}",
        rf"{_MONTH}\s+{_DAY},?\s+{_YEAR}",
    )
)


class Moment(Struct, frozen=True):
    """What a text says of time.

    Attributes:
        clock: as it is written, whatever the offset; midnight for a day.
        at: the instant; None for a day, and where no offset is written.
        is_day: whether no time of day is written.
    """

    clock: Instant
    at: Instant | None
    is_day: bool

    def is_same(self, other: Moment) -> bool:
        """Whether both are one instant, or one day (also written as its midnight), or one time without an offset."""
        if self.at is not None and other.at is not None:
            return self.at == other.at
        has_one_kind = (self.at is None) is (other.at is None) or self.is_day or other.is_day
        return has_one_kind and self.clock == other.clock


def moment(text: str) -> Moment | None:
    """The day or the time that a text names; None where it names none, or where it could be read in two ways."""
    for spelling in _SPELLINGS:
        if (found := spelling.fullmatch(text.strip())) is not None:
            return _moment(found.groupdict())
    return None


def _moment(part: dict[str, str | None]) -> Moment | None:
    day, hour = _day(part), _hour(part["hour"] or "00", part["half"])
    if day is None or hour is None:
        return None
    date = f"{part['year']}-{day[0]:0>2}-{day[1]:0>2}"
    time = f"{hour:0>2}:{part['minute'] or '00'}:{part['second'] or '00'}"
    written = f"{date}T{time}.{part['fraction'] or '0'}"
    if (clock := instant(f"{written}Z")) is None:  # 30 February, or 25 o'clock
        return None
    if part["zulu"] is None and part["sign"] is None:
        return Moment(clock, None, is_day=part["hour"] is None)
    offset = (
        "Z" if part["sign"] is None else f"{part['sign']}{part['hours']}:{part['minutes'] or '00'}"
    )
    at = instant(written + offset)
    return None if at is None else Moment(clock, at, is_day=False)


def _day(part: dict[str, str | None]) -> tuple[str, str] | None:
    """The month and the day; None where either number could be the month."""
    if (first := part.get("first")) is not None:
        other = part.get("other") or ""
        if int(other) > _LAST_MONTH or int(first) == int(other):
            return first, other
        return (other, first) if int(first) > _LAST_MONTH else None
    month = part.get("month") or str(_MONTHS.index((part.get("word") or "").lower()[:3]) + 1)
    return month, part.get("day") or ""


_LAST_MONTH = len(_MONTHS)
_NOON = 12


def _hour(hour: str, half: str | None) -> str | None:
    """The hour of the day, where it may be one of its first or second half; None for 13 PM."""
    if half is None:
        return hour
    if not 1 <= int(hour) <= _NOON:
        return None
    return str(int(hour) % _NOON + (_NOON if half in "pP" else 0))


class SameMoment(Struct, frozen=True):
    """A text that names the same day or time.

    Attributes:
        text: as it was expected.
        moment: what it names.
    """

    text: str
    moment: Moment

    def match(self, value: Value) -> Answer:
        """Whether it does."""
        value = seen(value)
        if is_unseen(value) or isinstance(value, CutText):
            return UNSURE
        named = moment(value) if isinstance(value, str) else None
        return yes_if(named is not None and named.is_same(self.moment))

    def describe(self) -> str:
        """As in `is the time 2025-01-31`."""
        return f"is the time {self.text}"
