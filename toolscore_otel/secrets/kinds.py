"""The rule table, whole.

Order is precedence: where two kinds claim the same characters, the one further up has them. What only a name tells
stands last.
"""

from __future__ import annotations

from toolscore_otel.secrets.kind import Kind
from toolscore_otel.secrets.table.clients import CLIENTS
from toolscore_otel.secrets.table.clouds import CLOUDS
from toolscore_otel.secrets.table.code import CODE
from toolscore_otel.secrets.table.commands import COMMANDS
from toolscore_otel.secrets.table.models import MODELS
from toolscore_otel.secrets.table.named import NAMED
from toolscore_otel.secrets.table.services import SERVICES
from toolscore_otel.secrets.table.spoken import SPOKEN
from toolscore_otel.secrets.table.surroundings import STRUCTURED, SURROUNDED
from toolscore_otel.secrets.table.web import WEB

TABLE: tuple[Kind, ...] = (
    *(*STRUCTURED, *CLOUDS, *CODE, *MODELS, *SERVICES),
    *(*SURROUNDED, *COMMANDS, *CLIENTS, *WEB, *SPOKEN, *NAMED),
)

KINDS: tuple[str, ...] = tuple(sorted({kind.name for kind in TABLE}))
"""The names of all kinds, sorted."""
