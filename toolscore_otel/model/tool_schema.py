"""What a tool takes, as a contract or a trace says it."""

from __future__ import annotations

import json
from hashlib import blake2b

from msgspec import Struct, structs

from toolscore_otel.model.data import Json


class ToolSchema(Struct, frozen=True, gc=False, eq=False):
    """The JSON Schema of a tool's arguments. Two that say the same are equal; the same one is held by many calls.

    Attributes:
        schema: as recorded; it need not be a schema that can be used.
        digest: of what it says.

    Raises:
        TypeError: what is given is no JSON.
        RecursionError: it is nested too deep.
    """

    schema: Json
    digest: str = ""

    def __post_init__(self) -> None:
        if not self.digest:
            said = json.dumps(self.schema, sort_keys=True).encode()
            structs.force_setattr(self, "digest", blake2b(said, digest_size=16).hexdigest())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolSchema) and other.digest == self.digest

    def __hash__(self) -> int:
        return hash(self.digest)
