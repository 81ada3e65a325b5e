"""What has the form of a secret and is none: placeholders, masked values, references, names, paths, ids.

All functions take a value and answer whether it is such a look-alike.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as NotBase64
from hashlib import blake2b
from string import ascii_letters
from zlib import crc32

from toolscore_otel.secrets.letters import are_drawn

_STAND_INS = (
    *("example", "placeholder", "changeme", "changeit", "dummy", "sample", "notreal", "notareal", "redacted"),
    *("k7mdeng", "iosfodnn7", "12345678", "87654321", "abcdef12", "abcdefgh", "qwertyui", "jbswy3dpehpk3pxp", "xxxxx", "***", "..."),
)  # fmt: skip
"""What stands in a value that somebody made up: without hyphens and underscores, in lower case."""

_YOURS = re.compile(r"your(?:own|api|key|token|secret|pass|auth|access|app)")
_MASK = re.compile(r"[•●…]|\[(?:filtered|masked|hidden)")
_ASIDE = re.compile(
    r"[(<\[{]+[A-Za-z][A-Za-z' _-]*[)>\]}]+"
    r"|[\W_]*(?i:hidden|masked|omitted|removed|filtered|suppressed|withheld|scrubbed|obfuscated|not[ _-]?(?:shown|set))[\W_]*"
)

_WITH_GAP = ("replace-", "replace_", "insert-", "insert_")
_ASIDE_CHARS = 60  # what somebody says instead is no longer
_RUN = re.compile(r"(.)\1{6}")
_RUN_REST = 6
_PAIR = re.compile(r"(.)\1")
_PAIR_STEP = 3  # of a run, each third character at least twice
_REFERENCE = re.compile(
    r"""
    [$<{\[]                                     # $VAR, <token>, {token}, [token]
    | %\w+%\Z | %\(\w+\)                         # %VAR%, %(var)s
    | ! (?:secret|vault|ref|sub|env) \b
    | (?:op|vault|ref\+\w+|awssm|gcpsm|azurekv|keyring|file) ://
    | (?:env|vault|ssm|secretsmanager|sops|kms|file|sm):
    | @@ | \#\{ | ENV\[ | [a-z]{0,12}Secrets?Manager:
    | arn:aws | ENC\[ | @Microsoft\.KeyVault
    | (?:os|sys)\.(?:environ|getenv)\b | process\.env\b | (?:import\.meta\.)?env\. | secrets?\.[A-Z_]+$
    | projects/[^/]+/secrets/
    | (?:Read|Get|New|Import|ConvertTo|ConvertFrom)-[A-Z]+\Z    # PowerShell
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TEMPLATE = re.compile(r"\$\{|\$\(|\{\{|\}\}|<%|%>")
_CALL = re.compile(r"[A-Za-z_][\w.]*\(")
_PATH = re.compile(
    r"[~@]?/(?!.*[+=]|[A-Za-z0-9/]{24,}\Z)|\.{1,2}/|[A-Za-z]:\\|[a-z][a-z0-9+.-]*://", re.DOTALL
)
_ID = re.compile(
    r"(?:call|toolu|tooluse|srvtoolu|chatcmpl|cmpl|ftjob|conv|sess|run|msg|resp|req|rs|fc|vs|file|asst|thread|step|batch|ft|cus|pi|pm|ch|evt|sub|in|seti"
    r"|price|acct|cs|txn|re|src|si|il|ii|po|ba|card|tok|pk|phc|sb_publishable|pub|client|org|proj)"
    r"[_-](?:live_|test_)?[A-Za-z0-9]|pk\.eyJ|[a-z]{3,20}:[0-9a-f]{16,}\Z"
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_DIGEST = re.compile(
    r"(?:sha(?:1|224|256|384|512)|md5)[-:=_~$]|md5[0-9a-f]{32}\Z|h1:|AWS4-HMAC|blake[23]"
    r"|(?:pbkdf2|scrypt|argon2|bcrypt|scram-sha)[A-Za-z0-9_-]{0,10}[$:]",
    re.IGNORECASE,
)
_IDENTIFIER_PATH = re.compile(r"[A-Za-z_]\w{0,23}(?:\.[A-Za-z_]\w{0,23})*")
_CASE_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_FEW_PIECES = 3
_WORD_LENGTH = 3  # letters, on average; words in code have more
_CODE_PATH = re.compile(r"[A-Za-z_]+(?:\d{1,2}[A-Za-z_]*)?(?:\.[A-Za-z_]+(?:\d{1,2}[A-Za-z_]*)?)+")
_TYPE = re.compile(r"Private|Public|Secret|Token|Credential|Config")
_ONE_WORD = re.compile(
    r"[a-z]{8,}\d{0,2}|(?:[a-z]+-){2,}[a-z0-9]{5}"
)  # the second: names that Kubernetes gives
_WORD = re.compile(r"[A-Z]?[a-z]{0,14}|[A-Z]{1,14}|\d{1,4}|[a-z]{1,10}\d{1,2}|v\d+")

_TECHNICAL = re.compile(
    r"""
    (?:argon2(?:id?|d)?|bcrypt|scrypt|pbkdf2|hmac|sha-?\d{1,3}|md5|aes-?\d{3}|rsa-?\d{4}|[rehp]s\d{3}|ed25519|tlsv?\d(?:\.\d)?|utf-?\d{1,2}
        |base64(?:url)?|x86|arm64|amd64)\d{0,2}(?:[-_](?:[a-z]{2,8}\d{0,3}|n?\d{1,5})){0,4}      # algorithms, architectures
    | v?\d{1,4}(?:\.\d{1,4}){1,3}(?:[-+.](?:rc|alpha|beta|dev|snapshot|post|pre|build)[.-]?\d{0,4})?  # versions
    | (?:\d{1,3}(?:\.\d{1,3}){3}|localhost|[a-z][a-z0-9]*(?:[.-][a-z][a-z0-9]*)+):\d{2,5}          # hosts and ports
    | \d{4}-\d\d-\d\d[t_ ]\d\d:?\d\d(?::?\d\d)?(?:[.,]\d{1,9})?(?:z|[+-]\d\d:?\d\d)?|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?
    | [\w./-]+\.[a-z]{1,4}:\d{1,5}(?::\d{1,5})?                                                  # lines of files
    | cve-\d{4}-\d{4,7} | (?:us|eu|ap|sa|ca|me|af|il|cn)-(?:north|south|east|west|central)[a-z]{0,5}-\d | [a-z]{3,10}-20\d{6}(?:\.\d{1,4})?
    """,
    re.VERBOSE | re.IGNORECASE,
)

# Credentials out of vendors' documentation: blake2b, 8 bytes, so that they do not stand here.
_PUBLISHED = frozenset(
    {
        "ffae33b34d08957f",  # Google Maps
        "826e0fd9a88ef5e1",  # Stripe
        "2e12236193731ba6",  # Stripe
        "20e88191d76dc156",  # Azure storage emulator
        "76449d3eb6d5ca57",  # Azure Cosmos DB emulator
        "bec7da02be091c9c",  # Telegram
    }
)
_PUBLISHED_SUMS = frozenset(
    {0x776DE070, 0x396D8142, 0xB4CBD586, 0x87707360, 0x2831AFE3, 0xB4A1FFD1}
)


def is_placeholder(value: str) -> bool:
    """Somebody's stand-in: `YOUR_API_KEY`, `xxxx`, `...EXAMPLE`, few different characters, a row of digits, a mask."""
    lowered = value.lower()
    is_word = value.isalnum()
    plain = lowered if is_word else lowered.replace("-", "").replace("_", "").replace(" ", "")
    for word in _STAND_INS:
        if word in plain:
            return True
    if ("your" in plain and _YOURS.search(plain)) or (
        not is_word
        and (
            ((not value.isascii() or "[" in value) and _MASK.search(plain))
            or (len(value) <= _ASIDE_CHARS and _ASIDE.fullmatch(value))
        )
    ):
        return True
    different = len(set(value))
    return (
        different < min(8, (len(value) + 1) // 3)
        or (different <= len(value) - _RUN_REST and _has_run(value))
        or (("replace" in plain or "insert" in plain) and any(map(lowered.__contains__, _WITH_GAP)))
        or _is_published(value)
    )


def _has_run(value: str) -> bool:
    return _PAIR.search(value[::_PAIR_STEP]) is not None and _RUN.search(value) is not None


def _is_published(value: str) -> bool:
    data = value.encode("utf-8", "replace")
    return crc32(data) in _PUBLISHED_SUMS and blake2b(data, digest_size=8).hexdigest() in _PUBLISHED


def is_reference(value: str) -> bool:
    """It says where the secret is: `${VAR}`, `os.environ[...]`, `op://...`, `{{ template }}`, a call."""
    return (
        _REFERENCE.match(value) is not None
        or _TEMPLATE.search(value) is not None
        or _CALL.match(value) is not None
    )


def is_path(value: str) -> bool:
    """A path of a file system, or a URL."""
    return _PATH.match(value) is not None


def is_id(value: str) -> bool:
    """An id of an API object (`call_...`, `cus_...`), or a key that is public by design (`pk_live_...`)."""
    return _ID.match(value) is not None


def is_uuid(value: str) -> bool:
    """A bare UUID."""
    return _UUID.fullmatch(value) is not None


def is_address(value: str) -> bool:
    """The address of a contract or a wallet: `0x` and forty hex digits."""
    return _ADDRESS.fullmatch(value) is not None


def is_digest(value: str) -> bool:
    """A digest that says so: `sha256:...`, `sha512-...`, `h1:...`."""
    return _DIGEST.match(value) is not None


def is_identifier(value: str) -> bool:
    """A name in code, without digits: `settings.api_token`, `newPassword`; not letters in random case."""
    return (
        _IDENTIFIER_PATH.fullmatch(value) is not None
        and not any(map(str.isdigit, value))
        and not is_scrambled(value)
    )


def is_scrambled(value: str) -> bool:
    """Letters that change case too often to be words, or that end in letters which follow each other as in no word."""
    pieces = _CASE_PIECE.findall(value)
    if len(pieces) > _FEW_PIECES and sum(map(len, pieces)) < _WORD_LENGTH * len(pieces):
        return True
    return are_drawn(value[len(value.rstrip(ascii_letters)) :])


def is_name(value: str) -> bool:
    """A name made of words: `prod-database-secret-2`, `kv/data/billing`, `utf8.Codec`, `Ed25519PrivateKey`."""
    if _TYPE.search(value) or _ONE_WORD.fullmatch(value):
        return True
    if _CODE_PATH.fullmatch(value) and not is_scrambled(value):
        return True
    parts = re.split(r"[-_./: ]", value)
    return len(parts) > 1 and all(_WORD.fullmatch(part) for part in parts)


def is_technical(value: str) -> bool:
    """What stands in logs and settings beside secrets: an algorithm, a version, a host with its port, a moment, a line of a file."""
    return _TECHNICAL.fullmatch(value) is not None


def is_cursor(value: str) -> bool:
    """Base64 of a JSON object: where a listing goes on, not who may."""
    if not value.startswith("eyJ") or "." in value:
        return False
    try:
        return b64decode(value + "=" * (-len(value) % 4), altchars=b"-_").lstrip().startswith(b'{"')
    except NotBase64:
        return False
