"""Which names say that a secret stands under them. The last word of a name decides: `api_token` yes, `token_type` no."""

from __future__ import annotations

import re

_NOT_A_LETTER = re.compile(r"[^a-z0-9]+")
_QUALIFIER = r"(?:value|val|string|prod|production|dev|staging|live|test|raw|old|new|current|base64|b64|base|v?\d+)*$"
_PASSWORD = re.compile(
    r"(?:password|passwd|passphrase|passcode|passwort|kennwort|senha|contrasea|motdepasse"
    r"|(?:user|db|root|admin|smtp|pg|ftp|mail|email|ssh|auth|become|ldap|redis|mysql|sql|key|store|vnc|wifi|bind|proxy"
    r"|login|sudo|ci|require)pass|(?:bind|root|user|db|admin|ldap|my)pw)s?"
    r"(?:confirmation|confirm|again|repeat|field|input|box|textbox)?" + _QUALIFIER
)
_PASSWORD_ABROAD = re.compile(r"密码|密碼|口令|パスワード|비밀번호|пароль", re.IGNORECASE)
_PASSWORD_WORD = re.compile(r"(?:^|[^A-Za-z])(?i:pass|pwd|pw|psk)\d?$|[a-z](?:Pass|Pwd)\d?$")
_NO_PASSWORD = re.compile(
    r"(?:boarding|ski|day|season|bus|rail|travel|event|first|second|last|next|single|render|low|high|band|by|over|under|com)pass\d?$"
)
_ABOUT_PASSWORDS = re.compile(
    r"(?:wrong|invalid|bad|incorrect|fail|failed|missing|forgot|forgotten|reset|expired|changed|weak|empty|no|err|error)pass"
)
"""Counts, states and messages stand under such names."""

VENDORS = "openai|anthropic|gemini|mistral|cohere|groq|deepseek|sendgrid|stripe|twilio|datadog|cosmos|maps"
"""Whose keys are called by their name alone."""

_SECRET = re.compile(
    r"(?:token|authorization|bearer|(?:^|access|refresh|api|auth|bearer|bot)tokens|(?:secret|credential"
    r"|(?:api|app|auth|access|secret|private|signing|encryption|encrypt|master|account|shared|subscription|service"
    rf"|admin|deploy|webhook|hmac|jwt|storage|license|{VENDORS})key"
    r"|(?:devops|github|gitlab|git|ado|azure|ext|bitbucket)pat)s?)" + _QUALIFIER
)
_NO_SECRET = re.compile(
    r"(?:page|opaquelock|delta|after|before|middleware|starting|change|next|prev|previous|cursor|continuation|continue|pagination|scroll|sync|resume|csrf|xsrf|idempotency"
    r"|correlation|cancel|cancellation|client|request|confirmation|pad|padding|eos|bos|unk|mask|sep|cls|stop|special|eot"
    r"|start|end|first|last|image|requestverification|authenticity|antiforgery|public|publishable|site|design|primary|foreign)token"
    r"|(?:public|publishable|primary|foreign|partition|sort|cache|idempotency|site)(?:api|access|app)?key"
)
_UUID_SECRET = re.compile(
    r"(?:secret|token|(?:access|refresh|api|auth|bearer|bot|app|service|server|encryption|master|admin)key)(?!s)"
)
_UUID_ID = re.compile(
    r"(?:task|request|trace|page|lock|sequence|device|push|payment|invite|invitation|unsubscribe|message|job|run|event|order|item|receipt|upload|download"
    r"|form|transaction|lease|fencing|claim|reservation|queue|tracking|share|operation|verification|registration|activation|checkout|cart|batch|step|activity"
    r"|workflow|execution|callback|state|watch|version|subscription|room|meeting|call|poll|stream|shard|node|worker|process|instance|group|span|conversation"
    r"|thread|file|document|object|record|row|reference|ref|id|user|customer|deduplication|dedup|replay|retry|progress)token"
)
"""What is no secret, but tells which of many, and may be a UUID."""

_VARIABLE_KEY = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_KEY")
_NO_VARIABLE_KEY = re.compile(
    r"PUB(?:LIC|LISHABLE)?_|(?:^|_)(?:CACHE|PRIMARY|FOREIGN|PARTITION|SORT|IDEMPOTENCY|ROUTING|S3|OBJECT|REDIS|UNIQUE|HASH|LOOKUP|INDEX|GROUP|DEDUP"
    r"|DEDUPLICATION|STORE|MAP|SITE|CONFIG|FEATURE|FLAG|I18N|TRANSLATION|QUERY|ROW|RECORD|ENTITY|LOCK|QUEUE|TOPIC|MESSAGE|EVENT|TRACE|REQUEST|JOB|TASK|ITEM|FILE"
    r"|BLOB|BUCKET|PATH|ISSUE|PROJECT|PAGE|PRODUCT|KMS|HOST|SSH|GPG|PGP|APT|REPO|RELEASE|VERIFY|VERIFICATION|COMMIT|BUILD|RESTORE|CHECKSUM|DIGEST|CONTENT|ETAG"
    r"|VERSION|TREE|LAYER|IMAGE|ASSET|RESULT|DATA|SESSION_STORE|SHARD|NODE|CLIENT|APP|USER|ID)_KEY$"
)
_AWS_SECRET = re.compile(r"(?:aws|s3|minio).{0,20}secret|secret.{0,3}access.{0,3}key")
_PRIVATE_KEY = re.compile(r"priv(?:ate)?key|wif$|wallet(?:key|secret)?$|signerkey|deployerkey")
_SESSION = re.compile(r"sess|sid$|^sid|auth|token|jwt|login|remember|identity|ticket")
_QUERY_KEY = re.compile(r"(?:(?:params|query)\.)?(?:key|appid|sig|signature)", re.IGNORECASE)
MAY_TELL = "(?:pass|pwd|pw|psk|kennwort|senha|contrase|secret|token|key|credential|auth|bearer|cookie|wif|wallet)"
"""One of these stands in all names that tell."""

_MAY_TELL = re.compile(
    rf"{MAY_TELL}|^(?:params|query)\.|^[dk]$|{_PASSWORD_ABROAD.pattern}",
    re.IGNORECASE,
)


def may_tell(name: str) -> bool:
    """Whether a name is worth to be asked at all; quick."""
    return _MAY_TELL.search(name) is not None


def _letters(name: str) -> str:
    return _NOT_A_LETTER.sub("", name.lower())


def names_password(name: str) -> bool:
    """Whether a password stands under this name: `password`, `DB_PASS`, `userPwd`; not `password_hash`."""
    letters = _letters(name)
    if _PASSWORD.search(letters) is not None or _PASSWORD_ABROAD.fullmatch(name) is not None:
        return True
    return _PASSWORD_WORD.search(name) is not None and _NO_PASSWORD.search(letters) is None


def names_whole_password(name: str) -> bool:
    """Whether all of what stands under this name is a password, be it words or digits: not `pass`, not `wrong_password`."""
    letters = _letters(name)
    if _PASSWORD_ABROAD.fullmatch(name) is not None or letters == "pwd":
        return True
    return _PASSWORD.search(letters) is not None and _ABOUT_PASSWORDS.search(letters) is None


def names_secret(name: str) -> bool:
    """Whether a key or a token stands under this name: `apiToken`, `JWT_SECRET`; not `next_page_token`, `secret_id`, `AWS::ApiKey`."""
    letters = _letters(name)
    return (
        _SECRET.search(letters) is not None
        and _NO_SECRET.search(letters) is None
        and "::" not in name
    )


def names_uuid_secret(name: str) -> bool:
    """Whether even a bare UUID under this name is a secret: `client_secret`, `ACME_TOKEN`; not `token`, `task_token`."""
    letters = _letters(name)
    return (
        letters != "token"
        and names_secret(name)
        and _UUID_SECRET.search(letters) is not None
        and _UUID_ID.search(letters) is None
    )


def names_uuid_option(name: str) -> bool:
    """Whether even a bare UUID behind this option of a command is a secret: `--token` is one, too."""
    return _letters(name) == "token" or names_uuid_secret(name)


def names_variable_key(name: str) -> bool:
    """Whether it is a variable of the environment that a key stands in: `ACME_KEY`; not `CACHE_KEY`, `NEXT_PUBLIC_ACME_KEY`."""
    return _VARIABLE_KEY.fullmatch(name) is not None and _NO_VARIABLE_KEY.search(name) is None


def names_aws_secret(name: str) -> bool:
    """Whether an AWS secret access key stands under this name: `AWS_SECRET_ACCESS_KEY`, `aws_secret_key`."""
    return names_secret(name) and _AWS_SECRET.search(_letters(name)) is not None


def names_private_key(name: str) -> bool:
    """Whether the private key of a wallet stands under this name: `PRIVATE_KEY`, `deployerPrivKey`, `wif`."""
    return _PRIVATE_KEY.search(_letters(name)) is not None


def names_auth(name: str) -> bool:
    """Whether encoded credentials stand under this name: `auth`, as in Docker's configuration; `_auth`, as in npm's."""
    return _letters(name).endswith("auth")


def names_cookie(name: str) -> bool:
    """Whether a session stands under this name of a cookie: `session`, `connect.sid`; not `csrftoken`."""
    letters = _letters(name)
    return _SESSION.search(letters) is not None and "csrf" not in letters and "xsrf" not in letters


def names_entry_of_cookies(name: str) -> bool:
    """Whether it is such a name in an object or a list of cookies, `cookies.session`, with anything between the two words."""
    first, _, last = name.rpartition("cookies" if "cookies" in name else "Cookies")
    return not first and name != last and names_cookie(last)


def names_cookies(name: str) -> bool:
    """Whether it is the header `Cookie` or `Set-Cookie`."""
    return _letters(name) in {"cookie", "setcookie"}


def names_query_key(name: str) -> bool:
    """Whether a key stands under this name among the parameters of a request: `params.key`."""
    return _QUERY_KEY.fullmatch(name) is not None


def names_jwk_part(name: str) -> bool:
    """Whether it is the private part of a JSON Web Key."""
    return name in {"d", "k"}


def names_authorization(name: str) -> bool:
    """Whether it is the header `Authorization`, or one like it (`Proxy-Authorization`)."""
    return _letters(name).endswith("authorization")
