"""`python -m toolscore_otel.cli`, the same as `toolscore-otel`."""

from toolscore_otel.cli import main

main()
