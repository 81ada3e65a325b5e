"""Under which names prompts and completions stand, whatever their shape.

Source:
    As for `attributes`; recorded telemetry of the frameworks named beside an entry.
"""

from __future__ import annotations

from toolscore_otel.conventions import attributes as names

INSTRUCTIONS = "gen_ai.system_instructions"
PROMPTS = frozenset(
    {
        *(names.INPUT_MESSAGES, names.OUTPUT_MESSAGES, INSTRUCTIONS),
        *("gen_ai.prompt", "gen_ai.completion"),  # LangSmith, Quarkus
        *("llm.prompts", "llm.completions"),
        *(names.AI_PROMPT, names.AI_ASKED, "ai.prompt", "ai.response.text", "ai.response.object"),
        *("ai.response.reasoning", names.MESSAGE_EVENTS),
        *("request_data", "response_data"),  # logfire
        *("gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response"),
        *("genkit:input", "genkit:output"),
        *(names.HAYSTACK_REPLY, "haystack.agent.step.llm.input"),
        *("haystack.component.input", "haystack.component.output"),
        *("langfuse.observation.input", "langfuse.observation.output"),
        *(names.MLFLOW_INPUTS, names.MLFLOW_OUTPUTS),
        *(*names.BRAINTRUST_INPUTS, *names.BRAINTRUST_OUTPUTS),
        *("input.value", "output.value"),  # OpenInference
        *("traceloop.entity.input", "traceloop.entity.output"),
    }
)
"""On a model span: prompts and completions, whatever their shape."""
PROMPTS_OF_EVENTS = frozenset(
    {
        *(*PROMPTS, "content", "message", "tool_calls", names.EVENT_CONTENT),
        *("prompt", "prompt_text", "response"),  # coding agents
    }
)
"""On an event that holds messages."""
FLAT_PROMPTS = (*names.FLAT_INPUTS, *names.FLAT_OUTPUTS, "llm.prompts.", "llm.choices.")
"""How the names of flattened ones begin."""
HISTORIES = ("messages", "contents", "input")
"""Keys of a request under which the whole conversation stands."""
SAYS_NOTHING = frozenset(
    {
        *("role", "type", "id", "index", "name", "model", "object", "mime_type", "modality"),
        *("finish_reason", "finishReason", "stop_reason", "event.name", "gen_ai.system"),
        *("call_id", "tool_call_id", "tool_use_id", "toolCallId", "toolName", "tool_name"),
    }
)
"""Keys of a message whose text is none of what was said."""

AGENTS_EVENTS = frozenset(
    {
        *("user_prompt", "assistant_response"),  # Claude Code
        *("codex.user_prompt", "gemini_cli.user_prompt"),
    }
)
"""Log records of coding agents, each a message in an attribute; on no span, or on one that is no model call."""
PROMPT_EVENTS = frozenset(
    {
        *(names.DETAILS_EVENT, names.CHOICE_EVENT, names.ASSISTANT_EVENT),
        *(names.TOOL_MESSAGE_EVENT, *names.SYSTEM_EVENTS),
        *(event for event, _ in names.CONTENT_EVENTS),
        *AGENTS_EVENTS,
    }
)
"""Events, on spans and as log records, that hold messages."""
