"""Logins in commands, connection strings, calls, files and browsers."""

from __future__ import annotations

import json
import re

import pytest

from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.samples import make_sample

SCANNERS = [Scanner(engine="hyperscan"), Scanner(engine="re2")]
WORD = make_sample("password_assignment", 3).partition("=")[2]
KEY = make_sample("secret_assignment", 3).partition("=")[2]
PASSWORDS = [
    "rabbitmqadmin -u ops -p WORD list queues",
    "cqlsh db1 -u ops -p WORD",
    "plink -ssh root@h -pw WORD uptime",
    "mosquitto_pub -h a -u ops -P WORD -t x -m y",
    "lftp -u ops,WORD a.example.net",
    "xfreerdp /v:h /u:ops /p:WORD /cert:ignore",
    "signtool sign /f c.pfx /p WORD app.exe",
    "rabbitmqctl add_user ops WORD",
    r"net use Z: \\nas\share WORD /user:ACME\ops",
    "echo WORD | passwd --stdin root",
    "echo WORD | kinit ops@EXAMPLE.NET",
    "http -a ops:WORD GET https://a.example.net/x",
    "wmiexec.py ACME/ops:WORD@10.0.0.5",
    "port 6379\nrequirepass WORD\n",
    "username ops privilege 15 password 0 WORD\n",
    "enable secret WORD\n",
    "snmp-server community WORD RW\n",
    'spawn ssh h\nexpect "password:"\nsend "WORD\\r"\n',
    "AUTH WORD\r\nPING\r\n",
    "DRIVER={PostgreSQL Unicode};UID=ops;PWD={WORD};",
    "root:WORD@tcp(db1:3306)/app?parseTime=true",
    "WIFI:T:WPA;S:Office;P:WORD;;",
    'mysqli_connect("h", "ops", "WORD", "db");',
    'new PDO("mysql:host=h;dbname=x", "ops", "WORD");',
    'DriverManager.getConnection("jdbc:postgresql://h/x", "ops", "WORD");',
    "await page.getByLabel('Password').fill('WORD');",
    "await page.fill('#password', 'WORD');",
    'driver.find_element(By.ID, "password").send_keys("WORD")',
    "cy.get('input[name=password]').type('WORD')",
    '<wsse:Password Type="x#PasswordText">WORD</wsse:Password>',
    "<tr><td>Password</td><td>WORD</td></tr>",
    'variable "db_password" {\n  type    = string\n  default = "WORD"\n}',
    'Parameters:\n  DbPassword:\n    Type: String\n    Default: "WORD"\n',
    "ALTER USER ops IDENTIFIED BY WORD",
    "SET PASSWORD FOR 'ops'@'%' = PASSWORD('WORD');",
    "CREATE LOGIN app WITH PASSWORD = N'WORD', CHECK_POLICY = OFF",
    "INSERT INTO users (login, password) VALUES ('ops', 'WORD')",
    "INSERT INTO users (`password`, `login`)\nVALUES ('WORD', 'ops');",
    "db_password <- 'WORD'",
    'var dbPassword = @"WORD";',
    "const dbPassword = process.env.DB_PASS || 'WORD';",
    "password = ENV['DB_PASSWORD'] || 'WORD'",
    "la password è WORD",
    "şifre: WORD",
    "lösenord: WORD",
    "mật khẩu: WORD",
    "كلمة المرور: WORD",
    "пароль — WORD",
    "creds for staging: app / WORD",
]
KEYS = [
    '--b\r\nContent-Disposition: form-data; name="acme_token"\r\n\r\nKEY\r\n--b--',
    'variable "acme_api_key" {\n  type = string\n  default = "KEY"\n}',
    'Client.builder().secretAccessKey("KEY").build();',
    "acme_token <- 'KEY'",
    "const acmeToken: string = process.env.ACME_TOKEN ?? 'KEY';",
    "acme sync --master-key KEY",
    "mc alias set s3 https://s3.example.net ops KEY",
    "azure_devops_pat=KEY",
    "OPENAI_KEY: 'KEY'",
]
LOOKALIKES = [
    "curl -u user:my-token https://a.example.net",
    "curl -u user:@@TOKEN@@ https://a.example.net",
    "postgres://user:access_token@localhost:5432/db",
    "postgres://user:nil@localhost:5432/db",
    "docker://alpine:3.19@sha256:9005bdce95fa7aecda4427552300c4ae5805a3c4707fe02428626f2d03cedb90",
    'machine x login y password ENV["API_KEY"]',
    "machine x login y password some-secret-value",
    "Server=x;User Id=sa;Password=@/path/to/key1;",
    "password: awsSecretsManager:prod/db1\n",
    "input LoginInput { password: String! token: String }",
    "checksum/secret: 5311c5376f3224a5a43a5ba13d1973af5a7885aab478279ca9be59d0ed2e789d",
    "searchAfterToken=VOHv8VCAfKM79EF1OzK6Q7nD5LF2" + "ne5MWPKi5myUKRCmLzfS7Ae9VmIT4oeY",
    "DEL token:blacklist:549f86d61b8c823d615274ec1bc9f635",
    "The password is Base64-encoded",
    "otpauth://totp/Example:alice@example.net?secret=JBSWY3DPEHPK3" + "PXP&issuer=Example",
    "the username and password properties, as well as 2 more",
    "see [nodejs/io.js#1836](https://github.com/nodejs/io.js/pull/1836)",
    "PWD={db_password1};",
    'PASSWORDS = "pass|pwd?|psk|kennwort"',
    "rabbitmqctl add_user ops $PASSWORD1",
    "page.fill('#password', process.env.PASSWORD_1)",
    "page.fill('#user', 'password field 2')",
    "<td>Password</td><td>required</td>",
    "INSERT INTO users (login, password) VALUES ($1, $2)",
    "INSERT INTO fields (name, kind) VALUES ('password', 'varchar2')",
    "if (password || 'x') { token ?? 'none' }",
    "A" * 21 + "a1B2c3D4e5F6g7H8i9J0" * 4,
]


def _found(text: str) -> list[str]:
    hits, again = (scanner.scan_text(text) for scanner in SCANNERS)
    assert hits == again
    return [text[hit.start : hit.end] for hit in hits]


@pytest.mark.parametrize("text", PASSWORDS)
def test_a_password_is_found_where_clients_are_given_it(text):
    text = re.sub(r"\bWORD\b", WORD, text)
    assert _found(text) == [WORD]
    for is_ascii in (False, True):
        assert _found(json.dumps({"content": text}, ensure_ascii=is_ascii)) == [WORD]


@pytest.mark.parametrize("text", KEYS)
def test_a_key_is_found_where_clients_are_given_it(text):
    text = re.sub(r"\bKEY\b", KEY, text)
    assert _found(text) == [KEY]
    assert _found(json.dumps({"content": text})) == [KEY]


@pytest.mark.parametrize("text", LOOKALIKES)
def test_what_looks_like_such_a_login_is_none(text):
    assert _found(text) == []
    assert _found(json.dumps({"content": text})) == []


def test_the_private_part_of_a_key_in_json_is_found_and_no_other():
    public = make_sample("secret_assignment", 4).partition("=")[2] + KEY
    for value in (
        {"kty": "OKP", "crv": "Ed25519", "x": public, "d": KEY + "a1"},
        {"keys": [{"d": KEY + "a1", "kty": "RSA", "n": public, "e": "AQAB"}]},
    ):
        assert _found(json.dumps(value)) == [KEY + "a1"]
        assert _found(json.dumps({"content": json.dumps(value)})) == [KEY + "a1"]
        assert _found(str(value)) == [KEY + "a1"]
    assert _found(json.dumps({"kty": "RSA", "n": public, "e": "AQAB", "kid": KEY})) == []


def test_a_uuid_is_the_token_of_a_service_that_gives_such():
    uuid = "5f0c2d1e-7a3b-4c4d-9e8f-" + "1a2b3c4d5e6f"
    assert _found(json.dumps({"SNYK_TOKEN": uuid})) == [uuid]
    assert _found(json.dumps({"REQUEST_TOKEN": uuid})) == []
