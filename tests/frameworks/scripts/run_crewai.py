"""A CrewAI crew of one agent, instrumented by OpenInference."""

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from openinference.instrumentation.crewai import CrewAIInstrumentor
from recording import recorded
from story import AGENT, INSTRUCTIONS, QUESTION, delete_user, lookup_order, send_receipt
from stub import served

with recorded() as provider, served() as address:
    CrewAIInstrumentor().instrument(tracer_provider=provider)
    model = LLM(model="openai/gpt-4o", base_url=f"{address}/v1", api_key="none")
    agent = Agent(
        role=AGENT,
        goal=INSTRUCTIONS,
        backstory="You work at a shop.",
        llm=model,
        tools=[tool(lookup_order), tool(delete_user), tool(send_receipt)],
    )
    task = Task(description=QUESTION, expected_output="what was done", agent=agent)
    Crew(agents=[agent], tasks=[task]).kickoff()
