"""The Anthropic SDK's tool runner, instrumented by itself."""

from anthropic import Anthropic, beta_tool
from recording import recorded
from story import INSTRUCTIONS, QUESTION, delete_user, lookup_order, send_receipt
from stub import served

with recorded(), served() as address:
    client = Anthropic(base_url=address, api_key="none")
    runner = client.beta.messages.tool_runner(
        model="claude-sonnet-4-20250514",
        max_tokens=1024,
        system=INSTRUCTIONS,
        tools=[beta_tool(lookup_order), beta_tool(delete_user), beta_tool(send_receipt)],
        messages=[{"role": "user", "content": QUESTION}],
    )
    runner.until_done()
