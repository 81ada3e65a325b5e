"""Every attribute, event and span name that a reader looks at, once.

Names of one meaning stand together in a tuple, the present one first, then older ones and those of single vendors: a
reader takes the first that holds something. What a value means for a reader (a kind, an operation, a placeholder) stands
here too, so that a new vendor is a new entry and no new code.

Source:
    OpenTelemetry GenAI and MCP semantic conventions v1.26 to 1.42-dev; OpenInference; Traceloop OpenLLMetry; AI SDK;
    recorded telemetry of the frameworks named beside an entry.
"""

from __future__ import annotations

from toolscore_otel.conventions import coding_agents, usage_names

# --- GenAI conventions -------------------------------------------------------------------------

OPERATION = "gen_ai.operation.name"
TOOL_NAME = "gen_ai.tool.name"

TOOL_OPERATIONS = frozenset({"execute_tool", "tool.execute"})  # the second: Mastra 0.24
AGENT_OPERATIONS = frozenset({"invoke_agent"})
MODEL_OPERATIONS = frozenset(
    {
        *("chat", "generate_content", "text_completion", "call_llm", "response"),
        *("chat.completions", "text.completions"),
    }
)
"""`call_llm`: ADK for Java; `response`: Traceloop 0.47; the last two: Semantic Kernel for Java. Embeddings are no model calls of an agent's turn."""
HANDOFF_OPERATIONS = frozenset({"handoff", "agent_handoff"})  # Traceloop and openai-agents-v2

TOOL_NAMES = (TOOL_NAME, "spring.ai.tool.definition.name")
CALL_IDS = (
    "gen_ai.tool.call.id",
    "gen_ai.tool_call.id",  # ADK for Java
    "spring.ai.tool.call.id",
)
ITEM_ID = "fc_"
"""How the id of an item of OpenAI's Responses begins; the call that it is has another one."""
ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "tool_arguments",  # pydantic-ai, formats 1 and 2
    "gcp.vertex.agent.tool_call_args",  # ADK
    "spring.ai.tool.call.arguments",
    "gen_ai.tool.input",  # Mastra 0.24
)
RESULTS = (
    "gen_ai.tool.call.result",
    "tool_response",
    "gcp.vertex.agent.tool_response",
    "spring.ai.tool.call.result",
    "gen_ai.tool.output",
    "anthropic.tool_result.content",  # the Anthropic SDK's tool runner
)
TOOL_TYPE = "gen_ai.tool.type"
TOOL_DESCRIPTION = "gen_ai.tool.description"

ADK_ARGUMENTS = "gcp.vertex.agent.tool_call_args"
ADK_RESULT = "gcp.vertex.agent.tool_response"
ADK_SCOPE = "gcp.vertex.agent"
ADK_RUST_CALL_ID = "function_call.id"
SPRING_KIND = "spring.ai.kind"
LANGSMITH_KIND = "langsmith.span.kind"
MASTRA_KIND = "mastra.span.type"
MASTRA_TOOL_SPAN = "mastra.stream.toolCall"
VOLTAGENT_TOOL_SPAN = "tool.execution:"
MASTRA_PARTS_OF_A_MODEL_CALL = frozenset({"model_step", "model_chunk"})

AGENT_NAMES = ("gen_ai.agent.name", "agent_name")  # the second: pydantic-ai before 1.0
OWN_AGENT_NAMES = (
    "langsmith.metadata.lc_agent_name",
    "traceloop.association.properties.lc_agent_name",
    *AGENT_NAMES,
)
"""The agent that runs a tool or asks a model, on the very span."""
LANGCHAIN_METADATA = ("langchain.metadata", "metadata")  # Laminar; OpenInference, MLflow
LANGCHAIN_AGENT = "lc_agent_name"
SCOPES_OF_CONSTANT_AGENTS = (
    "opentelemetry.instrumentation.openai_agents",  # openai-agents-v2: its own, or of its settings
    "gemini-cli",
    "opencode",
)
"""Instrumentations whose tool and model spans all carry one name, whichever agent runs."""
HANDOFF_TARGET = "gen_ai.handoff.to_agent"

CONVERSATION = "gen_ai.conversation.id"
CONVERSATIONS = (
    CONVERSATION,
    "session.id",
    "langfuse.session.id",
    "traceloop.association.properties.session_id",
)
SESSIONS = (CONVERSATION, "session.id")
"""On a resource: what the process serves, where nothing nearer names a conversation (Gemini CLI)."""
SCENARIOS = ("toolscore.scenario", "agentevals.session_name", "test.case.name")

# --- model calls ------------------------------------------------------------------------------

REQUEST_MODEL = "gen_ai.request.model"
MODELS = ("gen_ai.response.model", REQUEST_MODEL)
SYSTEM = "gen_ai.system"
PROVIDERS = ("gen_ai.provider.name", SYSTEM)
RESPONSE_IDS = ("gen_ai.response.id",)
FINISH_REASONS = (
    "gen_ai.response.finish_reasons",
    "gen_ai.completion.0.finish_reason",
    "llm.finish_reason",
    "ai.response.finishReason",
)
"""Why a model stopped: a text, a list of texts, or a list written as a text."""
ASKED_CALLS = (
    "llm.output_messages.",
    "gen_ai.completion.",
    "gen_ai.output.messages.",
    "ai.response.toolCalls",
)
"""How the names begin under which flattened answers hold the calls that a model asked for."""

# --- messages ---------------------------------------------------------------------------------

MODELS_APART = ("gemini-cli",)
"""Scopes whose model calls stand in traces of their own, apart from their tools, which have spans and records enough."""
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
DETAILS_EVENT = "gen_ai.client.inference.operation.details"
MESSAGE_EVENTS = "events"  # pydantic-ai 1, logfire: the message events as one JSON list
# OpenInference; Traceloop before 0.55; traceAI
FLAT_INPUTS = ("llm.input_messages.", "gen_ai.prompt.", "gen_ai.input.messages.")
FLAT_OUTPUTS = ("llm.output_messages.", "gen_ai.completion.", "gen_ai.output.messages.")
AI_PROMPT = "ai.prompt.messages"
AI_ASKED = "ai.response.toolCalls"
HAYSTACK_MODEL_SPAN = "haystack.agent.step.llm"
HAYSTACK_REPLY = "haystack.agent.step.llm.output"

USER_EVENT = "gen_ai.user.message"
SYSTEM_EVENT = "gen_ai.system.message"
SYSTEM_EVENTS = frozenset({SYSTEM_EVENT, USER_EVENT})
CONTENT_EVENTS = (  # conventions v1.27, and Langtrace: event and attribute
    ("gen_ai.content.prompt", "gen_ai.prompt"),
    ("gen_ai.content.completion", "gen_ai.completion"),
)
EVENT_NAME = "event.name"
ASSISTANT_EVENT = "gen_ai.assistant.message"
EVENT_CONTENT = "gen_ai.event.content"  # Azure: the body as JSON

# --- tools that a model was offered -----------------------------------------------------------

TOOL_LISTS = (
    "gen_ai.tool.definitions",
    "gen_ai.request.tools",
    "model_request_parameters",  # pydantic-ai: with its `function_tools`
    "ai.prompt.tools",  # AI SDK: a list of texts
    "llm.openai.tools",  # litellm: a Python literal
    "mlflow.chat.tools",
)
OI_TOOLS = "llm.tools.{}."
OI_TOOL_SCHEMA = "tool.json_schema"
OI_TOOL_NAMES = ("tool.name",)
TL_FUNCTIONS = "llm.request.functions.{}."
TL_FUNCTION_NAME = "name"
TL_FUNCTION_SCHEMAS = ("parameters", "input_schema")
OWN_SCHEMAS = (
    "gen_ai.tool.json_schema",  # Strands
    "spring.ai.tool.definition.schema",
    "tool.json_schema",
)
"""The schema of the tool that the span itself calls."""
SCHEMA_KEYS = (
    "parameters",
    "input_schema",
    "inputSchema",
    "parameters_json_schema",
    "parametersJsonSchema",
)
"""Under which a tool in a list has its schema."""

# --- marks of failure -------------------------------------------------------------------------

ERROR_TYPE = "error.type"
ERROR_MESSAGES = ("error.message", "langfuse.observation.status_message")
FAILURE_MARKS: tuple[tuple[str, object], ...] = (
    ("gen_ai.tool.status", "error"),  # Strands
    ("gen_ai.task.status", "failure"),  # Traceloop
    ("haystack.tool.error", True),
    ("langfuse.observation.level", "ERROR"),
    ("genkit:state", "error"),
    ("error", True),  # Mastra 0.24, OpenTracing
)
PYDANTIC_FAILURE_STAGE = "pydantic_ai.tool.failure_stage"
STRANDS_SCOPE = "strands."
EXCEPTION_EVENTS = frozenset({"exception", "gen_ai.client.operation.exception"})
EXCEPTION_TYPE = "exception.type"
EXCEPTION_MESSAGE = "exception.message"
EXCEPTION_ESCAPED = "exception.escaped"
EXCEPTION_STACKTRACE = "exception.stacktrace"

# --- older GenAI forms ------------------------------------------------------------------------

TOOL_SPAN_PREFIX = "execute_tool "
PYDANTIC_TOOL_SPAN = "running tool"
AGENT_SPAN_PREFIX = "invoke_agent "
PYDANTIC_AGENT_SPAN = "agent run"
ADK_AGENT_SPAN = "agent_run ["  # ADK before 1.16, then the name and "]"; no attributes
SK_FUNCTION = "semantic_kernel.function.invocation.name"  # for Java
SK_PLUGIN = "semantic_kernel.function.invocation.plugin_name"
TOOL_MESSAGE_EVENT = "gen_ai.tool.message"
CHOICE_EVENT = "gen_ai.choice"
LANGSMITH_INPUT = "gen_ai.prompt"
LANGSMITH_OUTPUT = "gen_ai.completion"
ADK_MODEL_REQUEST = "gcp.vertex.agent.llm_request"

# --- MCP --------------------------------------------------------------------------------------

MCP_METHOD = "mcp.method.name"
MCP_CALL = "tools/call"
MCP_SESSION = "mcp.session.id"
MCP_REQUESTS = ("jsonrpc.request.id", "rpc.jsonrpc.request_id")
RPC_STATUSES = ("rpc.response.status_code", "error.type", "rpc.jsonrpc.error_code")
MCP_GO_METHOD = "mcp.method"
MCP_GO_TOOL = "mcp.tool.name"
LOGFIRE_MCP_CLIENT_SPAN = "MCP request: tools/call"
LOGFIRE_MCP_SERVER_SPAN = "MCP server handle request: tools/call"
LOGFIRE_MCP_REQUEST = "request"
LOGFIRE_MCP_RESPONSE = "response"

# --- OpenInference ----------------------------------------------------------------------------

OI_KIND = "openinference.span.kind"
OI_TOOL_NAME = "tool.name"
OI_PARAMETERS = "tool.parameters"
OI_INPUT = "input.value"
OI_INPUT_TYPE = "input.mime_type"
OI_OUTPUT = "output.value"
OI_CALL_IDS = ("tool_call.id", "tool.call_id", "tool.id")
OI_AGENT_NAME = "agent.name"
OI_NODE = "graph.node.id"
OI_METADATA = "metadata"
OI_TOOL_AGENT = "tool.agent_role"  # crewai
OI_MODELS = ("llm.model_name",)
OI_PROVIDERS = ("llm.provider", "llm.system")
OI_SCOPE = "openinference.instrumentation."
OI_JS_SCOPE = "@arizeai/openinference-instrumentation-"
TRACEAI_KIND = "gen_ai.span.kind"
OI_KINDS = (OI_KIND, TRACEAI_KIND)
TRACEAI_SCOPE = "traceai_"

# --- Traceloop --------------------------------------------------------------------------------

TL_KIND = "traceloop.span.kind"
TL_NAME = "traceloop.entity.name"
TL_INPUTS = ("traceloop.entity.input", "gen_ai.tool.call.arguments")
TL_OUTPUTS = ("traceloop.entity.output", "gen_ai.tool.call.result")
TL_AGENT_NAMES = ("gen_ai.agent.name", "crewai.agent.role", "crewai_agent.role", TL_NAME)
TL_REQUEST_TYPE = "llm.request.type"
TL_MODEL_REQUESTS = frozenset({"chat", "completion"})
TL_ANSWER = "gen_ai.completion.0."
TL_LLAMA_NAME = "tool.name"
TL_LLAMA_ARGUMENTS = "tool.arguments"
TL_MCP_SCOPES = ("opentelemetry.instrumentation.mcp", "@traceloop/instrumentation-mcp")
TL_LANGCHAIN_JS_SCOPE = "@traceloop/instrumentation-langchain"

# --- AI SDK -----------------------------------------------------------------------------------

AI_OPERATION = "ai.operationId"
AI_TOOL_CALL = "ai.toolCall"
AI_TOOL_NAME = "ai.toolCall.name"
AI_CALL_ID = "ai.toolCall.id"
AI_ARGUMENTS = ("ai.toolCall.args", "ai.toolCall.input")
AI_RESULTS = ("ai.toolCall.result", "ai.toolCall.output")
AI_FUNCTION = "ai.telemetry.functionId"
AI_AGENT_OPERATIONS = frozenset(
    {"ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject"}
)
AI_MODEL_ENDINGS = (".doGenerate", ".doStream")
AI_MODELS = ("gen_ai.response.model", "ai.response.model", "ai.model.id")
AI_PROVIDERS = ("ai.model.provider", SYSTEM)
AI_RESPONSE_IDS = ("gen_ai.response.id", "ai.response.id")

# --- conventions of one framework -------------------------------------------------------------

HAYSTACK_TOOL_SPAN = "haystack.agent.step.tool"
HAYSTACK_AGENT_SPAN = "haystack.agent.run"
HAYSTACK_TOOL_NAME = "haystack.tool.name"
HAYSTACK_INPUT = "haystack.agent.step.tool.input"
HAYSTACK_OUTPUT = "haystack.agent.step.tool.output"
HAYSTACK_COMPONENT = "haystack.component.type"
HAYSTACK_COMPONENT_NAME = "haystack.component.name"
HAYSTACK_COMPONENT_OUTPUT = "haystack.component.output"

GENKIT_SUBTYPE = "genkit:metadata:subtype"
GENKIT_TOOLS = frozenset({"tool", "tool.v2"})
GENKIT_MODEL = "model"
GENKIT_NAME = "genkit:name"
GENKIT_INPUT = "genkit:input"
GENKIT_OUTPUT = "genkit:output"

LANGFUSE_TYPE = "langfuse.observation.type"
LANGFUSE_INPUT = "langfuse.observation.input"
LANGFUSE_OUTPUT = "langfuse.observation.output"
LANGFUSE_CALL_IDS = (
    "langfuse.observation.metadata.tool_call_id",
    "langfuse.observation.metadata.toolCallId",
)
LANGFUSE_MODELS = ("langfuse.observation.model.name",)
LANGFUSE_USAGE = "langfuse.observation.usage_details"
LANGFUSE_TOTAL = "total"

AGENTOPS_KIND = "agentops.span.kind"
HONEYHIVE_TYPE = "honeyhive_event_type"
LAMINAR_TYPE = "lmnr.span.type"
NETRA_TYPE = "netra.span.type"

MLFLOW_TYPE = "mlflow.spanType"
MLFLOW_INPUTS = "mlflow.spanInputs"
MLFLOW_OUTPUTS = "mlflow.spanOutputs"

BRAINTRUST_SPAN = "braintrust.span_attributes"
BRAINTRUST_PARENT = "braintrust.parent"
BRAINTRUST_INPUTS = ("braintrust.input_json", "braintrust.input")
BRAINTRUST_OUTPUTS = ("braintrust.output_json", "braintrust.output")

LOGFIRE_AGENTS_SCOPE = "logfire.openai_agents"
LOGFIRE_FUNCTION_SPAN = "Function: {name}"
LOGFIRE_AGENT_SPAN = "Agent run: {name!r}"
LOGFIRE_HANDOFF_SPAN = "Handoff: {from_agent} → {to_agent}"
LOGFIRE_NAME = "name"
LOGFIRE_INPUT = "input"
LOGFIRE_OUTPUT = "output"
LOGFIRE_ERROR = "error"
LOGFIRE_TARGET = "to_agent"

# --- the cheap question before any reading ----------------------------------------------------

MARKERS = frozenset(
    {
        OPERATION,
        *TOOL_NAMES,
        CONVERSATION,
        *PROVIDERS,
        *MODELS,
        *RESPONSE_IDS,
        *usage_names.INPUT_TOKENS,
        MCP_METHOD,
        MCP_GO_METHOD,
        MCP_GO_TOOL,
        OI_KIND,
        TRACEAI_KIND,
        TL_KIND,
        AI_OPERATION,
        HAYSTACK_TOOL_NAME,
        HAYSTACK_COMPONENT,
        GENKIT_SUBTYPE,
        LANGFUSE_TYPE,
        MLFLOW_TYPE,
        LAMINAR_TYPE,
        AGENTOPS_KIND,
        NETRA_TYPE,
        HONEYHIVE_TYPE,
        BRAINTRUST_SPAN,
        BRAINTRUST_PARENT,
        SK_FUNCTION,
        LANGSMITH_KIND,
        "tool_args",  # AutoGen before 0.6
        ADK_RUST_CALL_ID,
        *SCENARIOS,
    }
)
"""A span that has none of these attributes, and no name of `SPAN_NAMES`, says nothing that a reader understands."""

SPAN_NAMES = (
    TOOL_SPAN_PREFIX,
    AGENT_SPAN_PREFIX,
    PYDANTIC_TOOL_SPAN,
    PYDANTIC_AGENT_SPAN,
    ADK_AGENT_SPAN,
    LOGFIRE_MCP_CLIENT_SPAN,
    LOGFIRE_MCP_SERVER_SPAN,
    LOGFIRE_FUNCTION_SPAN,
    LOGFIRE_AGENT_SPAN,
    LOGFIRE_HANDOFF_SPAN,
    HAYSTACK_TOOL_SPAN,
    HAYSTACK_AGENT_SPAN,
    HAYSTACK_MODEL_SPAN,
    MASTRA_TOOL_SPAN,
    VOLTAGENT_TOOL_SPAN,
    coding_agents.CLAUDE_TOOL_SPAN,
    coding_agents.CODEX_CALL_SPAN,
    coding_agents.OPENCODE_TOOL_SPAN,
)
"""Beginnings of span names that some readers go by where no attribute marks the span."""
