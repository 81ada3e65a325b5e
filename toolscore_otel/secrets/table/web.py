"""What browsers and clients pass along: cookies, parameters of a URL, and logins as arguments of a call."""

from __future__ import annotations

from toolscore_otel.secrets.checks import (
    cookie,
    generated_no_uuid,
    password,
    query_key,
    query_signature,
)
from toolscore_otel.secrets.kind import LEFT, QUOTE, Kind, framed
from toolscore_otel.secrets.names import (
    names_cookie,
    names_cookies,
    names_entry_of_cookies,
    names_query_key,
    names_secret,
)
from toolscore_otel.secrets.table.alphabets import WORD

_COOKIE = r"[A-Za-z0-9_.-]{0,40}(?i:sess|sid|auth|token|jwt|login|remember|identity|ticket)[A-Za-z0-9_.-]{0,40}"
_OWN_COOKIE = (  # names that nothing but a session has
    r"(?:connect\.sid|PHPSESSID|JSESSIONID|ASP\.NET_SessionId"
    r"|(?:laravel|ci|rack|user|_gitlab|_rails)_?session|wordpress_logged_in_[0-9a-f]{32}|sessionid"
    r"|(?:__Secure-|__Host-)?(?:next-auth|authjs)\.session-token)"
)
_IN_COOKIE = "[A-Za-z0-9%._~+/:|-]"
_BESIDE_COOKIE = r"""[\\"']{1,8},\s{0,4}[\\"']{1,8}[vV]alue[\\"']{1,8}\s{0,4}:"""
_BEFORE_COOKIE = r"""(?:[^\s;=\\"']{1,60}=[^\s;\\"']{0,400};\s{0,2}){0,9}?"""
_PARAMETER = r"""[?&](?:amp;|\\u0026)?"""
_SIGNATURE = "(?:sig|signature|Signature|hmac|X-Amz-Signature|X-Goog-Signature|X-Oss-Signature)"
_CALLED_PASSWORDS = r"(?:[Pp]ass(?:word|wd|phrase)?|[Pp]wd|PASSWORD)"
_CALLED_KEYS = r"(?:[Aa]pi_?[Kk]ey|API_?KEY|(?:[A-Za-z]{1,12})?(?:Token|token|Secret|secret)|(?:Access|access|Secret|secret|Auth|auth)_?[Kk]ey)"
_SET = r"(?:(?<=\.)[A-Za-z]{0,20}?|(?<=->)|(?:set|with|Set|With)(?:[A-Za-z]{1,20}?|_)?)"
_LOGIN_CALL = (
    r"(?i:basic_?auth|credentials?|authentication|login|auth\s?=\s?|signin|sign_in|authenticate)"
)
_LONE = r"""[^\s"'`\\]{6,100}"""
_WORD_SAMPLE = f"{WORD}{{13}}7fK"
_KEY_SAMPLE = f"{WORD}{{29}}4bQ"

WEB: tuple[Kind, ...] = (
    framed(
        "session_cookie", "cookie of a session",
        rf"""(?i:cookie)[\\"']{{0,4}}\s{{0,3}}[:=]\s{{0,3}}[\\"']{{0,4}}{_BEFORE_COOKIE}(?P<name>{_COOKIE})=""",
        rf"{_IN_COOKIE}{{16,1000}}={{0,2}}", "", names=names_cookie, check=cookie, left="", reach=1300,
        detect=rf"(?i:sess|sid|auth|token|jwt|login|remember|identity|ticket)[A-Za-z0-9_.-]{{0,40}}={_IN_COOKIE}{{16}}",
        sample=f"Set-Cookie: session={_KEY_SAMPLE}; Path=/; HttpOnly",
    ),
    framed(
        "session_cookie", "cookie of a session", rf"{_OWN_COOKIE}=", rf"{_IN_COOKIE}{{16,1000}}={{0,2}}", f"{_IN_COOKIE}{{16}}",
        left=r"(?<![A-Za-z0-9_-])", check=cookie,
        detect=rf"(?:sid|SESSID|SESSIONID|SessionId|session|sessionid|logged_in_[0-9a-f]{{32}}|session-token)={_IN_COOKIE}{{16}}",
    ),
    Kind(
        name="session_cookie",
        about="cookie of a session",
        detect=r"""(?i:cookies)[\\"']{0,8}\s{0,4}[:=]\s{0,4}[\[{]""",
        pattern=rf"""(?P<name>[Cc]ookies["']?\s{{0,4}}[:=]\s{{0,4}}\{{[^{{}}\n]{{0,200}}?["']{_COOKIE})["']\s?:\s?["'](?P<secret>{_IN_COOKIE}{{16,1000}}={{0,2}})["']""",
        check=cookie,
        confidence="medium",
        names=names_entry_of_cookies,
        value=rf"{_IN_COOKIE}{{16,1000}}={{0,2}}",
        reach=160,
    ),
    Kind(
        name="session_cookie",
        about="cookie of a session",
        detect=rf"""(?i:cookie)[\\"']{{1,8}}\s{{0,4}}(?:[:,]|{_BESIDE_COOKIE})\s{{0,4}}[\\"']{{1,8}}[A-Za-z0-9_.-]{{1,60}}=""",
        pattern="(?!)(?P<name>)(?P<secret>)",
        check=cookie,
        confidence="medium",
        names=names_cookies,
        value=rf"(?<![A-Za-z0-9_.-]){_COOKIE}=(?P<secret>{_IN_COOKIE}{{16,1000}}={{0,2}})",
        reach=160,
    ),
    framed(
        "url_parameter", "key or signature in a URL", rf"{_PARAMETER}(?:key|appid|app_?key|auth)=", r"(?:[A-Za-z0-9._~/-]|%2[BbFf]|%3[Dd]){16,200}(?![A-Za-z0-9%])",
        "(?:[A-Za-z0-9._~/-]|%2[BbFf]|%3[Dd]){16}", left="", check=query_key, sample=f"https://maps.example.net/v1?q=a&key={_KEY_SAMPLE}",
    ),
    framed(
        "url_parameter", "key or signature in a URL", rf"{_PARAMETER}{_SIGNATURE}=", r"[A-Za-z0-9._~+/%-]{20,700}={0,2}",
        "[A-Za-z0-9._~+/%-]{20}", left="", check=query_signature,
    ),
    Kind(
        name="url_parameter",
        about="key or signature in a URL",
        detect=r"""(?i:params|query(?:_?params)?)[\\"']{1,8}\s{0,4}:\s{0,4}\{[^{}]{0,300}[\\"'](?:key|appid|sig|signature)[\\"']{1,8}\s{0,4}:""",
        pattern=r"""(?i:params)\s?=\s?\{[^{}\n]{0,200}?["'](?P<name>key|appid)["']\s?:\s?["'](?P<secret>[A-Za-z0-9._~+/-]{16,200}={0,2})["']""",
        check=query_key,
        confidence="medium",
        names=names_query_key,
        value=r"[A-Za-z0-9._~+/-]{16,200}={0,2}",
        reach=400,
    ),
    framed(
        "login_call", "password beside its user in a call", rf"{_LOGIN_CALL}\(\s?{QUOTE}[^\s\"'\\]{{1,60}}{QUOTE},\s{{0,2}}{QUOTE}", _LONE,
        r"""[^\s"'`\\]{6}""", after=f"(?={QUOTE})", left="", check=password, reach=200, detect=r"""\(\s?\\{0,3}["'][^\s"'\\]{1,60}\\{0,3}["'],\s{0,2}\\{0,3}["'][^\s"'`\\]{6}""", sample=f"auth=('ci', '{_WORD_SAMPLE}')",
    ),
    framed(
        "password_assignment", "password under its name", rf"{_SET}{_CALLED_PASSWORDS}\(\s?{QUOTE}", _LONE, r"""[^\s"'`\\]{6}""",
        after=rf"(?={QUOTE}\s?[),.])", left="", check=password, detect=rf"""{_CALLED_PASSWORDS}\(\s?{QUOTE}[^\s"'`\\]{{6}}""",
    ),
    framed(
        "secret_assignment", "key or token under its name", rf"{_SET}(?P<name>{_CALLED_KEYS})\(\s?{QUOTE}", "[A-Za-z0-9_+/.=~-]{16,400}", "[A-Za-z0-9_+/.=~-]{16}",
        after=rf"(?={QUOTE}\s?[),.])", left="", names=names_secret, check=generated_no_uuid, detect=rf"(?i:key|token|secret)\(\s?{QUOTE}[A-Za-z0-9_+/.=~-]{{16}}",
    ),
    framed(
        "secret_assignment", "key or token under its name", rf"(?i:jwt)\.(?:sign|encode|verify|decode)\([^\n,()]{{1,60}},\s{{0,2}}{QUOTE}", "[A-Za-z0-9_+/.=~-]{16,400}",
        "[A-Za-z0-9_+/.=~-]{16}", after=rf"(?={QUOTE})", left=LEFT, check=generated_no_uuid,
    ),
)  # fmt: skip
