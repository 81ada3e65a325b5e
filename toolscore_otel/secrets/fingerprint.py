"""Names for secrets: two finds of one secret share one, and nobody gets back from it to the secret."""

from __future__ import annotations

from hashlib import blake2b

from toolscore_otel.errors import ConfigError

_SIZE_BYTES = 8


class Fingerprints:
    """Keyed hashes of secrets.

    A plain hash of a password can be guessed; without the key this one cannot.

    Args:
        key: any length but none. The same key gives the same fingerprints, in every process.

    Raises:
        ConfigError: the key is empty.
    """

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        if not key:
            raise ConfigError(
                "the key of secret fingerprints is empty; give at least 16 random bytes"
            )
        self._key = blake2b(key).digest()

    def of(self, value: str) -> str:
        """The fingerprint of a secret: 16 hex digits."""
        data = value.encode("utf-8", "surrogatepass")
        return blake2b(data, key=self._key, digest_size=_SIZE_BYTES).hexdigest()

    def seal(self, *parts: str) -> str:
        """What only the holder of the key can put under these words: 16 hex digits."""
        data = "\x00".join(("seal", *parts)).encode("utf-8", "surrogatepass")
        return blake2b(data, key=self._key, digest_size=_SIZE_BYTES, person=b"seal").hexdigest()

    def __repr__(self) -> str:
        return "Fingerprints(...)"
