"""What has no form of its own: what stands around it, or the name it stands under, tells."""

from __future__ import annotations

from toolscore_otel.secrets.checks import (
    basic_credentials,
    behind_scheme,
    generated,
    generated_no_uuid,
    jwt,
    plausible,
    private_key,
    signature,
    url_password,
)
from toolscore_otel.secrets.kind import LEFT, Kind, framed
from toolscore_otel.secrets.names import names_authorization
from toolscore_otel.secrets.table.alphabets import BASE64, URL, WORD

_PEM = "[A-Z0-9 ]{0,20}PRIVATE KEY(?: BLOCK)?-----"
_AUTHORIZATION = r"""(?i:authorization)[\\"']{0,4}\s{0,3}[:=]\s{0,3}[\\"']{0,4}"""
_SCHEME = "(?i:token|api-?key|key|splunk|klaviyo-api-key|genie-?key|ssws|bot)[ =]{1,3}[\"']?"
_KEY_SAMPLE = f"{WORD}{{29}}4bQ"
_WORD_SAMPLE = f"{WORD}{{13}}7fK"

STRUCTURED: tuple[Kind, ...] = (
    Kind(
        name="private_key_pem",
        about="private key in PEM or PGP armour, whole or cut",
        detect=f"-----BEGIN {_PEM}",
        pattern=(
            f"(?P<secret>-----BEGIN {_PEM}"
            rf"(?:[^-]{{0,20000}}(?:-(?!----)[^-]{{0,2000}}){{0,80}}-?-----END {_PEM}|(?:[A-Za-z0-9+/=\s]|\\+[nr])*))"
        ),
        check=private_key,
        prefix=rf"-----BEGIN {_PEM}(?:[A-Za-z0-9+/=\s]|\\+[nr])*?",
    ),
    Kind(
        name="putty_key",
        about="private key of PuTTY",
        detect="Private-Lines: [0-9]",
        pattern=r"Private-Lines: \d{1,3}(?P<secret>[A-Za-z0-9+/=\s\\%]{40,8000}?)(?=(?:\s|\\[nr]|%0[AD]){0,4}Private-MAC|[^A-Za-z0-9+/=\s\\%]|\Z)",
        check=plausible,
        sample=f"PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n{BASE64}{{48}}\nPrivate-MAC: x",
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
        after="(?=@(?!sha256:)[A-Za-z0-9.-])", detect=r"""://[^\s:/@"'<>]{0,80}:[^\s@"'<>/]{3,160}@""",
        check=url_password, confidence="high", reach=270,
        sample=f"postgresql://app:{_WORD_SAMPLE}@db.example.net/orders",
    ),
    framed(
        "url_credentials", "password in a URL", r"(?:jdbc:oracle:(?:thin|oci8?):|sqlplus\s{1,3}(?:-[A-Za-z]{1,4}\s{1,3}){0,2})[A-Za-z0-9_]{1,40}/",
        r"""[^\s@"'<>/\\]{4,100}""", r"""[^\s@"'<>/\\]{4}""", after="(?=@)", check=url_password, confidence="high",
    ),
    framed(
        "otpauth_secret", "secret of one-time passwords", r"""otpauth://[th]otp/[^\s"'<>]{1,200}?[?&]secret=""",
        "[A-Z2-7]{16,64}", "[A-Z2-7]{16}", check=plausible, confidence="high", reach=300,
        sample="otpauth://totp/ops:ci?secret=[A-Z2-7]{32}",
    ),
    framed(
        "azure_sas_signature", "Azure: signature in a shared URL", "[?&;]sig=", "[A-Za-z0-9%+/]{43,130}?(?:=|%3[dD])",
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
        "url_token", "token as the user of a URL", "https?://", "[A-Za-z0-9_~-]{20,255}", "[A-Za-z0-9_~-]{20}",
        after=r"(?=@(?![A-Za-z0-9.-]*sentry|[A-Za-z0-9.:-]+/(?:\w+/)?\d+(?![\w/.-]))[A-Za-z0-9])",
        check=generated_no_uuid, reach=300, sample=f"https://{_KEY_SAMPLE}@git.example.net/a.git",
    ),
)  # fmt: skip
