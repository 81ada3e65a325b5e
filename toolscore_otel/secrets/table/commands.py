"""Commands, and files that are no mapping: where a secret stands in them."""

from __future__ import annotations

from toolscore_otel.secrets.checks import (
    flag_password,
    generated,
    generated_no_uuid,
    password,
    plausible,
    url_password,
)
from toolscore_otel.secrets.kind import GAP, QUOTE, Kind, framed
from toolscore_otel.secrets.names import names_password, names_secret, names_uuid_option
from toolscore_otel.secrets.table.alphabets import HEX, UUID_HEAD, WORD

_WORD_SAMPLE = f"{WORD}{{13}}7fK"
_PASSWORDS_FLAG = r"--?(?:[a-z]{1,20}-|(?:src|dest)?store|key|require)?[Pp]ass(?:word|wd|phrase)?"
_SECRETS_FLAG = r"--?(?:[A-Za-z]{1,20}[_-]?){0,3}(?i:token|secret|api[_-]?key|(?:access|secret|auth|master|private|signing|encryption)[_-]?key)"
_FLAG_VALUE = rf"""(?:=|\s{{1,3}}|{QUOTE},\s?{QUOTE}){QUOTE}?"""
_REST = r"[^\n|;&]{0,160}?\s"
_SHORT_FLAG = (
    rf"(?:(?:docker|podman|nerdctl|buildah|skopeo|registry|az|oc|cf|crane|oras)\s{{1,3}}login\b{_REST}-p\s{{1,3}}"
    rf"|(?:mongo(?:sh|dump|restore|export|import)?|psexec)\b{_REST}-p\s{{1,3}}"
    rf"|openssl\s{{1,3}}enc\b{_REST}-k\s{{1,3}}|ssh-keygen\b{_REST}-N\s{{1,3}}|user(?:add|mod)\b{_REST}-p\s{{1,3}}"
    rf"|(?:sqlcmd|bcp)\b{_REST}-P\s{{1,3}}|\b(?:un)?zip\b{_REST}-P\s{{1,3}}|\b7za?\b{_REST}-p"
    rf"|ldap[a-z]{{3,8}}\b{_REST}-w\s{{1,3}}|htpasswd\s{{1,3}}-\w{{0,4}}b\w{{0,4}}\s{{1,3}}\S{{1,80}}\s{{1,3}}\S{{1,40}}\s{{1,3}}"
    rf"|smbclient\b{_REST}-U\s?{QUOTE}?[^\s%\"']{{1,60}}%)"
)
_LONE = r"""[^\s"'\\]{6,100}"""
_LEAST = r"""[^\s"'\\]{6}"""
_LONG = r"[A-Za-z0-9_+/.=~-]{16,200}"
_LONG_LEAST = r"[A-Za-z0-9_+/.=~-]{16}"

COMMANDS: tuple[Kind, ...] = (
    framed(
        "env_instruction", "secret in an instruction that sets a variable",
        rf"(?:ENV|ARG|setenv|setx|set -[gx]{{1,3}})\s{{1,3}}[A-Za-z0-9_]{{0,40}}(?i:passw(?:or)?d|passphrase|_pass|_pwd|secret|token|_key)[A-Za-z_]{{0,8}}\s{{1,3}}{QUOTE}?",
        r"""[^\s"'\\]{6,200}""", _LEAST, check=password, reach=140,
        sample=f"ENV DB_PASSWORD {_WORD_SAMPLE}",
    ),
    framed(
        "cli_password_flag", "password as an option of a command",
        rf"(?:{_PASSWORDS_FLAG}{_FLAG_VALUE}|(?:sshpass\s{{1,3}}-p\s?|redis-cli\b[^\n]{{0,120}}?\s-a\s{{1,3}}){QUOTE}?)",
        _LONE, _LEAST, check=flag_password, reach=260, sample=f"mongosh --host db1 --password {_WORD_SAMPLE}",
    ),
    framed(
        "cli_password_flag", "password as an option of a command", rf"{_SHORT_FLAG}{QUOTE}?", _LONE, _LEAST,
        check=password, reach=360,
    ),
    framed(
        "cli_password_flag", "password as an option of a command", r"net\s{1,3}user\s{1,3}[^\s/*]{1,40}\s{1,3}", r"""[^\s"'\\*/]{6,100}""",
        r"""[^\s"'\\*/]{6}""", after=r"(?=\s{1,3}/(?i:add|y|active|domain))", check=password,
    ),
    framed(
        "cli_secret_flag", "key or token as an option of a command", f"(?P<name>{_SECRETS_FLAG}){_FLAG_VALUE}",
        f"{UUID_HEAD}{HEX}{{12}}(?![A-Za-z0-9-])", f"{UUID_HEAD}", names=names_uuid_option, check=plausible, reach=200,
    ),
    framed(
        "cli_secret_flag", "key or token as an option of a command", f"(?P<name>{_SECRETS_FLAG}){_FLAG_VALUE}",
        _LONG, _LONG_LEAST, names=names_secret, check=generated_no_uuid, reach=200, sample=f"deploy --api-key {WORD}{{29}}4bQ",
    ),
    framed(
        "cli_secret_flag", "key or token as an option of a command",
        r"(?:(?:vault|cargo|wandb|snyk|pulumi|railway)\s{1,3}(?:login|auth)|ngrok\s{1,3}(?:config\s{1,3}add-)?authtoken|codecov\s{1,3}(?:upload\s{1,3})?-t)\s{1,3}",
        _LONG, _LONG_LEAST, check=generated,
    ),
    framed(
        "piped_password", "password that a command is given through a pipe", rf"echo\s{{1,3}}(?:-n\s{{1,3}})?{QUOTE}?(?:\w{{1,30}}:)?",
        r"""[^\s"'\\|:]{6,200}""", "", after=rf"(?={QUOTE}?\s{{0,3}}\|\s{{0,3}}(?:sudo\s{{1,3}}-S|(?:sudo\s{{1,3}})?chpasswd|[^|\n]{{0,80}}(?:--(?:password-)?stdin|--with-token)|kinit|(?:gh|wrangler|fly|flyctl|doppler)\s{{1,3}}secrets?\s{{1,3}}(?:set|put|import)))",
        detect=r"\|\s{0,3}(?:sudo\s{1,3}-S|(?:sudo\s{1,3})?chpasswd|[a-z][^|\n]{0,80}(?:--(?:password-)?stdin|--with-token)|kinit|(?:gh|wrangler|fly|flyctl|doppler)\s{1,3}secrets?\s{1,3}(?:set|put|import))",
        check=password, reach=400, sample=f"echo {_WORD_SAMPLE} | sudo -S reboot",
    ),
    framed(
        "curl_user", "password of `curl -u`",
        rf"""curl\b[^\n]{{0,200}}?\s(?:-u|--user|--proxy-user|-U)[ =]?{QUOTE}?[^\s:"']{{1,60}}:""",
        r"""[^\s"'\\]{4,100}""", r"""[^\s"'\\]{4}""", check=url_password, reach=360,
        sample=f"curl -fsS -u bot:{_WORD_SAMPLE} art.example.net/a.jar",
    ),
    framed(
        "mysql_password_flag", "password of `mysql -p`", rf"""(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{{0,160}}?\s-p{QUOTE}?""",
        _LONE, _LEAST, check=password, reach=320, sample=f"mysqldump -h db1 -u root -p{_WORD_SAMPLE} orders",
    ),
    framed(
        "powershell_secure_string", "password in a PowerShell command", rf"ConvertTo-SecureString\s{{1,3}}(?:-String\s{{1,3}})?{QUOTE}",
        _LONE, _LEAST, after=f"(?={QUOTE})", check=password, sample=f"ConvertTo-SecureString '{_WORD_SAMPLE}' -AsPlainText -Force",
    ),
    framed(
        "netrc_password", "password in a netrc file",
        rf"(?:login|machine){GAP}{{1,8}}[^\s\\]{{1,80}}{GAP}{{1,8}}(?:login{GAP}{{1,8}}[^\s\\]{{1,80}}{GAP}{{1,8}})?password{GAP}{{1,8}}",
        r"""[^\s"'\\]{4,100}""", r"""[^\s"'\\]{4}""", check=url_password, reach=360,
        sample=f"machine art.example.net login ci password {_WORD_SAMPLE}",
    ),
    framed(  # of a part of a form; serialized by PHP
        "password_assignment", "password under its name",
        rf"""(?:name=|s:\d{{1,3}}:){QUOTE}(?P<name>[A-Za-z0-9_.-]{{0,30}}(?i:pass|pwd)[A-Za-z0-9_.-]{{0,20}}){QUOTE}(?:(?:\r?\n|\\{{1,3}}r\\{{1,3}}n){{2}}|;s:\d{{1,4}}:{QUOTE})""",
        _LONE, _LEAST, names=names_password, check=password, reach=160,
    ),
    framed(
        "sql_password", "password in an SQL statement",
        r"""(?i:(?:identified\s{1,3}(?:with\s{1,3}\S{1,40}\s{1,3})?by|(?:encrypted\s{1,3})?password|set\s{1,3}password\s{0,3}(?:for\s{1,3}\S{1,60}\s{0,3})?=)\s{1,3}N?|with\s{1,3}password\s{0,3}=\s{0,3}N)\\{0,3}["']""",
        _LONE, _LEAST, after=r"""(?=\\{0,3}["'])""", check=password, reach=200,
        sample=f"CREATE USER app IDENTIFIED BY '{_WORD_SAMPLE}'",
    ),
    framed(
        "pgpass_password", "password in a .pgpass file", r"[A-Za-z0-9_.*-]{1,60}:(?:\d{2,5}|\*):[A-Za-z0-9_*-]{1,40}:[A-Za-z_][A-Za-z0-9_-]{0,40}:",
        r"""[^\s"'\\:@/]{6,100}""", r"""[^\s"'\\:@/]{6}""", after=rf"(?=\s|\Z|{QUOTE})", check=password, reach=260,
        detect=r""":(?:\d{2,5}|\*):[A-Za-z0-9_*-]{1,40}:[A-Za-z_][A-Za-z0-9_-]{0,40}:[^\s"'\\:@/]{6}""", sample=f"db.example.net:5432:orders:app:{_WORD_SAMPLE}",
    ),
)  # fmt: skip
