"""Passwords and keys that somebody tells in a sentence."""

from __future__ import annotations

import json

from toolscore_otel.secrets.checks import generated_no_uuid, password, told_password
from toolscore_otel.secrets.kind import QUOTE, Kind, framed
from toolscore_otel.secrets.names import names_secret
from toolscore_otel.secrets.table.alphabets import WORD

_SPOKEN = "(?:password|passwd|passphrase|passcode|passwort|pwd)"
_ABROAD = (
    "密码|密碼|口令|パスワード|비밀번호|пароль|contraseña|mot de passe|senha|kennwort|wachtwoord|hasło|parola|şifre|lösenord|heslo"
    "|salasana|adgangskode|passord|jelszó|kata sandi|mật khẩu|कूटशब्द|पासवर्ड|كلمة المرور|كلمة السر|סיסמה|รหัสผ่าน|κωδικός|clave|mdp|암호|暗証番号"
)
_IS_ABROAD = "[:=：]|—|是|は|为|es|é|è|ist|est|är|er|je|to|là|adalah"  # noqa: RUF001 - in other languages
_KEYS_ABROAD = (
    "API[- ]?Schlüssel|clé (?:d['’])?API|clave (?:de (?:la )?)?API|chave (?:de |da )?API|chiave API|密钥|密鑰|令牌|キー|トークン"  # noqa: RUF001 - typographic
    "|токен|ключ(?: API)?|API[- ]nyckel|API[- ]sleutel|klucz API|API[- ]?키|토큰|시크릿"
)
_LAST = r"[.,;:)]"
_LONE = rf"""[^\s"'`\\]{{6,100}}(?<!{_LAST})"""
_LEAST = r"""[^\s"'`\\]{6}"""
_KEY_SAMPLE = f"{WORD}{{29}}4bQ"
_WORD_SAMPLE = f"{WORD}{{13}}7fK"


def _escaped(words: str) -> str:
    """As they stand in JSON that is ASCII."""
    return json.dumps(words.replace("[:=：]", "[:=]|："))[1:-1].replace("\\", r"\\")  # noqa: RUF001 - in other languages


SPOKEN: tuple[Kind, ...] = (
    framed(
        "spoken_password", "password in a sentence",
        rf"(?i:(?:{_SPOKEN}\s{{1,2}}(?:(?:is|was|to|ist|es|est|lautet)\b|=>|->|→|[èé]|\\u00e[89])|pass\s{{1,2}}(?:(?:is|was)\b|=>|->|→))\s{{0,2}}:?\s{{0,2}}){QUOTE}?",
        _LONE, _LEAST, check=password, reach=200, sample=f"the password is {_WORD_SAMPLE}",
    ),
    framed(
        "spoken_password", "password in a sentence",
        rf"(?i:(?:use|using|with|enter|try|temp|temporary|new|(?:user|username)\s{{1,2}}\S{{1,40}})\s{{1,2}}password\s{{1,2}}){QUOTE}?",
        _LONE, _LEAST, check=told_password, reach=200,
    ),
    framed(
        "spoken_password", "password in a sentence",
        rf"(?i:(?:{_SPOKEN}(?:['’]s|s\s{{1,2}}are)|(?:log[io]n|sign in|user(?:name)?|account|creds|credentials|e-?mail)\b[^\n]{{1,60}}?[\s/,;](?:pw|pass|{_SPOKEN}))\s{{1,2}}){QUOTE}?",  # noqa: RUF001 - typographic
        _LONE, _LEAST, check=told_password, reach=200,
        detect=rf"(?i)[^A-Za-z](?:pw|pass|{_SPOKEN}(?:(?:'|’|\\u2019)s)?)\s{{1,2}}{QUOTE}?{_LEAST}",  # noqa: RUF001 - typographic
    ),
    framed(
        "spoken_password", "password in a sentence",
        r"(?i:\b(?:creds|credentials|log[io]n)(?:\sfor\s\S{1,30})?\s{0,2}(?:are|is|:|=)?\s{1,2})[^\s:/\"']{1,60}(?:\s?[:/]\s?)",
        _LONE, _LEAST, check=told_password, reach=200,
    ),
    framed(
        "spoken_password", "password in a sentence",
        rf"(?i:{_ABROAD})\s{{0,2}}(?:{_IS_ABROAD})\s{{0,2}}{QUOTE}?",
        rf"[!-~]{{6,100}}(?<!{_LAST})", "[!-~]{6}", check=password, reach=200,
        detect=rf"(?i:{_ABROAD}|{_escaped(_ABROAD)})\s{{0,2}}(?:{_IS_ABROAD}|{_escaped(_IS_ABROAD)})\s{{0,2}}{QUOTE}?[!-~]{{6}}",
    ),
    framed(
        "spoken_secret", "key or token in a sentence",
        rf"(?i:(?:token|secret|api[ _-]?key|access[ _-]?key|secret[ _-]?key|credential)\s{{1,2}}(?:(?:is|was|to|ist)\b|=>|->|→)\s{{0,2}}:?\s{{0,2}}){QUOTE}?",
        r"[A-Za-z0-9_+/.=~-]{16,200}(?<![.])", r"[A-Za-z0-9_+/.=~-]{16}", check=generated_no_uuid, reach=200,
        sample=f"the api key is {_KEY_SAMPLE}",
    ),
    framed(
        "spoken_secret", "key or token in a sentence", rf"(?i:{_KEYS_ABROAD})\s{{0,2}}(?:{_IS_ABROAD})\s{{0,2}}{QUOTE}?",
        r"[A-Za-z0-9_+/.=~-]{16,200}(?<!\.)", r"[A-Za-z0-9_+/.=~-]{16}", left="", check=generated_no_uuid, reach=200,
        detect=rf"(?i:{_KEYS_ABROAD}|{_escaped(_KEYS_ABROAD)})\s{{0,2}}(?:{_IS_ABROAD}|{_escaped(_IS_ABROAD)})\s{{0,2}}{QUOTE}?[A-Za-z0-9_+/.=~-]{{16}}",
    ),
    framed(
        "spoken_secret", "key or token in a sentence",
        rf"(?i)(?<![A-Za-z0-9_-])(?P<name>(?:[a-z]{{1,20}}[ _-]){{0,2}}(?:token|secret|(?:api|access|secret|private|auth)[ _-]?key))\s{{1,2}}{QUOTE}?",
        r"[A-Za-z0-9_+/.=~-]{20,200}(?<!\.)", r"[A-Za-z0-9_+/.=~-]{20}", names=names_secret, check=generated_no_uuid, reach=200,
        detect=rf"(?i)(?:token|secret|(?:api|access|secret|private|auth)[ _-]?key)\s{{1,2}}{QUOTE}?[A-Za-z0-9_+/.=~-]{{20}}",
    ),
)  # fmt: skip
