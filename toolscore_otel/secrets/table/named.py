"""What only the name tells under which it stands."""

from __future__ import annotations

from toolscore_otel.secrets import checksums
from toolscore_otel.secrets.checks import (
    any_password,
    aws_secret,
    basic_credentials,
    generated,
    generated_no_uuid,
    hex_private_key,
    jwk_part,
    line_password,
    variable_key,
    whole_password,
)
from toolscore_otel.secrets.kind import ESCAPED, QUOTE, Kind, framed
from toolscore_otel.secrets.names import (
    VENDORS,
    names_auth,
    names_aws_secret,
    names_jwk_part,
    names_password,
    names_private_key,
    names_secret,
    names_uuid_secret,
    names_variable_key,
    names_whole_password,
)
from toolscore_otel.secrets.naming import named, opened, paired
from toolscore_otel.secrets.table.alphabets import WORD

_PASSWORDS = "pass|pwd?|psk|kennwort|senha|contrase"
_PASSWORDS_HOLD = ("pass", "pw", "psk", "kennwort", "senha", "contrase")
_WHOLE_PASSWORDS = "passw|passphrase|passcode|[a-z]pass|pwd|kennwort|senha|contrase"
_WHOLE_PASSWORDS_HOLD = ("pass", "pwd", "kennwort", "senha", "contrase")
_WORDS = r"[A-Za-z]{3,12}(?:[ -][A-Za-z]{3,12}){2,11}(?:[ -]?\d{1,4})?"
_DIGITS = r"\d{6,20}"
_ON_LINE = r"[!#-&(-;=?-\[\]-_a-~]{6,80}(?<![.,:;])"
_TYPED = "^\\s\"'`\u2e80-\U0010ffff"
"""What passwords are typed with: no East Asian text, which may follow without a gap."""

_KEY_WORDS = (
    "secret|token|credential|authorization|bearer|(?:api|app|auth|access|secret|private|signing|encryption|master|account|shared"
    "|subscription|service|admin|deploy|webhook|hmac|jwt|storage|license"
    f"|{VENDORS})[ _.-]?key"
    "|(?:devops|hub|lab|ado|azure|ext)[_-]?pat"
)
_KEY_HOLDS = ("secret", "token", "credential", "authorization", "bearer", "key", "pat")

NAMED: tuple[Kind, ...] = (
    named(
        "aws_secret_access_key", "AWS: secret access key", r"aws.{0,20}secret|secret.{0,3}access.{0,3}key", "A-Za-z0-9+/", 40, 40,
        names=names_aws_secret, holds=("secret",), check=aws_secret, sample=f"aws_secret_access_key = {WORD}{{37}}7fK",
    ),
    Kind(
        name="json_web_key",
        about="private key in JSON",
        detect=r"""kty[\\"']{1,8}\s{0,4}:\s{0,4}[\\"']{1,8}(?:RSA|EC|OKP|oct)[\\"']""",
        pattern=rf"""[{{,]\s{{0,9}}{QUOTE}(?P<name>[dk]){QUOTE}\s{{0,4}}:\s{{0,4}}{QUOTE}(?P<secret>[A-Za-z0-9_-]{{32,1400}})(?={QUOTE})""",
        check=jwk_part,
        reach=2000,
        names=names_jwk_part,
        value="[A-Za-z0-9_-]{32,1400}",
        sample=f'{{"kty": "oct", "k": "{WORD}{{43}}"}}',
    ),
    named(
        "docker_auth", "credentials in a Docker configuration", "auth", "A-Za-z0-9+/=", 12, 400, names=names_auth, holds=("auth",),
        check=basic_credentials,
    ),
    named(
        "hex_private_key", "Ethereum: private key", "priv(?:ate)?[_-]?key|signer|deployer", "A-Fa-f0-9x", 64, 66,
        names=names_private_key, holds=("priv", "signer", "deployer"), check=hex_private_key, sample="PRIVATE_KEY=0x[0-9a-f]{64}",
    ),
    named(
        "wif_private_key", "Bitcoin: private key in import format", "priv(?:ate)?[_-]?key|wif|wallet(?:[_-]?(?:key|secret))?", "1-9A-HJ-NP-Za-km-z", 51, 52,
        names=names_private_key, holds=("priv", "wif", "wallet"), check=checksums.wif,
    ),
    framed(
        "wif_private_key", "Bitcoin: private key in import format", r"(?i:credential|wallet|wif|key|importpriv\w{0,3})(?:\s\(|: ?|\s{1,2}[\"']?)",
        "[5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])", "[5KL9c][1-9A-HJ-NP-Za-km-z]{50}", check=checksums.wif,
    ),
    framed(  # with brackets and the like in it, up to the end of its line
        "password_assignment", "password under its name",
        r"(?P<name>[A-Za-z0-9_-]{0,40}(?i:passw(?:or)?d|passphrase|_pass|pwd)[A-Za-z0-9_]{0,12})(?:=|:\s(?![*&!|>%@\[\]{}]))", _ON_LINE,
        r"[!#-&(-;=?-\[\]-_a-~]{6}", left=rf"(?:(?<!\S)|{ESCAPED})", after=r"(?=[ \t]{0,4}(?:[\r\n]|\\{1,3}[rn]|\Z))", names=names_password,
        check=line_password, reach=160, tentative=True, detect=r"(?i:passw(?:or)?d|passphrase|_pass|pwd)[A-Za-z0-9_]{0,12}[=:]\s?[!#-&(-;=?-\[\]-_a-~]{6}",
    ),
    opened(  # before the next, which takes the first word of a phrase for all of it
        "password_assignment", "password under its name", _WHOLE_PASSWORDS, rf"{_WORDS}|{_DIGITS}", _DIGITS,
        least=r"""\d{6}|[A-Za-z]{3,12}[ -][A-Za-z]{3}|[^\s"']{2,24} [^\s"']""", least_bare=r"\d{6}",
        value=r"[^\r\n]{6,160}", names=names_whole_password, holds=_WHOLE_PASSWORDS_HOLD, check=whole_password,
    ),
    named(
        "password_assignment", "password under its name", _PASSWORDS, _TYPED, 6, 160, names=names_password, holds=_PASSWORDS_HOLD,
        check=any_password, sample=f"password={WORD}{{13}}7fK",
    ),
    paired(
        "password_assignment", "password under its name", _PASSWORDS, _TYPED, 6, 160, names=names_password, holds=_PASSWORDS_HOLD,
        check=any_password,
    ),
    named(
        "secret_assignment", "key or token under its name", _KEY_WORDS, r"A-Fa-f0-9-", 36, 36, names=names_uuid_secret, holds=_KEY_HOLDS,
        check=generated,
    ),
    paired(
        "secret_assignment", "key or token under its name", _KEY_WORDS, r"A-Fa-f0-9-", 36, 36, names=names_uuid_secret, holds=_KEY_HOLDS,
        check=generated,
    ),
    named(
        "secret_assignment", "key or token under its name", _KEY_WORDS, r"A-Za-z0-9_+/.=~!@#%^*:|$&()\-", 16, 400,
        names=names_secret, holds=_KEY_HOLDS, check=generated_no_uuid, sample=f"API_TOKEN={WORD}{{29}}4bQ",
    ),
    paired(
        "secret_assignment", "key or token under its name", _KEY_WORDS, r"A-Za-z0-9_+/.=~!@#%^*:$&()\-", 16, 400,
        names=names_secret, holds=_KEY_HOLDS, check=generated_no_uuid,
    ),
    named(
        "secret_assignment", "key or token under its name", "_key", "A-Za-z0-9_+/=-", 32, 200, names=names_variable_key, holds=("_key",),
        check=variable_key,
    ),
)  # fmt: skip
