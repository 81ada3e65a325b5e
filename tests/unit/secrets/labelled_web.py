"""More wrappings of passwords and tokens, and more that looks like them: what browsers, shells, tables and people write."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from random import Random  # noqa: TID251 - seeded
from urllib.parse import quote

LOWER, DIGITS = "abcdefghijklmnopqrstuvwxyz", "0123456789"
WORD = LOWER + LOWER.upper() + DIGITS
HEX = "0123456789abcdef"

Wrap = Callable[[Random, str], str]


def _drawn(r: Random, alphabet: str, length: int) -> str:
    return "".join(r.choices(alphabet, k=length))


def _json(key: str, text: str) -> str:
    return json.dumps({key: text}, ensure_ascii=False)


def _escaped(v: str) -> str:
    return "".join(f"\\u{ord(c):04x}" for c in v)


def _percent(v: str) -> str:
    return "".join(f"%{ord(c):02X}" for c in v)


def _base64(v: str) -> str:
    return b64encode(v.encode()).decode()


MORE_PASSWORDS: dict[str, Wrap] = {
    "pair in a call": lambda r, v: _json("code", f"requests.get(u, auth=('bob', '{v}'))"),
    "setter": lambda r, v: _json("code", f'ds.setPassword("{v}");'),
    "builder": lambda r, v: _json("code", f'builder.user("a").password("{v}").build()'),
    "block of YAML": lambda r, v: _json("content", f"db:\n  password: |\n    {v}\n  x: 1\n"),
    "folded YAML": lambda r, v: _json("content", f"db:\n  password: >-\n    {v}\n"),
    "property list": lambda r, v: _json("content", f"<key>password</key>\n<string>{v.replace('&', '+')}</string>"),
    "net user": lambda r, v: _json("command", f"net user bob {v} /add"),
    "Oracle": lambda r, v: _json("url", f"jdbc:oracle:thin:scott/{v.replace('@', 'x').replace('!', 'x')}@//h:1521/x"),
    "chpasswd": lambda r, v: _json("command", f"echo 'bob:{v}' | sudo chpasswd"),
    "login and pw": lambda r, v: _json("text", f"login: bob / pw {v}"),
    "user and pass": lambda r, v: _json("text", f"user bob pass {v}"),
    "credentials with a slash": lambda r, v: _json("text", f"credentials: bob / {v}"),
    "credentials with a colon": lambda r, v: _json("text", f"creds are bob:{v}"),
    "possessive": lambda r, v: _json("text", f"my password's {v} btw"),
    "with password": lambda r, v: _json("text", f"log in as bob with password {v} and check"),
    "username and password": lambda r, v: _json("text", f"log in using username bob and password {v} then"),
    "next line": lambda r, v: _json("text", f"Username:\nbob\nPassword:\n{v}"),
    "column of Markdown": lambda r, v: _json("text", f"| user | password |\n|---|---|\n| bob | {v} |"),
    "column of CSV": lambda r, v: _json("content", f"username,password\nbob,{v}\n"),
    "selector of a type": lambda r, v: json.dumps({"selector": "input[type=password]", "value": v}),
    "value before name": lambda r, v: json.dumps({"value": v, "name": "DB_PASSWORD"}),
    "pair in a list": lambda r, v: json.dumps({"env": [["DB_PASSWORD", v]]}),
    "call with a gap": lambda r, v: _json("code", f"define( 'DB_PASSWORD', '{v}' );"),
    "unzip": lambda r, v: _json("command", f"unzip -P {v} a.zip"),
    "PGPASSWORD": lambda r, v: _json("command", f"PGPASSWORD={v} psql -h db -c 'select 1'"),
    "PowerShell": lambda r, v: _json("command", f"$env:DB_PASSWORD = '{v}'"),
    "driver": lambda r, v: _json("url", f"{r.choice(('postgresql+asyncpg', 'mysql+pymysql', 'mongodb+srv', 'amqps', 'rediss', 'clickhouse', 'snowflake', 'mssql+pyodbc', 'smtp', 'nats', 'ftp'))}://app:{quote(v, safe='')}@db.example.net/x"),
    "escapes of UTF-16": lambda r, v: f'{{"password":"{_escaped(v)}"}}',
    "Docker's auths": lambda r, v: json.dumps({"auths": {"ghcr.example.net": {"auth": _base64(f"bob:{v}")}}}),
    "secret of Kubernetes": lambda r, v: _json("content", f"kind: Secret\ndata:\n  password: {_base64(v)}\n"),
    "HCL": lambda r, v: _json("content", f'resource "x" "y" {{\n  password = "{v}"\n}}'),
    "twice JSON": lambda r, v: json.dumps({"a": json.dumps({"b": json.dumps({"password": v})})}),
}  # fmt: skip

MORE_TOKENS: dict[str, Wrap] = {
    "cookie that is set": lambda r, v: _json("raw", f"Set-Cookie: session={v}; Path=/; HttpOnly; Secure"),
    "cookie that is sent": lambda r, v: _json("raw", f"Cookie: lang=en; sessionid={v}; theme=dark"),
    "cookie in an object": lambda r, v: json.dumps({"cookies": [{"name": "session", "value": v, "domain": ".example.net"}]}),
    "cookie by its name": lambda r, v: json.dumps({"cookies": {"session": v}}),
    "cookie in a header": lambda r, v: json.dumps({"headers": {"Cookie": f"lang=en; session={v}"}}),
    "cookies in code": lambda r, v: _json("code", f"requests.get(u, cookies={{'session': '{v}'}})"),
    "key of a query": lambda r, v: _json("url", f"https://maps.example.net/api?address=x&key={quote(v, safe='')}"),
    "signature of a query": lambda r, v: _json("url", f"https://s.example.net/f?Expires=1&Signature={quote(v, safe='')}&Key-Pair-Id=A"),
    "token of a query": lambda r, v: _json("url", f"https://s.example.net/v?token={quote(v, safe='')}"),
    "parameters": lambda r, v: json.dumps({"url": "https://s.example.net", "params": {"key": v}}),
    "block of YAML": lambda r, v: _json("content", f"acme:\n  api_key: |\n    {v}\n"),
    "constant of Rust": lambda r, v: _json("code", f'const API_KEY: &str = "{v}";'),
    "property list": lambda r, v: _json("content", f"<key>APIKey</key><string>{v}</string>"),
    "attribute of Android": lambda r, v: _json("content", f'<meta-data android:name="com.x.API_KEY" android:value="{v}"/>'),
    "Gradle": lambda r, v: _json("content", f'buildConfigField "String", "API_KEY", "\\"{v}\\""'),
    "secret through a pipe": lambda r, v: _json("command", f"echo {v} | gh secret set ACME_TOKEN"),
    "parameter store": lambda r, v: _json("command", f"aws ssm put-parameter --name /x/api_key --type SecureString --value {v}"),
    "next line": lambda r, v: _json("text", f"API key:\n{v}\n"),
    "next line in bold": lambda r, v: _json("text", f"**API token**\n`{v}`\n"),
    "line after a gap": lambda r, v: _json("text", f"Your API key:\n\n    {v}\n"),
    "column of Markdown": lambda r, v: _json("text", f"| name | token |\n|---|---|\n| ci | {v} |"),
    "column of CSV": lambda r, v: _json("content", f"id,api_key\n1,{v}\n"),
    "all in percent": lambda r, v: _json("body", f"api_key={_percent(v)}"),
    "escapes of UTF-16": lambda r, v: f'{{"api_key":"{_escaped(v)}"}}',
    "value before name": lambda r, v: json.dumps({"env": [{"value": v, "name": "ACME_API_KEY"}]}),
    "pair in a list": lambda r, v: json.dumps({"headers": [["X-Api-Key", v]]}),
    "signing": lambda r, v: _json("code", f"jwt.sign(payload, '{v}')"),
    "setter": lambda r, v: _json("code", f'client.setApiKey("{v}");'),
    "PowerShell": lambda r, v: _json("command", f'$env:ACME_API_KEY = "{v}"'),
    "bearer": lambda r, v: json.dumps({"bearer": v}),
}  # fmt: skip

MORE_LOOKALIKES: dict[str, Callable[[Random], object]] = {
    "numbers of passes": lambda r: {"log": f"pass = {_drawn(r, DIGITS, 7)}\npass: 0x{_drawn(r, HEX, 8)}\npass={_drawn(r, DIGITS, 4)}ms pass=0.{_drawn(r, DIGITS, 6)}"},
    "hashes of passwords": lambda r: {"password": r.choice(("$argon2id$v=19$m=65536$" + _drawn(r, WORD, 43), "$2b$10$" + _drawn(r, WORD, 53), f"pbkdf2_sha256$600000${_drawn(r, WORD, 22)}${_drawn(r, WORD, 43)}=", "md5" + _drawn(r, HEX, 32)))},
    "commands of PowerShell": lambda r: {"code": "$password = Read-Host -AsSecureString; $env:TOKEN = $env:OTHER_TOKEN1; $secret = Get-Secret"},
    "forms": lambda r: {"html": f'<input name="authenticity_token" value="{_drawn(r, WORD, 80)}"><input name="__RequestVerificationToken" value="{_drawn(r, WORD, 90)}">'},
    "tickets": lambda r: {"boarding_pass": _drawn(r, WORD.upper(), 10), "ski_pass": "week-7" + _drawn(r, DIGITS, 2), "passport": _drawn(r, DIGITS, 9)},
    "names of Kubernetes": lambda r: {"command": f"kubectl get secret customer-token-{_drawn(r, LOWER + DIGITS, 5)} -o yaml", "out": f"default-token-{_drawn(r, LOWER + DIGITS, 5)} kubernetes.io/service-account-token 3"},
    "words of other languages": lambda r: {"login": {"password": r.choice(("パスワードを入力してください", "密码不能为空（至少8位）", "비밀번호를 입력하세요 (8자 이상)")), "token": "トークン86個"}},  # noqa: RUF001
    "pieces of text": lambda r: {"token": r.choice(("antidisestablishmentarianism2", "Ġhello_world1", "##ing_v2x4")), "logprob": -0.1},
    "harmless cookies": lambda r: {"raw": f"Set-Cookie: theme=dark-mode-{_drawn(r, DIGITS, 2)}; _ga=GA1.2.{_drawn(r, DIGITS, 9)}.{_drawn(r, DIGITS, 10)}; csrftoken={_drawn(r, WORD, 32)}; session="},
    "list of cookies": lambda r: {"cookies": [{"name": "_ga", "value": f"GA1.1.{_drawn(r, DIGITS, 9)}.{_drawn(r, DIGITS, 10)}"}, {"name": "csrftoken", "value": _drawn(r, WORD, 32)}]},
    "ids of sessions": lambda r: {"session_id": _drawn(r, HEX, 32), "sessionId": "sess_" + _drawn(r, WORD, 24), "conversation_id": _drawn(r, WORD, 20)},
    "keys of objects": lambda r: {"url": f"https://a.example.net/object?key=uploads/2026/order/order-{_drawn(r, DIGITS, 4)}.png", "params": {"key": f"order:{_drawn(r, DIGITS, 6)}:profile"}},
    "labels": lambda r: {"text": f"Password:\nmust contain 8 characters\n\nToken:\n- valid for {_drawn(r, DIGITS, 3)} days\n\nAPI key:\nhttps://a.example.net/keys/{_drawn(r, DIGITS, 4)}\n"},
    "columns": lambda r: {"content": f"id,username,password,token_count\n1,bob,,{_drawn(r, DIGITS, 7)}\n2,eve,********,3\n3,al,required,4\n"},
    "table of an API": lambda r: {"text": "| field | type | token |\n|---|---|---|\n| a | int | yes |\n| password | string | no |\n"},
    "references in blocks": lambda r: {"content": "secret: |\n  {{ .Files.Get 'x1' }}\ntoken: >-\n  ${TOKEN_1}\npassword: |\n  TODO: fill in\n"},
    "schema in YAML": lambda r: {"content": f"properties:\n  password:\n    type: string\n    minLength: 8\n  token:\n    $ref: '#/components/schemas/Token{_drawn(r, DIGITS, 1)}'\n"},
    "people": lambda r: {"text": r.choice(("login: bob / role: admin1", "user bob passed step123", "users pass through gate12 daily", "credentials: see wiki/page123", "login: alice / last seen 12:34"))},
    "calls": lambda r: {"code": f"hasher.check_password(user1)\nclient.setToken(token{_drawn(r, DIGITS, 2)})\nlogin(user, 'page')\nset_password(make_password(pw2))"},
    "ids that models give": lambda r: {"token": r.choice(("call_", "toolu_01", "tooluse_", "chatcmpl-", "srvtoolu_01")) + _drawn(r, WORD, 22)},
    "pairs": lambda r: {"rows": [["token", "count_" + _drawn(r, DIGITS, 3)], ["password", "string(64)"]], "required": ["username", "password", "email_1"]},
    "values before names": lambda r: {"items": [{"value": "12345678t", "name": "token_limit"}, {"value": f"order-secret-{_drawn(r, DIGITS, 2)}", "name": "secret_ref"}]},
}  # fmt: skip
