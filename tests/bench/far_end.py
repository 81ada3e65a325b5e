"""The far end of a benchmark: takes requests of any kind and answers nothing; with a next hop, hands their bytes on.

    python -m tests.bench.far_end PORT [NEXT_HOP]

It counts exports of spans; what it took by now is the answer to `TAKEN`.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import grpc

from tests.bench.exports import EXPORT

THREADS = 16
TAKEN = "/bench.FarEnd/Taken"
OPTIONS = (
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    ("grpc.max_send_message_length", -1),
    ("grpc.so_reuseport", 0),
)


class FarEnd(grpc.GenericRpcHandler):
    """Answers every method.

    Args:
        next_hop: where exports go on to, or None.
    """

    def __init__(self, next_hop: str | None) -> None:
        channel = None if next_hop is None else grpc.insecure_channel(next_hop, OPTIONS)
        self._hand_on: Any = None if channel is None else channel.unary_unary(EXPORT)
        self._taken = count()

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[bytes, bytes]:
        methods = {EXPORT: self._export, TAKEN: self._say}
        method = methods.get(handler_call_details.method, lambda _data, _context: b"")
        return grpc.unary_unary_rpc_method_handler(method)

    def _export(self, data: bytes, _context: grpc.ServicerContext) -> bytes:
        next(self._taken)
        return b"" if self._hand_on is None else self._hand_on(data)

    def _say(self, _data: bytes, _context: grpc.ServicerContext) -> bytes:
        return repr(self._taken).encode()  # `count(7)`: looking takes none


def taken(address: str) -> int:
    """How many exports of spans a far end has taken; waits until it listens."""
    with grpc.insecure_channel(address) as channel:
        ask: Any = channel.unary_unary(TAKEN)
        said: bytes = ask(b"", wait_for_ready=True, timeout=30)
    return int(said.removeprefix(b"count(").removesuffix(b")"))


def main() -> None:
    """Serve until killed."""
    port, *next_hop = sys.argv[1:]
    server = grpc.server(ThreadPoolExecutor(THREADS), options=OPTIONS)
    server.add_generic_rpc_handlers((FarEnd(next_hop[0] if next_hop else None),))
    server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    main()
