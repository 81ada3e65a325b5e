"""Which names say that a secret stands under them. The last word of a name decides: `api_token` yes, `token_type` no."""

from __future__ import annotations

import re

_NOT_A_LETTER = re.compile(r"[^a-z0-9]+")
_QUALIFIER = r"(?:value|val|string|prod|production|dev|staging|live|test|raw|old|new|current|base64|b64|base|v?\d+)*$"
_PASSWORD = re.compile(
    r"(?:password|passwd|passphrase|passcode|passwort|kennwort|senha|contrasea"
    r"|(?:user|db|root|admin|smtp|pg|ftp|mail|email|ssh|auth|become|ldap|redis|mysql|sql|key|store|vnc|wifi|bind|proxy"
    r"|login|sudo|ci)pass)"
    r"(?:confirmation|confirm|again|repeat|field|input|box|textbox)?" + _QUALIFIER
)
_PASSWORD_WORD = re.compile(r"(?:^|[^A-Za-z])(?i:pass|pwd|pw|psk)\d?$|[a-z](?:Pass|Pwd)\d?$")
_SECRET = re.compile(
    r"(?:secret|token|credentials?|authorization"
    r"|(?:api|app|auth|access|secret|private|signing|encryption|encrypt|master|account|shared|subscription|service"
    r"|admin|deploy|webhook|hmac|jwt|storage|license)key)" + _QUALIFIER
)
_NO_SECRET = re.compile(
    r"(?:page|middleware|starting|change|next|prev|previous|cursor|continuation|continue|pagination|scroll|sync|resume|csrf|xsrf|idempotency"
    r"|correlation|cancel|cancellation|client|request|confirmation|pad|padding|eos|bos|unk|mask|sep|cls|stop|special|eot"
    r"|start|end|first|last|image|public|publishable|site|design|primary|foreign)token"
    r"|(?:public|publishable|primary|foreign|partition|sort|cache|idempotency|site)(?:api|access|app)?key"
)
_UUID_SECRET = re.compile(r"secret|(?:access|refresh|api|auth|bearer|bot|app|service)(?:token|key)")
_AWS_SECRET = re.compile(r"(?:aws|s3|minio).{0,20}secret|secret.{0,3}access.{0,3}key")
_PRIVATE_KEY = re.compile(r"priv(?:ate)?key|wif$|signerkey|deployerkey")
_MAY_TELL = re.compile(
    r"pass|pwd|pw|psk|kennwort|senha|contrase|secret|token|key|credential|auth|cookie|wif",
    re.IGNORECASE,
)


def may_tell(name: str) -> bool:
    """Whether a name is worth to be asked at all; quick."""
    return _MAY_TELL.search(name) is not None


def _letters(name: str) -> str:
    return _NOT_A_LETTER.sub("", name.lower())


def names_password(name: str) -> bool:
    """Whether a password stands under this name: `password`, `DB_PASS`, `userPwd`; not `password_hash`."""
    return _PASSWORD.search(_letters(name)) is not None or _PASSWORD_WORD.search(name) is not None


def names_secret(name: str) -> bool:
    """Whether a key or a token stands under this name: `apiToken`, `JWT_SECRET`; not `next_page_token`, `secret_id`, `AWS::ApiKey`."""
    letters = _letters(name)
    return (
        _SECRET.search(letters) is not None
        and _NO_SECRET.search(letters) is None
        and "::" not in name
    )


def names_uuid_secret(name: str) -> bool:
    """Whether even a bare UUID under this name is a secret: `client_secret`, `access_token`; not `token`."""
    return names_secret(name) and _UUID_SECRET.search(_letters(name)) is not None


def names_aws_secret(name: str) -> bool:
    """Whether an AWS secret access key stands under this name: `AWS_SECRET_ACCESS_KEY`, `aws_secret_key`."""
    return names_secret(name) and _AWS_SECRET.search(_letters(name)) is not None


def names_private_key(name: str) -> bool:
    """Whether the private key of a wallet stands under this name: `PRIVATE_KEY`, `deployerPrivKey`, `wif`."""
    return _PRIVATE_KEY.search(_letters(name)) is not None


def names_auth(name: str) -> bool:
    """Whether encoded credentials stand under this name: `auth`, as in Docker's configuration; `_auth`, as in npm's."""
    return _letters(name).endswith("auth")


def names_authorization(name: str) -> bool:
    """Whether it is the header `Authorization`, or one like it (`Proxy-Authorization`)."""
    return _letters(name).endswith("authorization")
