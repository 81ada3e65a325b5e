"""Is this value a secret? One function per way to tell; the rule table names them.

A form alone is seldom enough: values that decode to something are decoded, and look-alikes are refused.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from binascii import Error as NotBase64
from collections.abc import Callable

from msgspec import DecodeError, json

from toolscore_otel.secrets import checksums
from toolscore_otel.secrets.lookalikes import (
    is_address,
    is_cursor,
    is_digest,
    is_id,
    is_identifier,
    is_name,
    is_path,
    is_placeholder,
    is_reference,
    is_scrambled,
    is_technical,
    is_uuid,
)
from toolscore_otel.secrets.phrases import is_drawn_number, is_phrase

_PEM_BODY = re.compile(r"-----BEGIN [A-Z0-9 ]+-----(.*?)(?:-----END|$)", re.DOTALL)
_PEM_TEXT = re.compile(r"[A-Za-z0-9+/=]+")
_PEM_LINE_MIN = 30
_PEM_BODY_MIN = 60
_COMMON_PASSWORD = frozenset(
    {
        "abc", "admin", "bar", "baz", "default", "demo", "false", "foo", "guest", "hello",
        "key", "login", "none", "null", "optional", "pass", "passwd", "password", "postgres",
        "pw", "pwd", "required", "root", "secret", "string", "test", "token", "true",
        "undefined", "user", "username", "xyz"
    }
)  # fmt: skip
_STANDS_IN = re.compile(
    r"_*(?:(?:my|the|some|any|test|fake|new|old|api|access|auth|user|db|secret|token|key|value|here|goes|nil|todo|tbd|fixme|from|env|bearer|ref)[-_]*)+"
    r"|[a-z_?-]+(?:\|[a-z_?-]+){2,}|(?:n?varchar|float|string|double|decimal|unsigned)\d{1,3}"
)
_SAID_OF_IT = re.compile(
    r"(?i).*-(?:encoded|encrypted|hashed|protected|based|only|like|less|sensitive)\d?|(?i:test)[A-Z_]\w*(?:/\w+)?"
)
_HEX_KEY = re.compile(r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}")
_ELEMENT = re.compile(r"[A-Za-z_][\w.]*[\[(]")
_NUMBER_LEAST = 6  # digits
_KEY_DIGITS = re.compile(r"[0-9A-Fa-f]{64}")
_QUOTED = re.compile(r"%(2[BbFf]|3[AaDd]|7[Cc])")
_FILE = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")
_SIGNATURE = re.compile(r"[A-Za-z0-9+/._~-]{20,}={0,2}")
_SHA256_BYTES = 32
_NUMBER = re.compile(
    r"[-+]?\d*\.?\d+(?:[A-Za-z]{1,2}|%)?|0x[0-9A-Fa-f]{1,16}|\d+/\d+"
    r"|\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-][\d:]+)?)?"
)
_PHRASE = re.compile(r"(?:[A-Za-z]{3,}[-_.]){2,}\d{2,}")
_RARE_SYMBOL = re.compile(r"[^A-Za-z0-9._:/-]")


def plausible(value: str) -> bool:
    """No placeholder."""
    return not is_placeholder(value)


def mixed(value: str) -> bool:
    """Characters at random, and no placeholder: a beginning of few letters alone tells too little."""
    return not is_placeholder(value) and (any(map(str.isdigit, value)) or is_scrambled(value))


def gitlab(value: str) -> bool:
    """A routable token with the right sum, or one without a sum that is no placeholder."""
    return checksums.gitlab(value) and not is_placeholder(value)


def _decoded(part: str) -> bytes | None:
    try:
        return urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except (NotBase64, ValueError):
        return None


def jwt(value: str) -> bool:
    """The first of three parts decodes to a JSON object that has `alg`; the specimen of documentation is refused."""
    header, payload, _ = value.split(".")
    if (told := _decoded(header)) is None:
        return False
    try:
        head = json.decode(told)
    except (DecodeError, UnicodeDecodeError):
        return False
    return (
        isinstance(head, dict) and "alg" in head and b"John Doe" not in (_decoded(payload) or b"")
    )


def private_key(value: str) -> bool:
    """A PEM block with a body that can be one; header lines of old encrypted keys do not count."""
    if (block := _PEM_BODY.search(value)) is None:
        return False
    pieces = _PEM_TEXT.findall(re.sub(r"\\+[nrt]", "\n", block[1]))
    body = "".join(pieces)
    return (
        len(body) >= _PEM_BODY_MIN and max(map(len, pieces)) >= _PEM_LINE_MIN and len(set(body)) > 8  # noqa: PLR2004 - a key is no row of x
    )


def basic_credentials(value: str) -> bool:
    """Base64 of printable `user:password`."""
    told = _decoded(value.replace("+", "-").replace("/", "_"))
    if told is None:
        return False
    try:
        text = told.decode()
    except UnicodeDecodeError:
        return False
    _, colon, word = text.partition(":")
    return bool(colon) and text.isprintable() and url_password(word)


def url_password(value: str) -> bool:
    """A password where only passwords stand: anything but the words of documentation, and no reference."""
    return (
        value.lower().rstrip("!?") not in _COMMON_PASSWORD
        and not _STANDS_IN.fullmatch(value.lower())
        and "password" not in value.lower()
        and not (value.isdigit() and len(value) <= len("65535"))
        and not is_reference(value)
        and not is_placeholder(value)
        and not value.startswith("(")
    )


def password(value: str) -> bool:
    """A literal password: it has a digit or a symbol that names do not have, and refers to nothing."""
    lively = any(map(str.isdigit, value)) or _RARE_SYMBOL.search(value) is not None or _mixed(value)
    return (
        lively
        and url_password(value)
        and not is_path(value)
        and not is_uuid(value)
        and not is_digest(value)
        and not is_identifier(value)
        and not is_technical(value)
        and not _SAID_OF_IT.fullmatch(value)
        and not _NUMBER.fullmatch(value)
    )


def drawn_password(value: str) -> bool:
    """As `password`, with letters and digits that make no name: for where a password seldom stands."""
    return (
        password(value)
        and any(map(str.isdigit, value))
        and any(map(str.isalpha, value))
        and not is_name(value)
    )


def told_password(value: str) -> bool:
    """As `drawn_password`, or words in a row that end in digits."""
    return drawn_password(value) or (password(value) and _PHRASE.fullmatch(value) is not None)


def whole_password(value: str) -> bool:
    """A password of words that make no sentence, or one of digits, where the name leaves no doubt."""
    if value.isdigit():
        return is_drawn_number(value)
    return is_phrase(value) and not is_reference(value) and not is_placeholder(value)


def any_password(value: str) -> bool:
    """As `password`, or a UUID, where the name leaves no doubt."""
    return password(value) or (is_uuid(value) and not is_placeholder(value))


def line_password(value: str) -> bool:
    """As `drawn_password`, of all that stands on a line, brackets too; no element of a list, no call."""
    return drawn_password(value) and _ELEMENT.match(value) is None


def flag_password(value: str) -> bool:
    """As `password`, or digits that nobody counts with."""
    return password(value) or (len(value) >= _NUMBER_LEAST and is_drawn_number(value))


def variable_key(value: str) -> bool:
    """Hex digits as many as keys have, or letters and digits without order."""
    if _HEX_KEY.fullmatch(value):
        return not is_placeholder(value)
    return aws_secret(value) and generated_no_uuid(value)


def _mixed(value: str) -> bool:
    return any(map(str.isupper, value[1:])) and any(map(str.islower, value))


def generated(value: str) -> bool:
    """A literal that a machine made: letters and digits without order, and no id, name, path, digest or reference."""
    return (
        (any(map(str.isdigit, value)) or is_scrambled(value))
        and any(map(str.isalpha, value))
        and not is_placeholder(value)
        and not is_reference(value)
        and not (
            is_path(value)
            or is_id(value)
            or is_digest(value)
            or is_name(value)
            or is_cursor(value)
            or is_address(value)
            or is_technical(value)
        )
    )


def generated_no_uuid(value: str) -> bool:
    """As `generated`, and no bare UUID."""
    return generated(value) and not is_uuid(value)


def cookie(value: str) -> bool:
    """As `generated`, of what a session is known by; it may be percent-encoded."""
    return generated(_unquoted(value))


def query_key(value: str) -> bool:
    """As `generated_no_uuid`, and no name of a file or of an object in a store."""
    plain = _unquoted(value)
    return (
        generated_no_uuid(plain)
        and not _FILE.search(plain)
        and ("/" not in plain or is_scrambled(plain))
    )


def query_signature(value: str) -> bool:
    """A signature in hex, or in base64 of twenty bytes or more."""
    plain = _unquoted(value)
    return (
        _SIGNATURE.fullmatch(plain) is not None
        and any(map(str.isdigit, plain))
        and generated_no_uuid(plain.lstrip("/"))
    )


def aws_secret(value: str) -> bool:
    """Upper, lower and digit: forty hex digits are a commit."""
    return (
        any(map(str.isupper, value))
        and any(map(str.islower, value))
        and any(map(str.isdigit, value))
        and not is_placeholder(value)
    )


def quoted_bearer(value: str) -> bool:
    """As `plausible`, of what follows the zeros in front; percent-encoded as it is handed out."""
    return "%" in value and not is_placeholder(value.lstrip("A"))


def jwk_part(value: str) -> bool:
    """Characters at random, upper, lower and digits among them."""
    return aws_secret(value) and not is_path(value)


def hex_private_key(value: str) -> bool:
    """64 hex digits, with `0x` before them or not."""
    digits = value.removeprefix("0x")
    return _KEY_DIGITS.fullmatch(digits) is not None and not is_placeholder(value)


def _unquoted(value: str) -> str:
    return _QUOTED.sub(lambda quoted: chr(int(quoted[1], 16)), value)


def signature(value: str) -> bool:
    """Base64 of 32 bytes, percent-encoded or not."""
    plain = _unquoted(value)
    told = _decoded(plain.replace("+", "-").replace("/", "_"))
    return told is not None and len(told) == _SHA256_BYTES and not is_placeholder(value)


def decodes_to_object(lead: str) -> Callable[[str], bool]:
    """A check: what follows `lead` is base64 of a JSON object.

    Args:
        lead: beginning of the token.
    """

    def check(value: str) -> bool:
        told = _decoded(value.removeprefix(lead).rstrip("=").replace("+", "-").replace("/", "_"))
        return told is not None and _is_object(told)

    return check


def _is_object(data: bytes) -> bool:
    try:
        return isinstance(json.decode(data), dict)
    except (DecodeError, UnicodeDecodeError):
        return False


def behind_scheme(value: str) -> bool:
    """As `generated`, of what follows the scheme in a header."""
    return generated(re.split(r"[ =]+[\"']?", value.rstrip("="))[-1])
