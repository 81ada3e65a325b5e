"""A model server on 127.0.0.1 that says what `story.TURNS` says, one turn a request, in whatever format it is asked in.

It serves one run: the n-th request gets the n-th turn, whatever it holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import formats
from story import ANSWER, TURNS, Turn

FORMATS: dict[str, Callable[[Turn, int], dict[str, Any]]] = {
    "/chat/completions": formats.chat_completion,
    "/responses": formats.response,
    "/messages": formats.anthropic_message,
    ":generateContent": formats.gemini_content,
}
"""By how the path ends."""


@contextmanager
def served() -> Iterator[str]:
    """The address of a running model server, without a path."""
    numbers = count()

    class Handler(_Model):
        """Counts the requests of this server."""

        def next_number(self) -> int:
            return next(numbers)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class _Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def next_number(self) -> int:
        raise NotImplementedError

    def do_POST(self) -> None:
        """Answer with the next turn."""
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = urlsplit(self.path).path
        answer = next((made for end, made in FORMATS.items() if path.endswith(end)), None)
        if answer is None:
            self.send_error(404, f"no such format: {path}")
            return
        number = self.next_number()
        if number >= len(TURNS):
            self.send_error(400, "the story has ended")
            return
        turn = _as_offered(TURNS[number], request)
        if not request.get("stream"):
            self._send("application/json", json.dumps(answer(turn, number)))
        elif answer is formats.chat_completion:
            events = formats.chat_completion_chunks(turn, number)
            lines = [f"data: {json.dumps(event)}\n\n" for event in events]
            self._send("text/event-stream", "".join(lines) + "data: [DONE]\n\n")
        else:
            self.send_error(501, f"not streamed: {path}")

    def _send(self, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _as_offered(turn: Turn, request: dict[str, Any]) -> Turn:
    """The same turn; its last words through the tool `final_answer`, where that is how the framework wants them."""
    names = {tool.get("function", {}).get("name") for tool in request.get("tools") or ()}
    if turn.tool or "final_answer" not in names:
        return turn
    return Turn(turn.prompt_tokens, turn.completion_tokens, "final_answer", {"answer": ANSWER})
