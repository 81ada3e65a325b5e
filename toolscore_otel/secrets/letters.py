"""Letters that follow each other as in no word: what tells a drawn password from a name in code, where neither has a digit."""

from __future__ import annotations

from itertools import pairwise

_BITS = (
    *("84349749596343949232567659", "26562678349277369446389949", "38563783493466269453489969"),
    *("36641568288467369445477969", "47436558698443756223856469", "37663379199376269354388969"),
    *("37671754396464469335488968", "27762788296556279453598959", "45344549898441359533759695"),
    *("27651677585776269737376999", "36651657387464468535566969", "36641779298377369754478949"),
    *("25762789397546339756488869", "37333527496675369732558979", "55448659586342549244455799"),
    *("27652785497378349253588959", "79777799699376967455077998", "27552759396645369444568959"),
    *("58472674396566447731487959", "37562684298667369344587949", "44553559499332639333989899"),
    *("26561679299776479757997779", "27562674295564369346788799", "56362686399647629651777549"),
    *("55454557598343518533776876", "38670766398667469755689955"),
)  # fmt: skip
"""How seldom one letter follows another in names in code: bits, a row for each first letter, a digit for each second."""

_LEAST_LETTERS = 10
_LEAST_BITS = 4.8  # a pair: of drawn letters nine in ten have more, of names three in a thousand


def are_drawn(letters: str) -> bool:
    """Whether letters, small and large ones, were drawn at random.

    Args:
        letters: ASCII. Where a large one follows a small one, a word may begin, and that pair tells nothing.
    """
    if len(letters) < _LEAST_LETTERS or letters[1:].islower() or letters.isupper():
        return False
    bits = [
        int(_BITS[ord(one.lower()) - ord("a")][ord(other.lower()) - ord("a")])
        for one, other in pairwise(letters)
        if not (one.islower() and other.isupper())
    ]
    return sum(bits) >= _LEAST_BITS * len(bits) > 0
