"""Models, and what agents are built with."""

from __future__ import annotations

from toolscore_otel.secrets.checks import aws_secret, mixed
from toolscore_otel.secrets.kind import APART, Kind, token
from toolscore_otel.secrets.table.alphabets import HEX, LOWER, URL, UUID_HEAD, WORD

MODELS: tuple[Kind, ...] = (
    token(
        "openai_api_key", "OpenAI: API key", f"sk-(?:proj-|svcacct-|admin-|None-)?{URL}{{20,74}}T3BlbkFJ", URL, 20, 74,
        prefix="sk-(?:proj|svcacct|admin)-", reach=140, sample=f"sk-proj-{WORD}{{74}}T3BlbkFJ{WORD}{{74}}",
        detect=f"T3BlbkFJ{URL}{{20}}",
    ),
    token(
        "anthropic_api_key", "Anthropic: API key or OAuth token", "sk-ant-(?:api03|admin01|oat01|ort01|sid01|sid02)-", URL, 80, 110,
        sample=f"sk-ant-api03-{WORD}{{93}}AA",
    ),
    token("huggingface_token", "Hugging Face: token", "(?:hf|api_org)_", "[A-Za-z]", 34),
    token("groq_api_key", "Groq: API key", f"gsk_{WORD}{{20}}WGdyb3FY", WORD, 24),
    token("openrouter_api_key", "OpenRouter: API key", "sk-or-v1-", HEX, 64),
    token("perplexity_api_key", "Perplexity: API key", "pplx-", WORD, 48),
    token("replicate_token", "Replicate: token", "r8_", WORD, 37, prefix=""),
    token("together_api_key", "Together AI: API key", "tgp_v1_", URL, 43),
    token("xai_api_key", "xAI: API key", "xai-", WORD, 80),
    token("cerebras_api_key", "Cerebras: API key", "csk-", LOWER, 48, left=APART),
    token("mistral_api_key", "Mistral: API key", f"mstrl_{WORD}{{32}}_", WORD, 6),
    token("deepseek_like_key", "DeepSeek, DashScope: API key", "sk-", HEX, 32, prefix="", left=APART),
    token("nvidia_api_key", "NVIDIA: API key", "nvapi-", URL, 60, 70),
    token("elevenlabs_api_key", "ElevenLabs: API key", "sk_", HEX, 48, prefix="", left=APART),
    token("pinecone_api_key", "Pinecone: API key", f"pcsk_{WORD}{{5,6}}_", WORD, 63),
    token("openai_like_key", "OpenAI of old, Moonshot, SiliconFlow and others: API key", "sk-", WORD, 48, 51, prefix="", left=APART, check=mixed),
    token("voyage_api_key", "Voyage AI: API key", "pa-", URL, 43, prefix="", left=APART, check=mixed),
    token("nomic_api_key", "Nomic: API key", "nk-", URL, 43, prefix="", left=APART, check=mixed),
    token("jina_api_key", "Jina AI: API key", "jina_", URL, 60),
    token("cartesia_api_key", "Cartesia: API key", "sk_car_", WORD, 20, 32),
    token("runpod_api_key", "RunPod: API key", "rpa_", "[A-Za-z0-9]", 40, 60, check=mixed),
    token("mem0_api_key", "Mem0: API key", "m0-", WORD, 40, prefix="", left=APART, check=mixed),
    token("helicone_key", "Helicone: API key", "sk-helicone-(?:[a-z0-9]{7}-){3}", LOWER, 7, prefix="sk-helicone-", sample=f"sk-helicone-{LOWER}{{7}}-{LOWER}{{7}}-{LOWER}{{7}}-{LOWER}{{7}}"),
    token("logfire_token", "Pydantic Logfire: token", "pylf_v[0-9]_[a-z]{2,8}_", WORD, 40, 48, prefix="pylf_v[0-9]_", sample=f"pylf_v1_us_{WORD}{{43}}"),
    token("browserbase_api_key", "Browserbase: API key", "bb_(?:live|test)_", URL, 24, 40, prefix="bb_(?:live|test)_", left=APART, check=mixed, sample=f"bb_live_{WORD}{{27}}"),
    token("minimax_api_key", "MiniMax: API key", "sk-api-", URL, 80, 140, left=APART),
    token("lambda_cloud_key", "Lambda Cloud: API key", rf"secret_[a-z0-9-]{{1,40}}_{HEX}{{32}}\.", WORD, 32, prefix="", left=APART, detect=rf"secret_[a-z0-9-]{{1,40}}_{HEX}{{8}}", sample=f"secret_ci_{HEX}{{32}}.{WORD}{{32}}"),
    token("modal_token_secret", "Modal: secret of a token", "as-", WORD, 22, prefix="", left=APART, check=aws_secret, tentative=True, sample=f"as-{WORD}{{19}}7fK"),
    token("trigger_dev_key", "Trigger.dev: secret key", "tr_(?:dev|prod|stg|preview|pat)_", WORD, 20, 40, prefix="", left=APART, check=mixed, sample=f"tr_prod_{WORD}{{20}}"),
    token("daytona_api_key", "Daytona: API key", "dtn_", HEX, 64),
    token("cursor_api_key", "Cursor: API key", "key_", HEX, 64, prefix="", left=APART),
    token("friendli_token", "Friendli: token", "flp_", WORD, 46),
    token("val_town_token", "Val Town: token", "vtwn_", WORD, 27, 32),
    token("langsmith_key", "LangSmith: API key", f"lsv2_(?:pt|sk)_{HEX}{{32}}_", HEX, 10),
    token("langfuse_secret_key", "Langfuse: secret key", f"sk-lf-{UUID_HEAD}", HEX, 12),
    token("tavily_api_key", "Tavily: API key", "tvly-(?:dev-|prod-)?", URL, 32, 40, sample=f"tvly-dev-{WORD}{{32}}"),
    token("llamacloud_key", "LlamaCloud: API key", "llx-", URL, 48),
    token("wandb_key_v1", "Weights & Biases: API key", "wandb_v1_", "[A-Za-z0-9_]", 77),
    token("fireworks_api_key", "Fireworks AI: API key", "fw_", WORD, 24, prefix="", left=APART, check=mixed),
    token("e2b_api_key", "E2B: API key", "e2b_", HEX, 40),
    token("firecrawl_key", "Firecrawl: API key", "fc-", HEX, 32, prefix="", left=APART),
    token("apify_token", "Apify: token", "apify_api_", WORD, 36),
    token("dify_app_key", "Dify: API key of an app", "app-", WORD, 24, prefix="", left=APART, check=aws_secret),
    token("anyscale_key", "Anyscale: API key", "esecret_", WORD, 24, 60, sample=f"esecret_{WORD}{{30}}"),
    token("fal_key", "fal: API key", f"{UUID_HEAD}{HEX}{{12}}:", HEX, 32, prefix="", left=APART, detect=f"-{HEX}{{12}}:{HEX}{{32}}", sample=f"{UUID_HEAD}{HEX}{{12}}:{HEX}{{32}}"),
    token("brave_search_key", "Brave: API key of the search", "BSA", URL, 27, 28, prefix="", left=APART, check=aws_secret),
    token("tinybird_token", "Tinybird: token", rf"p\.eyJ{URL}{{60,400}}\.", URL, 43, prefix=r"p\.eyJ", detect=rf"p\.eyJ{URL}{{60}}", sample=f"p.eyJ{WORD}{{90}}.{WORD}{{43}}", reach=140),
)  # fmt: skip
