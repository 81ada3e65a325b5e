"""What clients and drivers are given: logins in commands, connection strings, calls, files and browsers."""

from __future__ import annotations

from toolscore_otel.secrets.checks import (
    drawn_password,
    generated_no_uuid,
    password,
    told_password,
    url_password,
)
from toolscore_otel.secrets.kind import GAP, QUOTE, Kind, framed
from toolscore_otel.secrets.names import names_password, names_secret

_LONE = r"""[^\s"'`\\]{6,100}"""
_LEAST = r"""[^\s"'`\\]{6}"""
_LONG = "[A-Za-z0-9_+/.=~-]{16,400}"
_LONG_LEAST = "[A-Za-z0-9_+/.=~-]{16}"
_REST = r"[^\n|;&]{0,160}?\s"
_CALLED = "(?:pass(?:word|wd|phrase)?|pwd)"
_FILL = r"(?:fill|type|send_?[kK]eys|set_?[vV]alue|press_?[sS]equentially)"
_DRIVER = r"(?:mysqli?_connect|mysqli|pg_connect|PDO|getConnection|create_engine)"
_DEFAULT = (
    rf"(?:\s?\{{|:){GAP}{{1,20}}type\s{{0,8}}[=:]\s{{0,4}}{QUOTE}?string{QUOTE}?{GAP}{{1,20}}default"
    rf"\s{{0,8}}[=:]\s{{0,4}}{QUOTE}"
)

CLIENTS: tuple[Kind, ...] = (
    framed(
        "cli_password_flag", "password as an option of a command",
        rf"(?:(?:rabbitmqadmin|cqlsh|evil-winrm|nxc|netexec|crackmapexec)\b{_REST}-p\s{{1,3}}|(?:plink|pscp|psftp)\b{_REST}-pw\s{{1,3}}"
        rf"|mosquitto_[a-z]{{3}}\b{_REST}-P\s{{1,3}}|lftp\b{_REST}-u\s{{1,3}}[^\s,\"']{{1,60}},|freerdp\b{_REST}/p:|signtool\b{_REST}/p\s{{1,3}}"
        rf"|rabbitmqctl\s{{1,3}}(?:add_user|change_password)\s{{1,3}}\S{{1,40}}\s{{1,3}}){QUOTE}?",
        _LONE, _LEAST, check=password, left="", reach=300,
    ),
    framed(
        "cli_password_flag", "password as an option of a command",
        r"net\s{1,3}use\s{1,3}[^\s/*]{1,80}\s{1,3}(?:\\[^\s/*]{1,80}\s{1,3})?", r"""[^\s"'\\*/]{6,100}""", r"""[^\s"'\\*/]{6}""",
        after=r"(?=\s{1,3}/(?i:user|persistent))", check=password, reach=200,
    ),
    framed(
        "curl_user", "password of `curl -u`",
        rf"""(?:(?:https?|xh)\s{{1,2}}[^\n:]{{0,80}}?(?:-a|--auth)[ =]{QUOTE}?[^\s:"']{{1,60}}:|(?:[a-z]{{0,8}}exec|secretsdump|(?:mssql|smb)client|Get[A-Za-z]{{4,9}})(?:\.py)?\s[^\n:]{{0,60}}?[\w.-]{{1,40}}/[^\s:/@"']{{1,40}}:)""",
        r"""[^\s"'\\@/][^\s"'\\@]{3,100}""", r"""[^\s"'\\@/][^\s"'\\@]{3}""", check=url_password, reach=260,
    ),
    framed(
        "password_assignment", "password under its name", rf"(?:(?:requirepass|masterauth)|enable\s(?:secret|password)|username\s\S{{1,40}}(?:\sprivilege\s\d{{1,2}})?\s(?:password|secret)|snmp-server\scommunity)\s{{1,4}}(?:0\s)?{QUOTE}?",
        _LONE, _LEAST, check=told_password, reach=160,
    ),
    framed(
        "password_assignment", "password under its name",
        rf"(?i:pass(?:word|phrase)?)[:?]?[*\s]?{QUOTE}{GAP}{{1,4}}(?:;\s?)?send(?:line)?\s(?:--\s)?{QUOTE}", r"""[^\s"'\\]{6,100}""",
        r"""[^\s"'\\]{6}""", check=password, left="",
    ),
    framed(
        "password_assignment", "password under its name", r"AUTH\s{1,2}(?:default\s)?", r"""[^\s"'\\]{6,100}""", r"""[^\s"'\\]{6}""",
        after=r"""(?=\\?[rn\s"']|\Z)""", check=drawn_password,
    ),
    framed(
        "connection_password", "password in a connection string", r"(?i:pwd|password)=\{", r"[^\s{}\"'\\]{6,100}", r"[^\s{}\"'\\]{6}",
        after=r"(?=\}(?:;|\Z|\\?[\"']))", check=drawn_password, sample="Driver={x};UID=app;PWD={[A-Za-z0-9]{13}7fK};",
    ),
    framed(
        "url_credentials", "password in a URL", r"(?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]{1,40}:", r"""[^\s@"'<>/:]{3,100}""", "",
        after=r"(?=@(?:tcp|unix)\()", check=url_password, confidence="high", left="", detect=r"""[^\s@"'<>/:]{3}@(?:tcp|unix)\(""", reach=160,
    ),
    framed(
        "wifi_password", "password of a wireless network", r"WIFI:(?:[TSHR]:[^;\s\"]{0,64};){0,4}?P:", r"[^;\s\"\\]{8,63}", r"[^;\s\"\\]{8}",
        after="(?=;)", check=url_password, reach=300, sample="WIFI:T:WPA;S:Office;P:[A-Za-z0-9]{13}7fK;;",
    ),
    framed(
        "login_call", "password beside its user in a call",
        rf"{_DRIVER}\(\s?{QUOTE}[^\n\"']{{1,160}}{QUOTE},\s{{0,2}}{QUOTE}[^\s\"'\\]{{1,60}}{QUOTE},\s{{0,2}}{QUOTE}", _LONE, _LEAST,
        after=f"(?={QUOTE})", left="", check=password, reach=330,
    ),
    framed(
        "password_assignment", "password under its name",
        rf"(?i:{_CALLED})[A-Za-z0-9_-]{{0,12}}{QUOTE}?\]?{QUOTE}?\)\s?\.\s?{_FILL}\(\s?{QUOTE}", _LONE, _LEAST, after=f"(?={QUOTE})",
        left="", check=password,
    ),
    framed(
        "password_assignment", "password under its name",
        rf"{_FILL}\(\s?{QUOTE}[^\n,()]{{0,60}}?(?i:{_CALLED})[A-Za-z0-9_-]{{0,12}}[\\\]\"'`)]{{1,8}}\s?,\s{{0,2}}{QUOTE}", _LONE, _LEAST,
        after=f"(?={QUOTE})", left="", check=password, reach=160,
    ),
    framed(
        "password_assignment", "password under its name",
        rf"(?i:<(?:\w{{1,10}}:)?password\s[^<>]{{1,200}}>|{_CALLED}\s?:?\s?</t[dh]>\s{{0,20}}<td[^<>]{{0,60}}>)", r"""[^<>\s]{6,100}""",
        r"""[^<>\s]{6}""", after=r"(?=\s?</)", left="", check=password, reach=260,
    ),
    framed(
        "password_assignment", "password under its name",
        rf"(?i)(?P<name>[A-Za-z0-9_]{{0,40}}(?:pass|pwd)[A-Za-z0-9_]{{0,20}}){QUOTE}?{_DEFAULT}", _LONE, _LEAST, names=names_password,
        check=password, reach=320,
    ),
    framed(
        "secret_assignment", "key or token under its name",
        rf"(?i)(?P<name>[A-Za-z0-9_]{{0,40}}(?:secret|token|key)[A-Za-z0-9_]{{0,20}}){QUOTE}?{_DEFAULT}", _LONG, _LONG_LEAST,
        names=names_secret, check=generated_no_uuid, reach=320,
    ),
    framed(  # of a part of a form
        "secret_assignment", "key or token under its name",
        rf"name={QUOTE}(?P<name>[A-Za-z0-9_.-]{{0,30}}(?i:secret|token|key)[A-Za-z0-9_.-]{{0,20}}){QUOTE}(?:\r?\n|\\{{1,3}}r\\{{1,3}}n){{2}}",
        _LONG, _LONG_LEAST, names=names_secret, check=generated_no_uuid, reach=160,
    ),
    framed(
        "sql_password", "password in an SQL statement", r"(?i:identified\s{1,3}by\s{1,3})", r"[A-Za-z0-9][^\s\"'\\;,()]{5,100}",
        r"[A-Za-z0-9][^\s\"'\\;,()]{5}", check=told_password, left="",
    ),
    framed(
        "sql_password", "password in an SQL statement", r"(?<![A-Za-z0-9_])(?:PASSWORD|password)\(\s?\\{0,3}[\"']", _LONE, _LEAST,
        after=r"""(?=\\{0,3}["']\s?\))""", check=password, left="", detect=rf"""(?:PASSWORD|password)\(\s?\\{{0,3}}["']{_LEAST}""",
    ),
    framed(
        "aws_secret_access_key", "AWS: secret access key", r"mc\s{1,3}(?:alias\s{1,3}set|config\s{1,3}host\s{1,3}add)\s{1,3}\S{1,40}\s{1,3}\S{1,100}\s{1,3}\S{3,80}\s{1,3}",
        r"[A-Za-z0-9+/_=-]{16,64}", r"[A-Za-z0-9+/_=-]{16}", check=generated_no_uuid, reach=330,
    ),
)  # fmt: skip
