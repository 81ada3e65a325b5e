"""Contracts: from files to rules that are ready to run, with everything that is wrong said at once."""

from toolscore_otel.contracts.cases import Case, cases_beside, load_cases
from toolscore_otel.contracts.contract import Contract
from toolscore_otel.contracts.language import AppliesTo
from toolscore_otel.contracts.load import load, load_text
from toolscore_otel.contracts.registry import Registry
from toolscore_otel.contracts.schema import json_schema
from toolscore_otel.contracts.tools import ToolSpec

__all__ = [
    "AppliesTo",
    "Case",
    "Contract",
    "Registry",
    "ToolSpec",
    "cases_beside",
    "json_schema",
    "load",
    "load_cases",
    "load_text",
]
