"""LangChain's agent on LangGraph, instrumented by OpenLLMetry (Traceloop)."""

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from opentelemetry.instrumentation.langchain import LangchainInstrumentor
from recording import recorded
from story import AGENT, INSTRUCTIONS, QUESTION, delete_user, lookup_order, send_receipt
from stub import served

with recorded() as provider, served() as address:
    LangchainInstrumentor().instrument(tracer_provider=provider)
    model = ChatOpenAI(model="gpt-4o", base_url=f"{address}/v1", api_key="none")
    agent = create_agent(
        model,
        tools=[lookup_order, delete_user, send_receipt],
        system_prompt=INSTRUCTIONS,
        name=AGENT,
    )
    agent.invoke({"messages": [{"role": "user", "content": QUESTION}]})
