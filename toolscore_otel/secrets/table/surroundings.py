"""What has no form of its own: what stands around it, or the name it stands under, tells."""

from __future__ import annotations

from toolscore_otel.secrets import checksums
from toolscore_otel.secrets.checks import (
    aws_secret,
    basic_credentials,
    behind_scheme,
    generated,
    generated_no_uuid,
    hex_private_key,
    jwt,
    password,
    plausible,
    private_key,
    signature,
    url_password,
)
from toolscore_otel.secrets.kind import LEFT, Kind, framed, named
from toolscore_otel.secrets.names import (
    names_auth,
    names_authorization,
    names_aws_secret,
    names_password,
    names_private_key,
    names_secret,
    names_uuid_secret,
)
from toolscore_otel.secrets.table.alphabets import BASE64, URL, WORD

_PEM = "[A-Z0-9 ]{0,20}PRIVATE KEY(?: BLOCK)?-----"
_KEY_WORDS = (
    "secret|token|credential|authorization|(?:api|app|auth|access|private|signing|encryption|master|account|shared"
    "|subscription|service|admin|deploy|webhook|hmac|jwt|storage|license)[_.-]?key"
)
_AUTHORIZATION = r"""(?i:authorization)[\\"']{0,4}\s{0,3}[:=]\s{0,3}[\\"']{0,4}"""
_SCHEME = "(?i:token|api-?key|key|splunk|klaviyo-api-key|genie-?key|bot)[ =]{1,3}[\"']?"
_KEY_SAMPLE = f"{WORD}{{29}}4bQ"
_WORD_SAMPLE = f"{WORD}{{13}}7fK"

STRUCTURED: tuple[Kind, ...] = (
    Kind(
        name="private_key_pem",
        about="private key in PEM or PGP armour, whole or cut",
        detect=f"-----BEGIN {_PEM}",
        pattern=(
            f"(?P<secret>-----BEGIN {_PEM}"
            rf"(?:[^-]{{0,20000}}(?:-(?!----)[^-]{{0,2000}}){{0,40}}-----END {_PEM}|(?:[A-Za-z0-9+/=\s]|\\+[nr])*))"
        ),
        check=private_key,
        prefix=rf"-----BEGIN {_PEM}(?:[A-Za-z0-9+/=\s]|\\+[nr])*?",
    ),
)  # fmt: skip

SURROUNDED: tuple[Kind, ...] = (
    Kind(
        name="jwt",
        about="JSON Web Token",
        detect=rf"\.eyJ{URL}{{10}}",
        left=LEFT,
        pattern=rf"(?P<secret>eyJ{URL}{{10,2000}}\.eyJ{URL}{{10,16000}}\.{URL}{{20,2000}})(?!{URL})",
        check=jwt,
        prefix="eyJ(?:hbGciOi|0eXAiOi|raWQiOi)",
        reach=2100,
    ),
    framed(
        "url_credentials", "password in a URL",
        r"""[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s:/@"'<>]{0,80}:""",
        r"""[^\s@"'<>/]{3,160}""",
        r"""[^\s@"'<>/]{3,160}@""",
        after="(?=@[A-Za-z0-9.-])",
        check=url_password, confidence="high", reach=270,
        sample=f"postgresql://app:{_WORD_SAMPLE}@db.example.net/orders",
    ),
    framed(
        "otpauth_secret", "secret of one-time passwords", r"""otpauth://[th]otp/[^\s"'<>]{1,200}?[?&]secret=""",
        "[A-Z2-7]{16,64}", "[A-Z2-7]{16}", check=plausible, confidence="high", reach=300,
        sample="otpauth://totp/ops:ci?secret=[A-Z2-7]{32}",
    ),
    framed(
        "azure_sas_signature", "Azure: signature in a shared URL", "[?&;]sig=", "[A-Za-z0-9%+/]{43,130}(?:=|%3[dD]){0,2}",
        "[A-Za-z0-9%+/]{43}", left="", check=signature, confidence="high",
        sample=f"https://store.blob.example.net/c?sv=2024-11-04&se=2030-01-01&sig={BASE64}{{42}}A=",
    ),
    framed(
        "azure_connection_string", "Azure: key in a connection string", "(?:AccountKey|SharedAccessKey)=",
        f"{BASE64}{{43,88}}={{0,2}}", f"{BASE64}{{43}}", check=generated_no_uuid, confidence="high",
        sample=f"AccountName=store;AccountKey={BASE64}{{86}}==",
    ),
    framed(
        "basic_auth_header", "header of basic authentication", r"(?i:basic)(?:\s|%20|\+){1,4}",
        rf"{BASE64}{{8,400}}={{0,2}}(?![A-Za-z0-9+/=])", f"{BASE64}{{8}}", check=basic_credentials, confidence="high",
    ),
    framed(
        "bearer_header", "bearer token", r"(?i:bearer)(?:\s|%20|\+){1,4}", r"[A-Za-z0-9._~+/-]{20,2000}={0,2}",
        "[A-Za-z0-9._~+/-]{20}", check=generated, sample=f"Authorization: Bearer {_KEY_SAMPLE}",
    ),
    Kind(
        name="token_header",
        about="token in an Authorization header",
        detect=rf"{_AUTHORIZATION}{_SCHEME}[A-Za-z0-9._~+/-]{{16}}",
        pattern=rf"(?P<name>{_AUTHORIZATION}){_SCHEME}(?P<secret>[A-Za-z0-9._~+/-]{{16,400}}={{0,2}})",
        check=behind_scheme,
        confidence="medium",
        names=names_authorization,
        value=rf"{_SCHEME}[A-Za-z0-9._~+/-]{{16,400}}={{0,2}}",
        reach=160,
        sample=f"Authorization: Token {_KEY_SAMPLE}",
    ),
    framed(
        "env_instruction", "secret in an instruction that sets a variable",
        r"(?:ENV|ARG|setenv|set -[gx]{1,3})\s{1,3}[A-Za-z0-9_]{0,40}(?i:passw(?:or)?d|passphrase|_pass|_pwd|secret|token|_key)[A-Za-z_]{0,8}\s{1,3}[\"']?",
        r"""[^\s"'\\]{6,200}""", r"""[^\s"'\\]{6}""", check=password, reach=140,
        sample=f"ENV DB_PASSWORD {_WORD_SAMPLE}",
    ),
    framed(
        "cli_password_flag", "password as an option of a command",
        r"""(?:--?(?:[a-z]{1,20}-)?pass(?:word|wd|phrase)?(?:=|\s{1,3}|["'],\s?["'])|sshpass\s{1,3}-p\s?|redis-cli\b[^\n]{0,120}?\s-a\s{1,3}|--requirepass\s{1,3})["']?""",
        r"""[^\s"'\\]{6,100}""", r"""[^\s"'\\]{6}""", check=password, reach=260, sample=f"mongosh --host db1 --password {_WORD_SAMPLE}",
    ),
    framed(
        "cli_secret_flag", "key or token as an option of a command",
        r"""--(?:[a-z]{1,20}-){0,3}(?:token|secret|api-?key|access-?key|secret-?key|auth-?key)(?:=|\s{1,3}|["'],\s?["'])["']?""",
        r"""[A-Za-z0-9_+/.=~-]{16,200}""", r"""[A-Za-z0-9_+/.=~-]{16}""", check=generated_no_uuid, reach=160,
        sample=f"deploy --api-key {_KEY_SAMPLE}",
    ),
    framed(
        "curl_user", "password of `curl -u`",
        r"""curl\b[^\n]{0,200}?\s(?:-u|--user|--proxy-user|-U)[ =]?["']?[^\s:"']{1,60}:""",
        r"""[^\s"'\\]{4,100}""", r"""[^\s"'\\]{4}""", check=url_password, reach=360,
        sample=f"curl -fsS -u bot:{_WORD_SAMPLE} art.example.net/a.jar",
    ),
    framed(
        "mysql_password_flag", "password of `mysql -p`", r"""(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{0,160}?\s-p["']?""",
        r"""[^\s"'\\]{6,100}""", r"""[^\s"'\\]{6}""", check=password, reach=320,
        sample=f"mysqldump -h db1 -u root -p{_WORD_SAMPLE} orders",
    ),
    framed(
        "netrc_password", "password in a netrc file",
        r"(?:login|machine)\s{1,4}\S{1,80}\s{1,4}(?:login\s{1,4}\S{1,80}\s{1,4})?password\s{1,4}", r"""[^\s"'\\]{4,100}""",
        r"""[^\s"'\\]{4}""", check=url_password, reach=300, sample=f"machine art.example.net login ci password {_WORD_SAMPLE}",
    ),
    framed(
        "sql_password", "password in an SQL statement",
        r"""(?i:identified\s{1,3}(?:with\s{1,3}\S{1,40}\s{1,3})?by|(?:encrypted\s{1,3})?password|set\s{1,3}password\s{0,3}=)\s{1,3}\\?['"]""",
        r"""[^\s"'\\]{6,100}""", r"""[^\s"'\\]{6}""", after=r"""(?=\\?['"])""", check=password, reach=160,
        sample=f"CREATE USER app IDENTIFIED BY '{_WORD_SAMPLE}'",
    ),
    framed(
        "pgpass_password", "password in a .pgpass file", r"[A-Za-z0-9_.*-]{1,60}:(?:\d{2,5}|\*):[A-Za-z0-9_*-]{1,40}:[A-Za-z0-9_-]{1,40}:",
        r"""[^\s"'\\:@/]{6,100}""", r"""[^\s"'\\:@/]{6}""", after=r"(?=\s|\Z)", check=password, reach=260, sample=f"db.example.net:5432:orders:app:{_WORD_SAMPLE}",
    ),
    framed(
        "spoken_password", "password in a sentence",
        r"""(?i:(?:password|passwd|passphrase|passcode|passwort|pass|pwd)\s{1,2}(?:is|was|=>|->|→|to|ist)\s{0,2}:?\s{0,2})[\"'`]?""",
        r"""[^\s"'`\\]{6,100}(?<![.,;:)])""", r"""[^\s"'`\\]{6}""", check=password, reach=200,
        sample=f"the password is {_WORD_SAMPLE}",
    ),
    framed(
        "spoken_secret", "key or token in a sentence",
        r"""(?i:(?:token|secret|api[ _-]?key|access[ _-]?key|secret[ _-]?key|credential)\s{1,2}(?:is|was|=>|->|→|to|ist)\s{0,2}:?\s{0,2})[\"'`]?""",
        r"""[A-Za-z0-9_+/.=~-]{16,200}(?<![.])""", r"""[A-Za-z0-9_+/.=~-]{16}""", check=generated_no_uuid, reach=200,
        sample=f"the api key is {_KEY_SAMPLE}",
    ),
)  # fmt: skip

NAMED: tuple[Kind, ...] = (
    named(
        "aws_secret_access_key", "AWS: secret access key", r"aws.{0,20}secret|secret.{0,3}access.{0,3}key", "A-Za-z0-9+/", 40, 40,
        names=names_aws_secret, check=aws_secret, sample=f"aws_secret_access_key = {WORD}{{37}}7fK",
    ),
    named(
        "docker_auth", "credentials in a Docker configuration", "auth", "A-Za-z0-9+/=", 12, 400, names=names_auth,
        check=basic_credentials,
    ),
    named(
        "hex_private_key", "Ethereum: private key", "priv(?:ate)?[_-]?key|signer|deployer", "A-Fa-f0-9x", 64, 66,
        names=names_private_key, check=hex_private_key, sample="PRIVATE_KEY=0x[0-9a-f]{64}",
    ),
    named(
        "wif_private_key", "Bitcoin: private key in import format", "priv(?:ate)?[_-]?key|wif", "1-9A-HJ-NP-Za-km-z", 51, 52,
        names=names_private_key, check=checksums.wif,
    ),
    named(
        "password_assignment", "password under its name", "pass|pwd?", r"""^\s"'`""", 6, 160, names=names_password,
        check=password, sample=f"password={_WORD_SAMPLE}",
    ),
    named(
        "secret_assignment", "key or token under its name", _KEY_WORDS, r"A-Fa-f0-9-", 36, 36, names=names_uuid_secret,
        check=generated,
    ),
    named(
        "secret_assignment", "key or token under its name", _KEY_WORDS, r"A-Za-z0-9_+/.=~!@#%^*:|$&\-", 16, 400,
        names=names_secret, check=generated_no_uuid, sample=f"API_TOKEN={_KEY_SAMPLE}",
    ),
)  # fmt: skip
