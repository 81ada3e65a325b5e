"""One compiled automaton for all: threads that come at once, and processes that are forked."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.detection import _database, _re2_set
from toolscore_otel.secrets.samples import make_sample

TOKEN = make_sample("github_token_classic", 1)
FORKED = """
import os, sys
from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.samples import make_sample

scanner, token = Scanner(), make_sample("github_token_classic", 1)
found = len(scanner.scan_text(token))
child = os.fork()
again = len(scanner.scan_text(token)) + len(Scanner().scan_text(token))
if not child:
    os._exit(again)
print(found, again, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("engine", ["hyperscan", "re2"])
def test_threads_may_ask_for_the_first_scanner_at_once(engine):
    _database.cache_clear()
    _re2_set.cache_clear()
    gate = Barrier(4)

    def scan(_number: int) -> int:
        gate.wait()
        return len(Scanner(engine=engine).scan_text(TOKEN))

    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(scan, range(4))] == [1] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_scans_on():
    told = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["1", "2", "2"]


def test_scanners_share_one_automaton():
    Scanner(engine="hyperscan")
    before = _database.cache_info().misses
    Scanner(engine="hyperscan", kinds=["jwt"])
    assert _database.cache_info().misses == before
