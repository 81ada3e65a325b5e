"""What the automaton looks for, beside the kinds: signs that something hides. Each expression has its number."""

from __future__ import annotations

from toolscore_otel.secrets.columns import HEAD
from toolscore_otel.secrets.encodings import COLOURED, FORM, PERCENT, SAID, base64_forms
from toolscore_otel.secrets.kinds import TABLE
from toolscore_otel.secrets.lists import FLAG
from toolscore_otel.secrets.names import MAY_TELL
from toolscore_otel.secrets.naming import NAME_ABOVE, VALUE_BEFORE_NAME

_HIDDEN = r"\\(?:/|u00[2-7])"  # escapes behind which a detection form cannot be seen

EXPRESSIONS = (
    *(kind.detect for kind in TABLE),
    *(_HIDDEN, f"{VALUE_BEFORE_NAME}{MAY_TELL}|{MAY_TELL}{NAME_ABOVE}"),
    *(PERCENT, COLOURED, FORM, FLAG, HEAD, SAID, *base64_forms(TABLE)),
)
FIRST = len(TABLE)
"""Of what is no kind."""

HIDDEN_ROW, BEFORE_ROW, PERCENT_ROW, COLOURED_ROW = range(FIRST, FIRST + 4)
FORM_ROW, FLAG_ROW, COLUMNS_ROW, SAID_ROW = range(FIRST + 4, FIRST + 8)
"""What follows is of base64, as the last of these is."""
