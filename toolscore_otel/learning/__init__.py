"""Learning: a contract proposed from recorded traces, with the evidence of every line."""

from toolscore_otel.learning.learn import Hold, Learned, learn

__all__ = ["Hold", "Learned", "learn"]
