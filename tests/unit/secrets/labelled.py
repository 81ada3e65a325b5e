"""Arguments of tool calls, labelled: secrets of every kind in every wrapping, and what only looks like one.

Nothing of it stands in a file: values are drawn from a seed, and the texts around them are put together here.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from random import Random  # noqa: TID251 - seeded
from typing import NamedTuple
from urllib.parse import quote
from uuid import UUID

from tests.unit.secrets.labelled_web import (
    MORE_LOOKALIKES,
    MORE_PASSWORDS,
    MORE_TOKENS,
)
from toolscore_otel.secrets.kinds import KINDS, TABLE
from toolscore_otel.secrets.samples import make_sample

SURROUNDED = frozenset(kind.name for kind in TABLE if kind.prefix is None) - {"jwt"}
FORMED = tuple(kind for kind in KINDS if kind not in SURROUNDED)
LOWER, DIGITS = "abcdefghijklmnopqrstuvwxyz", "0123456789"
WORD = LOWER + LOWER.upper() + DIGITS
HEX = "0123456789abcdef"
BASE64 = WORD + "+/"


class Line(NamedTuple):
    """One argument attribute.

    Attributes:
        text: valid JSON.
        secrets: the values in it, decoded.
        what: how they stand there, or what it looks like.
    """

    text: str
    secrets: tuple[str, ...]
    what: str


def drawn(r: Random, alphabet: str, length: int) -> str:
    return "".join(r.choices(alphabet, k=length))


def _json(key: str, text: str) -> str:
    return json.dumps({key: text}, ensure_ascii=False)


Wrap = Callable[[Random, str], str]

WRAPS: dict[str, Wrap] = {
    "bare": lambda r, v: json.dumps({"value": v}),
    "list": lambda r, v: json.dumps({"items": ["a", v, 3]}),
    "deep": lambda r, v: json.dumps({"a": {"b": [{"c": {"d": v}}]}}),
    "json in json": lambda r, v: _json("body", json.dumps({"config": {"x": v, "n": 1}})),
    "json in json in json": lambda r, v: _json("q", json.dumps({"b": json.dumps({"c": "t\n" + v})})),
    "line feed": lambda r, v: json.dumps({"content": f"# setup\n{v}\n"}),
    "tab": lambda r, v: json.dumps({"content": f"key\t{v}\tend"}),
    "unicode escape": lambda r, v: json.dumps({"content": f"キー：{v}。以上"}),  # noqa: RUF001
    "asian neighbours": lambda r, v: _json("text", f"トークンは「{v}」です"),
    "asian without a gap": lambda r, v: _json("text", f"密钥：{v}，请保存"),  # noqa: RUF001
    "single quotes": lambda r, v: _json("code", f"client = Client('{v}')"),
    "backticks": lambda r, v: _json("text", f"use `{v}` for it"),
    "dict repr": lambda r, v: _json("input", str({"headers": {"x-key": v}, "ok": True})),
    "toml": lambda r, v: _json("new_str", f'[remote]\nurl = "https://svc.example.net"\nkey = "{v}"\n'),
    "yaml": lambda r, v: _json("content", f"remote:\n  url: https://svc.example.net\n  key: {v}\n"),
    "yaml list": lambda r, v: _json("content", f"keys:\n  - {v}\n  - none\n"),
    "ini": lambda r, v: _json("content", f"[main]\nkey={v}\nmode=fast\n"),
    "env": lambda r, v: _json("content", f"PORT=80\nX_VALUE={v}\nDEBUG=1\n"),
    "export": lambda r, v: _json("command", f"export X_VALUE={v} && make deploy"),
    "docker env": lambda r, v: _json("command", f"docker run --rm -e X_VALUE={v} r.example.net/job:1.4"),
    "dockerfile": lambda r, v: _json("content", f"FROM x\nENV X_VALUE {v}\nRUN make\n"),
    "kubernetes": lambda r, v: json.dumps({"env": [{"name": "X_VALUE", "value": v}]}),
    "curl header": lambda r, v: _json("command", f"curl -H 'X-Auth: {v}' https://svc.example.net/v1"),
    "wget header": lambda r, v: _json("command", f'wget -q --header="X-Auth: {v}" https://svc.example.net'),
    "http": lambda r, v: _json("raw", f"GET /v1 HTTP/1.1\r\nHost: a.example.net\r\nX-Auth: {v}\r\n\r\n"),
    "query": lambda r, v: _json("request", f"GET /v1/search?apikey={v} HTTP/1.1\r\nHost: a\r\n"),
    "query quoted": lambda r, v: _json("url", f"https://svc.example.net/?k={quote(v, safe='')}&page=2"),
    "parentheses": lambda r, v: _json("note", f"credential ({v})"),
    "sentence": lambda r, v: _json("note", f"The one to use is {v}."),
    "comma": lambda r, v: _json("row", f"alice,{v},admin"),
    "semicolon": lambda r, v: _json("row", f"a={v};b=2"),
    "xml": lambda r, v: _json("doc", f"<cfg><v>{v}</v></cfg>"),
    "markdown": lambda r, v: _json("text", f"| key | {v} |\n|---|---|\n"),
    "chat": lambda r, v: _json("messages", f"use this one → {v} ✓ thanks"),
    "kotlin": lambda r, v: _json("snippet", f'val remote = "{v}" // TODO move'),
    "call": lambda r, v: _json("code", f"connect(host, {json.dumps(v)}, 3)"),
    "diff": lambda r, v: _json("diff", f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+{v}\n"),
    "log": lambda r, v: _json("log", f"2026-01-02T03:04:05Z INFO auth with {v} ok"),
    "base64": lambda r, v: _json("data", b64encode(f"{drawn(r, LOWER, r.randrange(3, 9))} {v}".encode()).decode()),
    "key name": lambda r, v: json.dumps({"auth": {"clientSecretValue": v}}),
    "two": lambda r, v: json.dumps({"servers": [{"env": {"A": v}}, {"env": {"B": "plain"}}]}),
}  # fmt: skip

PASSWORDS: dict[str, Wrap] = {
    **{f"{what}, too": wrap for what, wrap in MORE_PASSWORDS.items()},
    "key": lambda r, v: json.dumps({r.choice(("password", "Password", "db_password", "dbPassword", "PGPASSWORD", "smtp_pass", "passwd", "rootPwd", "passphrase")): v}),
    "nested": lambda r, v: json.dumps({"db": {"host": "h", "password": v}}),
    "json in json": lambda r, v: _json("body", json.dumps({"user": "a", "password": v})),
    "env": lambda r, v: _json("content", f"DB_HOST=db\nDB_PASSWORD={v}\n"),
    "env quoted": lambda r, v: _json("content", f"DB_HOST=db\nDB_PASSWORD='{v}'\n"),
    "yaml": lambda r, v: _json("content", f"db:\n  user: app\n  password: {v}\n"),
    "yaml quoted": lambda r, v: _json("content", f'db:\n  password: "{v}"\n'),
    "toml": lambda r, v: _json("content", f'[db]\npassword = "{v}"\n'),
    "ini": lambda r, v: _json("content", f"[client]\nuser = root\npassword = {v}\n"),
    "dict repr": lambda r, v: _json("input", str({"user": "a", "password": v})),
    "python": lambda r, v: _json("code", f'conn = connect(user="a", password="{v}")'),
    "kotlin": lambda r, v: _json("code", f'val dbPassword: String = "{v}"'),
    "docker": lambda r, v: _json("command", f"docker run -e POSTGRES_PASSWORD={v} postgres:16"),
    "dockerfile": lambda r, v: _json("content", f"FROM x\nENV DB_PASSWORD {v}\n"),
    "jdbc": lambda r, v: _json("url", f"jdbc:sqlserver://h;user=app;password={v};"),
    "ado": lambda r, v: _json("cs", f"Server=db;Database=x;User Id=sa;Pwd={v};"),
    "odbc": lambda r, v: _json("cs", f"host=db user=app password={v} dbname=x"),
    "list flag": lambda r, v: json.dumps(["mysql", "--password", v]),
    "flag": lambda r, v: _json("command", f"mongosh --host m1 --password {v}"),
    "flag equals": lambda r, v: _json("command", f"mysqldump --password={v} --user=root db"),
    "sshpass": lambda r, v: _json("command", f"sshpass -p {v} ssh root@10.0.0.7 uptime"),
    "mysql": lambda r, v: _json("command", f"mysql -u root -p{v} shop"),
    "curl": lambda r, v: _json("command", f"curl -fsSL -u 'bot:{v}' https://a.example.net/x.jar"),
    "curl bare": lambda r, v: _json("command", f"curl --user bot:{v} https://a.example.net"),
    "sql": lambda r, v: _json("sql", f"CREATE USER app WITH PASSWORD '{v}'"),
    "sql identified": lambda r, v: _json("sql", f"ALTER USER 'a'@'%' IDENTIFIED BY '{v}';"),
    "url": lambda r, v: _json("dsn", f"postgresql://app:{quote(v, safe='')}@db.example.net:5432/x"),
    "url redis": lambda r, v: _json("dsn", f"redis://:{quote(v, safe='')}@cache:6379/0"),
    "url https": lambda r, v: _json("pip", f"--extra-index-url https://bot:{quote(v, safe='')}@pypi.example.net/simple"),
    "basic": lambda r, v: _json("hdr", "Authorization: Basic " + b64encode(f"ci:{v}".encode()).decode()),
    "netrc": lambda r, v: _json("content", f"machine a.example.net login ci password {v}\n"),
    "said": lambda r, v: _json("text", f"username: ops, password: {v}, role: ro"),
    "told": lambda r, v: _json("text", f"Hi, the password is {v}, thanks"),
    "form": lambda r, v: _json("body", f"user=a&password={quote(v, safe='')}&go=1"),
    "form quoted": lambda r, v: _json("url", "https://a.example.net/?next=" + quote(f"user=a&password={v}&go=1", safe="")),
    "xml": lambda r, v: _json("doc", f"<db><password>{v.replace('&', '+')}</password></db>"),
    "name and value": lambda r, v: json.dumps({"env": [{"name": "DB_PASSWORD", "value": v}]}),
    "set": lambda r, v: _json("script", f"net use Z:\nset DB_PASS={v}"),
    "escaped": lambda r, v: json.dumps({"q": f"a=1&password={v}"}).replace("=", "\\u003d"),
    "terraform": lambda r, v: _json("tf", f'variable "x" {{}}\nmaster_password = "{v}"\n'),
    "properties": lambda r, v: _json("content", f"spring.datasource.password={v}\n"),
    "base64": lambda r, v: _json("data", b64encode(f"db_password={v}\n".encode()).decode()),
    "attribute": lambda r, v: _json("doc", f'<add key="DbPassword" value="{v.replace("&", "+")}"/>'),
    "call": lambda r, v: _json("code", f'props.setProperty("db.password", "{v}");'),
    "define": lambda r, v: _json("code", f"define('DB_PASSWORD', '{v}');"),
    "kubernetes yaml": lambda r, v: _json("content", f'env:\n  - name: DB_PASSWORD\n    value: "{v}"\n'),
    "markdown bold": lambda r, v: _json("text", f"**Password:** {v}"),
    "markdown table": lambda r, v: _json("text", f"| password | {v} |"),
    "wide colon": lambda r, v: _json("text", f"password：{v}"),  # noqa: RUF001
    "list under its name": lambda r, v: json.dumps({"password": [v]}),
    "put-parameter": lambda r, v: _json("command", f"aws ssm put-parameter --name /prod/password --value '{v}'"),
    "secret set": lambda r, v: _json("command", f"gh secret set DB_PASSWORD --body '{v}'"),
    "docker login": lambda r, v: _json("command", f"docker login -u ci -p {v} r.example.net"),
    "mongo": lambda r, v: _json("command", f"mongodump -u ops -p '{v}' --db shop"),
    "sqlcmd": lambda r, v: _json("command", f"sqlcmd -S db1 -U sa -P {v}"),
    "sudo": lambda r, v: _json("command", f"echo '{v}' | sudo -S systemctl restart x"),
    "powershell": lambda r, v: _json("command", f"$p = ConvertTo-SecureString '{v}' -AsPlainText -Force"),
    "flag in escaped quotes": lambda r, v: _json("command", f'tool --db-password "{v}"'),
    "typed": lambda r, v: json.dumps({"selector": "#password", "text": v}),
    "typed by label": lambda r, v: json.dumps({"element": "Password field", "ref": "e12", "text": v}),
    "in Chinese": lambda r, v: _json("text", f"密码：{v}"),  # noqa: RUF001
    "in Spanish": lambda r, v: _json("text", f"contraseña: {v}"),
    "german": lambda r, v: json.dumps({"kennwort": v}),
    "set password": lambda r, v: _json("sql", f"SET PASSWORD FOR 'app'@'%' = '{v}'"),
    "netrc lines": lambda r, v: _json("content", f"machine a.example.net\nlogin ci\npassword {v}\n"),
    "diff": lambda r, v: _json("diff", f"-DB_PASSWORD=\n+DB_PASSWORD={v}\n"),
}  # fmt: skip

TOKENS: dict[str, Wrap] = {
    **{f"{what}, too": wrap for what, wrap in MORE_TOKENS.items()},
    "key": lambda r, v: json.dumps({r.choice(("api_key", "apiKey", "API_TOKEN", "access_token", "accessToken", "client_secret", "auth_token", "X-Api-Key", "jwtSecret", "webhook_secret", "signing_key", "refresh_token", "authToken", "DD_API_KEY", "encryptionKey", "secretKey")): v}),
    "env": lambda r, v: _json("content", f"MODE=x\nACME_API_KEY={v}\n"),
    "yaml": lambda r, v: _json("content", f"acme:\n  api_key: {v}\n"),
    "header": lambda r, v: _json("raw", f"GET / HTTP/1.1\r\nX-Api-Key: {v}\r\n\r\n"),
    "bearer": lambda r, v: _json("cmd", f'curl -H "Authorization: Bearer {v}" https://a.example.net'),
    "bearer key": lambda r, v: json.dumps({"headers": {"authorization": f"Bearer {v}"}}),
    "token header": lambda r, v: json.dumps({"headers": {"Authorization": f"Token {v}"}}),
    "query": lambda r, v: _json("url", f"https://a.example.net/v1?api_key={v}&page=1"),
    "flag": lambda r, v: _json("command", f"deploy --token {v} --yes"),
    "flag equals": lambda r, v: _json("command", f"helm x --set api.token={v}"),
    "python": lambda r, v: _json("code", f'client = Acme(api_key="{v}", timeout=3)'),
    "javascript": lambda r, v: _json("code", f"configure({{apiToken: '{v}'}})"),
    "go": lambda r, v: _json("code", f'apiKey := "{v}"'),
    "subscript": lambda r, v: _json("code", f'os.environ["API_TOKEN"] = "{v}"'),
    "json in json": lambda r, v: _json("body", json.dumps({"client_secret": v})),
    "list flag": lambda r, v: json.dumps(["acme", "--api-key", v]),
    "npmrc": lambda r, v: _json("content", f"//r.example.net/:_authToken={v}\n"),
    "told": lambda r, v: _json("text", f"my api key is {v} please use it"),
    "helm": lambda r, v: _json("content", f"secret:\n  token: '{v}'\n"),
    "cookie": lambda r, v: _json("raw", f"GET / HTTP/1.1\r\nCookie: session_token={v}; a=b\r\n\r\n"),
    "docker": lambda r, v: _json("cmd", f"docker run -e ACME_TOKEN={v} x"),
    "call": lambda r, v: _json("code", f'request.header("X-Api-Key", "{v}")'),
    "attribute": lambda r, v: _json("doc", f'<add key="ApiKey" value="{v}"/>'),
    "element with a name": lambda r, v: _json("doc", f'<string name="api_key">{v}</string>'),
    "config set": lambda r, v: _json("command", f"npm config set //r.example.net/:_authToken {v}"),
    "spaced name": lambda r, v: _json("text", f"API Key: {v}"),
    "secret key": lambda r, v: _json("text", f"Secret Key = {v}"),
    "markdown table": lambda r, v: _json("text", f"| `API_KEY` | `{v}` |"),
    "flag in escaped quotes": lambda r, v: _json("command", f'acme --auth-token "{v}"'),
    "flag of one word": lambda r, v: _json("command", f"acme --apiKey {v}"),
    "login": lambda r, v: _json("command", f"vault login {v}"),
    "error": lambda r, v: _json("error", f"Invalid API key: {v}"),
    "expired": lambda r, v: _json("error", f"token '{v}' has expired"),
    "base64 of lines": lambda r, v: _json("data", b64encode(f"HOST=a\nACME_TOKEN={v}\n".encode()).decode()),
}  # fmt: skip


def _password(r: Random) -> str:
    words = ("tulip", "copper", "saffron", "winter", "falcon", "harbor", "velvet")
    return r.choice(
        (
            drawn(r, WORD, 14) + r.choice(DIGITS) + r.choice(LOWER),
            f"{r.choice(words)}{r.choice('.!-_')}{r.choice(words)}{drawn(r, DIGITS, 4)}",
            drawn(r, WORD, 10) + r.choice("!*#@^") + drawn(r, WORD, 3) + r.choice(DIGITS),
            f"{r.choice(words).capitalize()}{drawn(r, DIGITS, 4)}!",
        )
    )


def _token(r: Random) -> str:
    return r.choice(
        (
            drawn(r, HEX, 32),
            drawn(r, HEX, 40),
            drawn(r, HEX, 64),
            drawn(r, WORD, 32),
            drawn(r, WORD, 24) + r.choice(DIGITS),
            drawn(r, WORD + "_-", 43),
            drawn(r, BASE64, 43) + "=",
        )
    )


SHOWN_BY_NAME = {
    "base64": lambda kind: kind in {"discord_bot_token", "telegram_bot_token", "twilio_api_key_sid", "mailchimp_key", "mailgun_key", "airtable_pat"},
}  # fmt: skip


def positives(seed: int, rounds: int = 1) -> Iterator[Line]:
    """Lines with a secret: every kind that its form tells in some wrappings, and passwords and tokens in all of theirs."""
    r = Random(seed)  # noqa: S311 - reproducible
    for number in range(rounds):
        for kind in FORMED:
            for what in r.sample(sorted(WRAPS), 8):
                value = make_sample(kind, r.getrandbits(30))
                yield Line(WRAPS[what](r, value), (value,), f"{kind}: {what}")
        for name, wraps, draw in (("password", PASSWORDS, _password), ("token", TOKENS, _token)):
            for what, wrap in wraps.items():
                for _ in range(3):
                    value = draw(r)
                    yield Line(wrap(r, value), (value,), f"{name}: {what} {number}")
        for kind in sorted(SURROUNDED):
            for _ in range(3):
                sample = make_sample(kind, r.getrandbits(30))
                yield Line(_json("content", sample), (secret_of(sample),), f"{kind}: as it stands")


def secret_of(sample: str) -> str:
    """The longest word of a sample of a kind that its surroundings tell: what is random in it."""
    words = re.split(r"""[@'"= ,&?:]|-p(?=\w{16})""", sample)
    return max(
        words, key=lambda word: (bool(re.search("[A-Z].*[0-9]|[0-9].*[A-Z]", word)), len(word))
    )


def _uuid(r: Random) -> str:
    return str(UUID(int=r.getrandbits(128)))


LOOKALIKES: dict[str, Callable[[Random], object]] = {
    **MORE_LOOKALIKES,
    "uuid": lambda r: {"request_id": _uuid(r), "user_id": _uuid(r), "idempotency_key": _uuid(r)},
    "uuid in a url": lambda r: {"url": f"https://a.example.net/keys/{_uuid(r)}/tokens/{_uuid(r)}"},
    "token as a uuid id": lambda r: {"token_id": _uuid(r), "secretId": _uuid(r), "correlationToken": _uuid(r)},
    "sha": lambda r: {"command": f"git checkout {drawn(r, HEX, 40)} && git log --oneline"},
    "commits": lambda r: {"commit": drawn(r, HEX, 40), "parents": [drawn(r, HEX, 40)], "tree": drawn(r, HEX, 40)},
    "digest": lambda r: {"etag": f'"{drawn(r, HEX, 32)}"', "checksum": drawn(r, HEX, 64), "sha512": drawn(r, HEX, 128)},
    "image": lambda r: {"image": f"r.example.net/app@sha256:{drawn(r, HEX, 64)}"},
    "cache key": lambda r: {"cache_key": f"build-{drawn(r, HEX, 64)}", "primary_key": drawn(r, HEX, 32)},
    "ids of calls": lambda r: {"tool_call_id": "call_" + drawn(r, WORD, 24), "parent": "toolu_01" + drawn(r, WORD, 22)},
    "ids of objects": lambda r: {"customer": "cus_" + drawn(r, WORD, 14), "id": "pi_" + drawn(r, WORD, 24), "run": "run_" + drawn(r, WORD, 24)},
    "trace ids": lambda r: {"traceparent": f"00-{drawn(r, HEX, 32)}-{drawn(r, HEX, 16)}-01", "span_id": drawn(r, HEX, 16)},
    "public ssh key": lambda r: {"authorized_key": f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ{drawn(r, BASE64, 330)} a@b"},
    "public pem": lambda r: {"pem": f"-----BEGIN PUBLIC KEY-----\n{drawn(r, BASE64, 64)}\n{drawn(r, BASE64, 64)}\n-----END PUBLIC KEY-----"},
    "certificate": lambda r: {"cert": f"-----BEGIN CERTIFICATE-----\n{drawn(r, BASE64, 64)}\n{drawn(r, BASE64, 64)}\n-----END CERTIFICATE-----"},
    "publishable": lambda r: {"publishable": "pk_live_" + drawn(r, WORD, 99), "key": "phc_" + drawn(r, WORD, 43)},
    "sentry dsn": lambda r: {"dsn": f"https://{drawn(r, HEX, 32)}@o{drawn(r, DIGITS, 6)}.ingest.sentry.io/{drawn(r, DIGITS, 7)}"},
    "age recipient": lambda r: {"recipient": "age1" + drawn(r, "qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58)},
    "jwks": lambda r: {"keys": [{"kty": "RSA", "kid": drawn(r, WORD, 20), "n": drawn(r, WORD + "_-", 342), "e": "AQAB"}]},
    "lock of npm": lambda r: {"content": f'"node_modules/a": {{\n "version": "1.3.0",\n "integrity": "sha512-{drawn(r, BASE64, 86)}=="\n}}'},
    "lock of pip": lambda r: {"content": f"requests==2.32.3 \\\n    --hash=sha256:{drawn(r, HEX, 64)} \\\n"},
    "lock of cargo": lambda r: {"content": f'[[package]]\nname = "serde"\nversion = "1.0.1"\nchecksum = "{drawn(r, HEX, 64)}"\n'},
    "sums of go": lambda r: {"content": f"github.com/a/b v1.2.3 h1:{drawn(r, BASE64, 43)}=\ngithub.com/a/b v1.2.3/go.mod h1:{drawn(r, BASE64, 43)}=\n"},
    "nix": lambda r: {"nix": f'fetchFromGitHub {{ owner = "a"; rev = "{drawn(r, HEX, 40)}"; hash = "sha256-{drawn(r, BASE64, 43)}="; }}'},
    "minified": lambda r: {"source": "!function(e,t){" + "".join(f'var {drawn(r, LOWER, 2)}={drawn(r, LOWER, 2)}({drawn(r, DIGITS, 2)}),{drawn(r, LOWER, 2)}="{drawn(r, LOWER, 6)}";' for _ in range(40)) + "}"},
    "svg": lambda r: {"svg": '<path d="' + "".join(f"L{r.random() * 900:.2f} {r.random() * 900:.1f}" for _ in range(60)) + '"/>'},
    "base64 of bytes": lambda r: {"data": b64encode(r.randbytes(1500)).decode()},
    "image data": lambda r: {"image_url": "data:image/png;base64," + b64encode(b"\x89PNG" + r.randbytes(900)).decode()},
    "base64 of lines": lambda r: {"bytes": "\n".join(b64encode(r.randbytes(57)).decode() for _ in range(12))},
    "base64 of text": lambda r: {"content": b64encode(f"Quarterly report, section {r.random()}. The password policy is strict, see page 7. ".encode() * 5).decode()},
    "embedding": lambda r: {"vector": [round(r.uniform(-1, 1), 6) for _ in range(80)]},
    "masked": lambda r: {"token": "ghp_" + "*" * 32 + drawn(r, WORD, 4), "key": "AKIA" + "*" * 12 + "VIAL", "preview": "sk-proj-…" + drawn(r, WORD, 4)},
    "masked x": lambda r: {"key": "glpat-" + "X" * 20, "api_key": "xxxxxxxxxxxxxxxxxxxxxxxx", "password": "********"},
    "redacted": lambda r: {"log": f"auth with [REDACTED github_token: ghp_…{drawn(r, WORD, 2)}] ok", "password": "[REDACTED]"},
    "placeholder": lambda r: {"api_key": r.choice(("YOUR_API_KEY", "<your-token-here>", "sk-your-key-goes-here-please", "changeme123", "insert-your-token-here"))},
    "documentation": lambda r: {"id": "AKIA" + "IOSFODNN7EXAMPLE", "secret": "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY"},
    "reference": lambda r: {"password": r.choice(("${DB_PASSWORD}", "$(cat /run/secrets/x1)", "op://vault/item/field1", "vault:kv/data/x#y1", "{{ secrets.DB1 }}", "env:DB_PASSWORD1", "!secret db_password1"))},
    "reference in code": lambda r: {"code": r.choice(("api_key=os.environ['ACME_KEY_1']", "token = tokens[i2]", "password = getpass.getpass('pw1: ')", "const apiKey = process.env.ACME_KEY1;", 'secret := viper.GetString("a.secret1")', "self.token = response.json()['token1']", "api_key=settings.ACME_API_KEY2, timeout=3", "access_token = await self.refresh_token1(user)"))},
    "secret of aws": lambda r: {"arn": f"arn:aws:secretsmanager:eu-west-1:{drawn(r, DIGITS, 12)}:secret:prod/db-{drawn(r, WORD, 6)}"},
    "paging": lambda r: {"next_page_token": drawn(r, WORD, 32), "cursor": b64encode(f"cursor:v2:{_uuid(r)}".encode()).decode()},
    "paging of json": lambda r: {"page_token": b64encode(json.dumps({"offset": r.randrange(999), "k": "created"}).encode()).decode()},
    "csrf": lambda r: {"csrf_token": drawn(r, WORD, 40), "state": drawn(r, WORD, 24), "nonce": drawn(r, WORD, 16)},
    "counts": lambda r: {"max_tokens": 4096, "usage": {"input_tokens": 812, "output_tokens": 99}, "text": "total tokens: 123456789012345678"},
    "schema": lambda r: {"properties": {"password": {"type": "string", "minLength": 8}, "token": {"type": "string"}}, "required": ["password", "token"]},
    "form": lambda r: {"html": '<input type="password" name="passwd1" id="pw-field-2"><label for="api_key1">API key</label>'},
    "prose": lambda r: {"text": "Please reset your password: it must be 12 characters long. The token is issued by the server and the secret is never shown. Password: required."},
    "prose of tokens": lambda r: {"text": "The bearer token authentication-scheme is described below; basic authentication-credentials are not supported. Use Basic auth or Bearer tokens-based-on-time."},
    "urls": lambda r: {"url": f"https://www.example.net/watch?v={drawn(r, WORD, 11)}&list=PL{drawn(r, WORD, 32)}"},
    "signed path": lambda r: {"files": [f"static/js/main.{drawn(r, HEX, 8)}.chunk.js", f"assets/{drawn(r, WORD, 16)}.woff2"]},
    "ids at random": lambda r: {"ulid": "01JM18" + drawn(r, DIGITS + "ABCDEFGHJKMNPQRSTVWXYZ", 20), "ksuid": drawn(r, WORD, 27), "nanoid": drawn(r, WORD + "_-", 21), "objectid": drawn(r, HEX, 24)},
    "crypto": lambda r: {"address": "0x" + drawn(r, HEX, 40), "tx_hash": "0x" + drawn(r, HEX, 64), "cid": "Qm" + drawn(r, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 44)},
    "accounts": lambda r: {"account_sid": "AC" + drawn(r, HEX, 32), "message_sid": "SM" + drawn(r, HEX, 32), "arn": f"arn:aws:iam::{drawn(r, DIGITS, 12)}:user/AIDA{drawn(r, WORD.upper(), 16)}"},
    "client id": lambda r: {"client_id": f"{drawn(r, DIGITS, 12)}-{drawn(r, LOWER + DIGITS, 32)}.apps.googleusercontent.com"},
    "hosts": lambda r: {"pod": f"worker-{drawn(r, LOWER + DIGITS, 10)}-{drawn(r, LOWER + DIGITS, 5)}", "node": "ip-10-0-101-167.ec2.internal", "ipv6": ":".join(drawn(r, HEX, 4) for _ in range(8))},
    "numbers": lambda r: {"phone": f"+49 30 {drawn(r, DIGITS, 8)}", "iban": f"DE{drawn(r, DIGITS, 20)}", "ts": 1700000000000 + r.randrange(10**9)},
    "tool": lambda r: {"path": f"/workspace/src/{drawn(r, LOWER, 8)}_test.py", "old_str": "def f(x):\n    return x + 1", "new_str": "def g(x: int) -> int:\n    return x * 4"},
    "search": lambda r: {"query": f"flights from Berlin to Rome on 2026-12-{r.randrange(10, 28)}", "adults": 2, "cabin": "economy"},
    "find": lambda r: {"command": f"find . -name '*.ts' -newer Makefile | xargs grep -n '{drawn(r, LOWER, 7)}' | head -{r.randrange(9, 60)}"},
    "dna": lambda r: {"dna": drawn(r, "ACGT", 200), "protein": drawn(r, "ACDEFGHIKLMNPQRSTVWY", 120)},
    "secret names": lambda r: {"secretName": "prod-database-secret-2", "token_type": "Bearer", "password_hash": "$2b$12$" + drawn(r, WORD, 53), "key": "tls.key", "auth": "oauth2"},
    "connection without": lambda r: {"dsn": r.choice(("postgresql://app@db.example.net:5432/x", "redis://cache:6379/0", "postgres://user:password@localhost/db", "mongodb://localhost:27017/x", "https://example.net:8443/a@b"))},
    "emails": lambda r: {"to": f"{drawn(r, LOWER, 7)}@example.net", "link": f"mailto:{drawn(r, LOWER, 7)}@example.net?subject=token:{drawn(r, DIGITS, 6)}"},
    "quoted url": lambda r: {"url": "https://a.example.net/login?next=" + quote(f"https://b.example.net/?q={drawn(r, LOWER, 9)}&page=2", safe="")},
    "locale": lambda r: {"strings": {"password": "Kennwort", "password_hint": "Mindestens 8 Zeichen", "token": "Zeichenfolge", "secret": "Geheimnis"}},
    "css": lambda r: {"css": "".join(f".{drawn(r, LOWER, 6)}{{color:#{drawn(r, HEX, 6)};margin:{r.randrange(40)}px}}" for _ in range(30))},
    "wrong sum": lambda r: {"sample": "ghp_" + drawn(r, WORD, 30) + "000000", "n": "npm_" + drawn(r, WORD, 30) + "000000"},
    "not a jwt": lambda r: {"state": "eyJ" + drawn(r, WORD, 40), "v": ".".join(drawn(r, LOWER, 22) for _ in range(3))},
    "help": lambda r: {"stdout": "usage: acme [--token TOKEN] [--password PASSWORD] [--api-key API_KEY]\n  --token TOKEN  token to use (default: $ACME_TOKEN)\n  --password-file PATH  file1.txt"},
    "install": lambda r: {"command": "npm install && pip install -r requirements.txt && npm_config_loglevel=silent npm run build"},
    "go of types": lambda r: {"code": 'type Config struct {\n  Password string `json:"password,omitempty"`\n  Token    *oauth2.Token `yaml:"token2"`\n}'},
    "cursors of services": lambda r: {"starting_token": drawn(r, WORD, 24), "csrfmiddlewaretoken": drawn(r, WORD, 64), "ChangeToken": drawn(r, HEX, 36)},
    "address of a contract": lambda r: {"token": "0x" + drawn(r, HEX, 40), "contract_token": "0x" + drawn(r, HEX, 40)},
    "dates of passwords": lambda r: {"last_password": "2026-11-30T10:00:00Z", "stdout": "pass: 128/130 tests", "password_changed": "2026-10-01"},
    "types": lambda r: {"AWS::ApiGateway::ApiKey": drawn(r, HEX, 16), "hash": f"AWS::X::Credential: {drawn(r, HEX, 16)}"},
    "own sentry": lambda r: {"dsn": f"https://{drawn(r, HEX, 32)}@errors.example.net/4"},
    "calls of code": lambda r: {"code": 'os.getenv("API_TOKEN", "not-set-yet-1")\nparser.add_argument("--password", "-p1")\nput("password", "required")'},
    "table of fields": lambda r: {"md": "| name | type |\n| password | string(8..64) |\n| api_key | header/X-API-Key |\n"},
    "words about passwords": lambda r: {"text": "I changed my password yesterday2. They pass to modnames2paths: and the secret is that we use 3 layers. Use password authentication_v2."},
    "base64 of code": lambda r: {"content": b64encode(b"def get_token(self):\n    token = self.session['token1']\n    password = getpass.getpass()\n" * 3).decode()},
    "terraform": lambda r: {"tf": "password = var.db_password1\nsecret_key = random_password.key1.result\napi_key = module.secrets.api_key_2\n"},
    "types of TypeScript": lambda r: {"code": "interface Auth { token: string | null; apiKey: ApiKeyV2; secret: Buffer | Uint8Array; accessToken: Promise<Token1> }"},
    "regex": lambda r: {"pattern": r"(?i)(password|token|secret)\s*[:=]\s*['\"]?([^\s'\"]{8,})"},
}  # fmt: skip


def negatives(seed: int, rounds: int = 1) -> Iterator[Line]:
    """Lines without a secret, some of which are lines with one for the most part."""
    r = Random(seed)  # noqa: S311 - reproducible
    for _ in range(rounds):
        for what, make in LOOKALIKES.items():
            yield Line(json.dumps(make(r), ensure_ascii=r.random() < 0.5), (), what)
            yield Line(_json("args", json.dumps(make(r))), (), f"{what}, in JSON")
