"""Record the trace that `toolscore-otel demo` replays.

A real framework, instrumented by itself and exported by the OpenTelemetry SDK, runs against a model server on 127.0.0.1
whose answers are scripted. So spans, attributes, nesting, times and encoding are what such an application really sends; only the
model's words and token counts are made up. The recording is not edited afterwards. Where a secret is to stand, the script
says `@@DEMO_TOKEN@@`: the demo puts a fake one in when it runs.

No test runs this. To record anew (the folder shows in the recorded stack traces, so it is a neutral one):

    mkdir /app && cp tests/recording/record_support_desk.py /app/support_desk.py && cd /app
    python3.11 -m venv .venv
    .venv/bin/pip install 'pydantic-ai-slim[openai]==2.68.0' 'genai-prices==0.2.3' 'opentelemetry-sdk==1.45.2' \
        'opentelemetry-exporter-otlp-json-file==0.66b1'
    .venv/bin/python support_desk.py support_desk.otlp.jsonl

Recorded with CPython 3.11.7, openai 3.57.0, pydantic 2.14.4 and the versions above; instrumentation format 5.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from pydantic_ai import Agent, InstrumentationSettings, ModelRetry
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

CONVERSATION = "case-2291"
TOKEN = "@@DEMO_TOKEN@@"  # noqa: S105 - the place for one
QUESTION = (
    "Customer C-77 writes: the kettle of order O-1042 came broken, please refund it. Where is order O-1043? "
    "And take me off your mailing list."
)
REFUND = {"order_id": "O-1042", "amount": 129.0, "currency": "EUR"}


@dataclass(frozen=True)
class Turn:
    """One scripted answer of the model: the tools it asks for, or its last words."""

    seconds: float
    tokens: tuple[int, int, int]
    """Prompt (cached ones included), completion, cached."""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    text: str | None = None


def asks(seconds: float, tokens: tuple[int, int, int], tool: str, **args: Any) -> Turn:
    """A turn that asks for one tool."""
    return Turn(seconds, tokens, ((tool, args),))


SCRIPT = {
    "support": (
        asks(0.71, (846, 19, 0), "lookup_order", order_id="O-1042"),
        asks(0.83, (934, 31, 0), "web_research", question="Is there a recall of the kettle K-7?"),
        asks(0.62, (1391, 28, 1024), "ask_billing", task="Refund 129.00 EUR for order O-1042."),
        Turn(
            0.94,
            (1466, 42, 1024),
            (("lookup_order", {"order_id": "O-1042"}), ("lookup_order", {"order_id": "O-1043"})),
        ),
        asks(
            1.12,
            (1683, 97, 1024),
            "send_email",
            to="c77@example.com",
            subject="Your orders O-1042 and O-1043",
            body="Your refund of 129.00 EUR is on its way. Parcel of O-1043: "
            f"https://courier.example/parcels/784?token={TOKEN} (valid for 7 days).",
        ),
        asks(
            0.58,
            (1801, 24, 1536),
            "delete_customer",
            customer_id="C-77",
            reason="asked to be removed",
        ),
        Turn(
            0.77,
            (1852, 46, 1536),
            text="Refunded O-1042, sent the parcel link for O-1043 and removed C-77.",
        ),
    ),
    "researcher": (
        asks(0.41, (1208, 22, 0), "search_web", query="kettle K-7 recall"),
        asks(0.63, (14877, 27, 1152), "search_web", query="kettle K-7 cracked base recall 2026"),
        asks(0.88, (31540, 25, 14848), "search_web", query="site:safety.example K-7"),
        Turn(
            1.36,
            (48112, 212, 1152),
            text="No recall of the K-7 is known. Cracked bases are covered by warranty.",
        ),
    ),
    "billing": (
        asks(0.52, (611, 33, 0), "refund_payment", **REFUND),
        asks(0.37, (689, 33, 0), "refund_payment", **REFUND),
        asks(0.36, (767, 33, 0), "refund_payment", **REFUND),
        asks(0.39, (845, 33, 0), "refund_payment", **REFUND),
        Turn(0.44, (923, 21, 0), text="The refund did not go through: gateway timeout."),
    ),
}
"""What the model says, per agent, in order."""

_numbers = count(1)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The scripted answer to one chat completion request, in OpenAI's format."""
    agent = request["messages"][0]["content"].split(":", 1)[0]
    said = sum(message["role"] == "assistant" for message in request["messages"])
    turn = SCRIPT[agent][said]
    time.sleep(turn.seconds)
    prompt, completion, cached = turn.tokens
    calls = [
        {
            "id": f"call_{agent[:3]}{next(_numbers):02d}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(args)},
        }
        for name, args in turn.calls
    ]
    message = {"role": "assistant", "content": turn.text} | ({"tool_calls": calls} if calls else {})
    return {
        "id": f"chatcmpl-{agent}-{said + 1}",
        "object": "chat.completion",
        "created": 1_796_000_000,
        "model": "gpt-4o-2024-08-06",
        "choices": [
            {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": cached},
        },
    }


class ChatServer(BaseHTTPRequestHandler):
    """Speaks just enough of the chat completions API."""

    def do_POST(self) -> None:
        """Answer one request."""
        length = int(self.headers["content-length"])
        body = json.dumps(answer(json.loads(self.rfile.read(length)))).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[str]:
    """The address of a running model server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), ChatServer)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()


ORDERS = {
    "O-1042": {"customer": "C-77", "item": "kettle K-7", "total": 129.0, "state": "delivered"},
    "O-1043": {
        "customer": "C-77",
        "item": "toaster T-2",
        "total": 59.0,
        "state": "shipped",
        "parcel": 784,
    },
}


def researcher(model: OpenAIChatModel) -> Agent:
    """The agent that searches the web."""
    agent = Agent(model, name="researcher", instructions="researcher: answer from what you find.")

    @agent.tool_plain
    async def search_web(query: str) -> list[str]:
        """Search the web."""
        await asyncio.sleep(0.55)
        return [
            f"https://safety.example/kettles: no entry for '{query}'",
            "https://shop.example/k-7: manual",
        ]

    return agent


def billing(model: OpenAIChatModel) -> Agent:
    """The agent that moves money."""
    agent = Agent(model, name="billing", instructions="billing: refund what is asked for.")

    @agent.tool_plain(retries=5)
    async def refund_payment(order_id: str, amount: float, currency: str) -> str:
        """Pay an amount back."""
        await asyncio.sleep(0.31)
        raise ModelRetry("gateway timeout")

    return agent


def support(model: OpenAIChatModel) -> Agent:
    """The agent that talks to the customer and asks the other two."""
    instructions = f"support: help the customer. Courier access token: {TOKEN} ."
    agent = Agent(model, name="support", instructions=instructions)
    finding, paying = researcher(model), billing(model)

    @agent.tool_plain
    async def lookup_order(order_id: str) -> dict[str, Any]:
        """Read an order."""
        await asyncio.sleep(0.05)
        return ORDERS[order_id]

    @agent.tool_plain
    async def web_research(question: str) -> str:
        """Have the researcher answer a question."""
        return (await finding.run(question, conversation_id=CONVERSATION)).output

    @agent.tool_plain
    async def ask_billing(task: str) -> str:
        """Have billing do something."""
        return (await paying.run(task, conversation_id=CONVERSATION)).output

    @agent.tool_plain
    async def send_email(to: str, subject: str, body: str) -> str:
        """Send an e-mail."""
        await asyncio.sleep(0.12)
        return "sent"

    @agent.tool_plain
    async def delete_customer(customer_id: str, reason: str) -> dict[str, Any]:
        """Delete a customer and all of their orders."""
        await asyncio.sleep(0.09)
        return {"deleted": customer_id, "orders": 2}

    @agent.tool_plain
    async def log_case(note: str) -> str:
        """Leave a note on the case."""
        return "logged"

    return agent


def main(target: Path) -> None:
    """Run the story once and write its spans, in the order in which they ended, to `target`."""
    resource = Resource.create(
        {
            "service.name": "support-desk",
            "service.version": "2.3.1",
            "deployment.environment.name": "demo",
        }
    )
    provider = TracerProvider(resource=resource)
    target.unlink(missing_ok=True)
    provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(target)))
    Agent.instrument_all(
        InstrumentationSettings(
            tracer_provider=provider, version=5, include_model_request_parameters=False
        )
    )
    with served() as address:
        model = OpenAIChatModel("gpt-4o", provider=OpenAIProvider(base_url=address, api_key="none"))
        support(model).run_sync(QUESTION, conversation_id=CONVERSATION)
    provider.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
