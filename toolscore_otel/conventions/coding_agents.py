"""Names of the spans, records and attributes of coding agents, which follow no convention but their own.

Source:
    Telemetry of Claude Code 2.0 and 2.1, Codex CLI 0.61 and 0.171, Gemini CLI 0.61, opencode 1.18, recorded.
"""

from __future__ import annotations

CLAUDE_TOOL_SPAN = "claude_code.tool"
CLAUDE_EXECUTION_SPAN = "claude_code.tool.execution"
CLAUDE_MODEL_SPAN = "claude_code.llm_request"
CLAUDE_AGENT_TOOLS = frozenset({"Agent", "Task"})  # the second: before 2.1
CLAUDE_SUB_AGENT = "subagent_type"
CLAUDE_AGENT_ID = "agent_id"
CLAUDE_AGENT_NAMES = ("agent.name", "agent_type")  # of a model call, of a sub-agent that is done
CLAUDE_SOURCE = "query_source_safe"
CLAUDE_BUILT_IN = "agent.builtin."
CLAUDE_MODEL_EVENT = "api_request"
CLAUDE_NAMING_EVENTS = ("subagent_completed",)
CLAUDE_PROVIDER = "anthropic.provider"
CLAUDE_PROVIDERS = {"firstParty": "anthropic", "bedrock": "aws.bedrock", "vertex": "gcp.vertex_ai"}
CLAUDE_TOOL_NAMES = ("tool_name", "gen_ai.tool.name")
CLAUDE_CALL_IDS = ("gen_ai.tool.call.id", "tool_use_id")
CLAUDE_SUCCESS = "success"
CLAUDE_ERROR = "error"
CLAUDE_RESULT = "tool_result"
CLAUDE_DECISION = "tool_decision"
CLAUDE_LOG_SCOPE = "com.anthropic.claude_code"
CLAUDE_INPUT = "tool_input"
CLAUDE_PARAMETERS = "tool_parameters"
CLAUDE_LOG_IDS = ("tool_use_id", "use_id")  # the second: 2.0
CLAUDE_ERROR_TYPE = "error_type"
MODEL = "model"  # of a log record of any of them
DURATION_MS = "duration_ms"  # Claude Code, Codex, Gemini CLI
CLAUDE_OUTPUT_EVENT = "tool.output"
CLAUDE_OUTPUTS = ("output", "content", "diff")

CODEX_CALL_SPAN = "dispatch_tool_call_with_state"
CODEX_MODEL_SPAN = "handle_responses"
CODEX_MODEL_EVENT = "codex.sse_event"
CODEX_RESULT_EVENT = "codex.tool_result"
CODEX_DECISION = "codex.tool_decision"
CODEX_ARGUMENTS = "arguments"
CODEX_OUTPUT = "output"
CODEX_CUT = "output_truncated"
CODEX_EVENT_NAME = "event.name"
CODEX_TOOL_NAME = "tool_name"
CODEX_NAMESPACE = "tool_namespace"
CODEX_CALL_ID = "call_id"
CODEX_SUCCESS = "success"
CODEX_CONVERSATION = "conversation.id"

GEMINI_TOOL_OPERATION = "tool_call"
GEMINI_MODEL_OPERATION = "llm_call"
GEMINI_AGENT_OPERATION = "agent_call"
GEMINI_CALL_ID = "gen_ai.tool.call_id"
GEMINI_TOOL_EVENT = "gemini_cli.tool_call"
GEMINI_MODEL_EVENT = "gemini_cli.api_response"
GEMINI_AGENT_EVENT = "gemini_cli.agent.start"
GEMINI_AGENT_ID = "agent_id"
GEMINI_AGENT_NAME = "agent_name"
GEMINI_PROMPT = "prompt_id"
GEMINI_NAME = "function_name"
GEMINI_ARGUMENTS = "function_args"
GEMINI_SUCCESS = "success"
GEMINI_DECISION = "decision"
GEMINI_ERROR = "error"
GEMINI_ERROR_TYPE = "error_type"
GEMINI_REQUEST = "gen_ai.input.messages"
GEMINI_ANSWER = "gen_ai.output.messages"

OPENCODE_SCOPE = "opencode"
OPENCODE_TOOL_SPAN = "Tool.execute"
OPENCODE_TOOL_NAME = "tool.name"
OPENCODE_CALL_ID = "tool.call_id"

LOGGING_SCOPES = ("com.anthropic.claude_code", "codex", "gemini-cli")
"""How the scopes begin of agents whose log records tell of model calls that their spans may tell of too."""
