"""smolagents' tool calling agent, instrumented by OpenInference."""

from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from recording import recorded
from smolagents import OpenAIModel, ToolCallingAgent, tool
from story import AGENT, INSTRUCTIONS, QUESTION, delete_user, lookup_order, send_receipt
from stub import served

with recorded() as provider, served() as address:
    SmolagentsInstrumentor().instrument(tracer_provider=provider)
    model = OpenAIModel("gpt-4o", api_base=f"{address}/v1", api_key="none")
    agent = ToolCallingAgent(
        tools=[tool(lookup_order), tool(delete_user), tool(send_receipt)],
        model=model,
        name=AGENT,
        instructions=INSTRUCTIONS,
        verbosity_level=0,
    )
    agent.run(QUESTION)
