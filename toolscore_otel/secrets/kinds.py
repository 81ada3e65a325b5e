"""The rule table. A row is all there is to a kind, but for its check.

Order is precedence: where two kinds claim the same characters, the one further up has them. What only a name tells
stands last.
"""

from __future__ import annotations

from toolscore_otel.secrets import checksums
from toolscore_otel.secrets.checks import (
    aws_secret,
    basic_credentials,
    generated,
    generated_no_uuid,
    gitlab,
    jwt,
    password,
    private_key,
    url_password,
)
from toolscore_otel.secrets.kind import LEFT, Kind, framed, named, token
from toolscore_otel.secrets.names import (
    names_aws_secret,
    names_password,
    names_secret,
    names_uuid_secret,
)

_62 = "[A-Za-z0-9]"
_64 = "[A-Za-z0-9+/]"
_URL = "[A-Za-z0-9_-]"
_HEX = "[0-9a-f]"

_PEM = "[A-Z0-9 ]{0,20}PRIVATE KEY(?: BLOCK)?-----"
_DISCORD_DIGITS = "[MNO][DTjz][AEIMQUYcgk][w-z0-5]"  # base64 of three decimal digits
_GITLAB = "(?:glpat|gldt|glrt|glcbt|glptt|glft|glimt|glagent|gloas|glsoat|glffct|glrtr|glwt)-"
_AZURE_SIGNATURES = r"(?:\+ASt|ACDb|\+ABa|\+AMC|APIM)"
_KEY_WORDS = (
    "secret|token|credential|authorization|(?:api|app|auth|access|private|signing|encryption|master|account|shared"
    "|subscription|service|admin|deploy|webhook|hmac|jwt|storage|license)[_.-]?key"
)

TABLE: tuple[Kind, ...] = (
    Kind(
        name="private_key_pem",
        detect=f"-----BEGIN {_PEM}",
        pattern=(
            f"(?P<secret>-----BEGIN {_PEM}"
            rf"(?:[^-]{{0,20000}}(?:-(?!----)[^-]{{0,2000}}){{0,40}}-----END {_PEM}|(?:[A-Za-z0-9+/=\s]|\\+[nr])*))"
        ),
        check=private_key,
        prefix=rf"-----BEGIN {_PEM}(?:[A-Za-z0-9+/=\s]|\\+[nr])*?",
    ),
    token("aws_access_key_id", "(?:AKIA|ASIA|ABIA|ACCA)", "[A-Z2-7]", 16),
    token("gcp_api_key", "AIza", _URL, 35),
    token("google_oauth_client_secret", "GOCSPX-", _URL, 28),
    token("google_oauth_access_token", r"ya29\.", _URL, 30, 2000),
    token("google_oauth_refresh_token", "1(?://|%2[Ff]%2[Ff])0", _URL, 60, 200),
    token("azure_storage_or_cosmos_key", f"{_64}{{76}}{_AZURE_SIGNATURES}", _64, 5, end="[AQgw]==", prefix=""),
    token("cloudflare_token", "cf(?:ut|at|k)_", _62, 48, check=checksums.hex_of_body),
    token("github_token_classic", "gh[pousr]_", _62, 36, check=checksums.github),
    token("github_fine_grained_pat", f"github_pat_{_62}{{22}}_", _62, 59, prefix="github_pat_"),
    token(
        "gitlab_token", _GITLAB, _URL, 20, 300,
        end=r"(?:(?:\.[0-9a-z]{2})?\.[0-9a-z]{9}(?![0-9a-z]))?", check=gitlab,
    ),
    token(
        "atlassian_api_token", f"(?:ATATT3xFfGF0|ATCTT3xFfGN0){_URL}{{80,800}}=", "[0-9A-F]", 8,
        check=checksums.hex_of_all_before, prefix="AT[AC]TT3xFfG[FN]0", reach=840,
    ),
    token("bitbucket_app_password", f"ATBB{_62}{{24}}", "[0-9A-F]", 8, check=checksums.hex_of_all_before, prefix="ATBB"),
    token("npm_token", "npm_", _62, 36, check=checksums.github),
    token("pypi_token", "pypi-AgEI(?:cHlwaS5vcmc|dGVzdC5weXBpLm9yZw)", _URL, 50, 1000, prefix="pypi-AgEI"),
    token(
        "openai_api_key", f"sk-(?:proj-|svcacct-|admin-|None-)?{_URL}{{20,74}}T3BlbkFJ", _URL, 20, 74,
        prefix="sk-(?:proj|svcacct|admin)-", reach=140,
    ),
    token("anthropic_api_key", "sk-ant-(?:api03|admin01|oat01|ort01|sid01|sid02)-", _URL, 80, 110),
    token("huggingface_token", "(?:hf|api_org)_", "[A-Za-z]", 34),
    token("stripe_secret_key", "(?:sk|rk)_(?:live|test)_", _62, 24, 247),
    token("stripe_webhook_secret", "whsec_", _64, 32, 64, end="={0,2}"),
    token("slack_app_token", r"xapp-\d-[A-Z0-9]{9,12}-\d{10,14}-", _HEX, 64, prefix=r"xapp-\d-[A-Z0-9]", reach=140),
    token("slack_token", "xox[bparsoc]-", "[0-9A-Za-z-]", 20, 160, prefix=r"xox[bparsoc]-\d"),
    token(
        "slack_webhook", r"(?:https://)?hooks\.slack\.com/(?:services|workflows|triggers)/", _64, 40, 60,
        prefix=r"https://hooks\.slack\.com/(?:services|workflows|triggers)/",
    ),
    token(
        "discord_bot_token",
        rf"(?:{_DISCORD_DIGITS}){{5,6}}(?:[MNO][DTjz][AEIMQUYcgk]|[MNO][AQgw])?\.{_URL}{{6}}\.", _URL, 27, 40, prefix="",
    ),
    token(
        "telegram_bot_token", r"\d{8,10}(?::|%3[Aa])AA", _URL, 33, left=r"(?:(?<![A-Za-z0-9])|(?<=[/\\]bot))",
        prefix="",
    ),
    token("twilio_api_key_sid", "SK", _HEX, 32, prefix=""),
    token("sendgrid_key", rf"SG\.{_URL}{{22}}\.", _URL, 43, prefix=rf"SG\.{_URL}{{22}}\."),
    token("grafana_token", f"glsa_{_62}{{32}}_", _HEX, 8, check=checksums.grafana, prefix="glsa_"),
    Kind(
        name="jwt",
        detect=rf"\.eyJ{_URL}{{10}}",
        pattern=rf"{LEFT}(?P<secret>eyJ{_URL}{{10,2000}}\.eyJ{_URL}{{10,16000}}\.{_URL}{{20,2000}})(?!{_URL})",
        check=jwt,
        prefix="eyJ(?:hbGciOi|0eXAiOi|raWQiOi)",
        reach=2100,
    ),
    framed(
        "url_credentials",
        r"""[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s:/@"'<>]{0,80}:""",
        r"""[^\s@"'<>/]{3,160}""",
        r"""[^\s@"'<>/]{3,160}@""",
        after="(?=@[A-Za-z0-9.-])",
        check=url_password,
        confidence="high",
        reach=270,
    ),
    framed(
        "azure_connection_string", "(?:AccountKey|SharedAccessKey)=", f"{_64}{{43,88}}={{0,2}}", f"{_64}{{43}}",
        check=generated_no_uuid, confidence="high",
    ),
    framed(
        "basic_auth_header", r"(?i:basic)\s{1,4}", rf"{_64}{{8,400}}={{0,2}}(?![A-Za-z0-9+/=])", f"{_64}{{8}}",
        check=basic_credentials, confidence="high",
    ),
    framed(
        "bearer_header", r"(?i:bearer)\s{1,4}", r"[A-Za-z0-9._~+/-]{20,2000}={0,2}", "[A-Za-z0-9._~+/-]{20}",
        check=generated,
    ),
    framed(
        "cli_password_flag", r"""(?:--(?:[a-z]{1,20}-)?pass(?:word|wd)?(?:=|\s{1,3})|sshpass\s{1,3}-p\s?)["']?""",
        r"""[^\s"'\\]{6,100}""", r"""[^\s"'\\]{6}""", check=password,
    ),
    framed(
        "cli_secret_flag",
        r"""--(?:[a-z]{1,20}-){0,3}(?:token|secret|api-?key|access-?key|secret-?key)(?:=|\s{1,3})["']?""",
        r"""[A-Za-z0-9_+/.=~-]{16,200}""", r"""[A-Za-z0-9_+/.=~-]{16}""", check=generated_no_uuid, reach=160,
    ),
    framed(
        "curl_user",
        r"""curl\b[^\n]{0,200}?\s(?:-u|--user|--proxy-user)[ =]?["']?[^\s:"']{1,60}:""",
        r"""[^\s"'\\]{4,100}""", r"""[^\s"'\\]{4}""", check=url_password, reach=360,
    ),
    named(
        "aws_secret_access_key", r"aws.{0,20}secret|secret.{0,3}access.{0,3}key", "A-Za-z0-9+/", 40, 40,
        names=names_aws_secret, check=aws_secret,
    ),
    named(
        "password_assignment", "pass|pwd?", r"""^\s"'`""", 6, 160, names=names_password, check=password,
    ),
    named(
        "secret_assignment", _KEY_WORDS, r"A-Fa-f0-9-", 36, 36, names=names_uuid_secret, check=generated,
    ),
    named(
        "secret_assignment", _KEY_WORDS, r"A-Za-z0-9_+/.=~!@#%^*:|$&\-", 16, 400,
        names=names_secret, check=generated_no_uuid,
    ),
)  # fmt: skip

KINDS: tuple[str, ...] = tuple(sorted({kind.name for kind in TABLE}))
"""The names of all kinds, sorted."""
