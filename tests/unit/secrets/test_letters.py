from __future__ import annotations

import pytest

from toolscore_otel.secrets.letters import are_drawn

DRAWN = ["Jssh" + "FBZecwkM", "woZb" + "ngbpmgTs", "GSDm" + "IIPQAxnx"]
NAMES = [
    *("parseHttpRequestBody", "getApplicationContext", "AbstractFactoryBean", "newPasswordField"),
    *("lowercaseonlyletters", "ALLUPPERCASEXQ", "XqzKv", "Capitalizedwords"),
]


@pytest.mark.parametrize("letters", DRAWN)
def test_letters_that_follow_each_other_as_in_no_word_are_drawn(letters):
    assert are_drawn(letters)


@pytest.mark.parametrize("letters", NAMES)
def test_names_in_code_and_few_letters_are_not(letters):
    assert not are_drawn(letters)
