"""Passwords of words and passwords of digits: what only a name that leaves no doubt can tell from text and numbers.

A phrase is words in a row that make no sentence: none of them is one that sentences, labels and messages about passwords
are made of. A number is one that nobody counts, dates or makes up with.
"""

from __future__ import annotations

import re
from itertools import pairwise

_SENTENCES = """
and any are but can cannot could did does each either else for from get gets had has have her here
his how into its just keep let like may might must need needs none nor not now off once one only
onto our out over own please same see set shall she should since some such than that the their them
then there these they this those too two under until upon use used using via was way were what when
where which while who whose why will with within without would yes yet you your all more less after
before again also always never still very between first last next ask contact check about der die
das den dem des ein eine einen einem einer und oder ist sind nicht kein keine bitte geben sie ihr
ihre ihren ohne von zum zur auf aus bei als wird werden wurde muss mit nur les une est sont pas
votre vos avec sans pour doit los las una uno unos son sus con sin por debe tener para que uma sua
seu deve ter com sem gli tuo avere per non che het een van voor uw niet
"""
"""What sentences are made of; words of less than three letters stand in no phrase."""

_LABELS = """
enter type choose select create confirm repeat retype verify change update reset forgot forgotten
remember show hide store stored save saved provide provided require required requires optional
invalid valid wrong incorrect mismatch match matches expired expires empty missing blank minimum
maximum least most character characters char chars letter letters digit digits length long short
weak strong strength new old current previous default temp temporary hidden masked redacted removed
omitted encrypted hashed hash plain clear text string field value input label hint placeholder
example sample dummy test login logon logged sign signin account user users username email mail
name names access secret secrets token tokens key keys api admin administrator root database server
service services system config configuration environment variable vault manager managed entry
shared team ops prod production staging development local random randomly generate generated rotate
rotated null undefined unknown unchanged unset available error failed failure success successful
successfully sent send link policy rule rules special uppercase lowercase number numbers symbol
symbols contain contains include includes configured loaded read reads return returns description
credential credentials password passwords passphrase passcode pass passwd pin code codes protected
security authentication auth authenticate authorized connection format data file path app
application encode encoded base client request response object header param params parameter prompt
question answer reminder allowed denied passwort kennwort eingeben wiederholen vergessen neues
altes aktuelles benutzer falsch leer gespeichert mindestens zeichen mot passe saisir entrez
saisissez nouveau ancien actuel confirmer moins requis contrasena introduzca ingrese escriba nueva
nuevo actual confirmar menos caracteres senha digite insira nova atual esqueceu pelo obrigatoria
inserisci nuova attuale conferma almeno caratteri wachtwoord
"""
"""What labels and messages say of passwords."""

_SAYS = frozenset(f"{_SENTENCES} {_LABELS}".split())
_PHRASE = re.compile(r"[A-Za-z]{3,12}([ -])(?:[A-Za-z]{3,12}\1){1,10}[A-Za-z]{3,12}(?:\1?\d{1,4})?")
_WORD = re.compile(r"[A-Za-z]+")
_FEW_WORDS = 3
_DRAWN = re.compile(r"(?=.*\d)(?=.*[A-Za-z])(?:.*[^\w.,:;/()'\"+-]|.*[A-Za-z]\d+[A-Za-z]).*")
_DRAWN_CHARS, _DRAWN_WORDS = 6, 6
_ENDS_SENTENCE = (".", "?", ":", ",", ";")
_REPEATED = re.compile(r"(\d{1,4}?)\1+\d?")
_DATE = re.compile(r"(?:19|20)\d\d(?:0\d|1[0-2])[0-3]\d|[0-3]\d(?:0\d|1[0-2])(?:19|20)\d\d")
_MOMENT = re.compile(r"1[0-9]{9}|1[0-9]{12}|(?:19|20)\d{12}")
_ROUND = "000"
_LEAST_DIFFERENT = 4


def is_phrase(value: str) -> bool:
    """Words in a row that are no sentence: `one two three four` of a list, or a few of which one is drawn at random."""
    if _PHRASE.fullmatch(value):
        words = _WORD.findall(value)
        return (
            (len(words) > _FEW_WORDS or (" " in value and value[0].islower()))
            and _is_in_one_case(words)
            and _SAYS.isdisjoint(map(str.lower, words))
        )
    words = value.split(" ")
    return (
        1 < len(words) <= _DRAWN_WORDS
        and not value.endswith(_ENDS_SENTENCE)
        and "://" not in value
        and any(len(word) >= _DRAWN_CHARS and _DRAWN.fullmatch(word) for word in words)
        and _SAYS.isdisjoint(map(str.lower, _WORD.findall(value)))
    )


def _is_in_one_case(words: list[str]) -> bool:
    """All small, all large, all with one large letter, or the first alone with one."""
    first = words[0]
    return (
        (first[1:].islower() and all(map(str.islower, words[1:])))
        or all(map(str.isupper, words))
        or all(map(str.istitle, words))
    )


def is_drawn_number(value: str) -> bool:
    """Digits that nobody counted up or down, repeated, rounded, or took from a calendar or a clock."""
    if not (value.isascii() and value.isdecimal()):
        return False
    steps = [int(after) - int(before) for before, after in pairwise(value)]
    return (
        len(set(value)) >= _LEAST_DIFFERENT
        and 2 * sum(step in {-1, 0, 1} for step in steps) <= len(steps)
        and not value.endswith(_ROUND)
        and not _REPEATED.fullmatch(value)
        and not _DATE.fullmatch(value)
        and not _MOMENT.fullmatch(value)
    )
