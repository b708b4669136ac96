"""The providers of models by name; a plain table, since settings are read where no library of models is loaded."""

from __future__ import annotations

GATEWAY = "gateway"
# By Pydantic AI's names for them. A test holds this against the library.
PROVIDERS = (
    "alibaba",
    "anthropic",
    "azure",
    "bedrock",
    "bedrock-mantle",
    "cerebras",
    "cohere",
    "crusoe",
    "deepseek",
    "elevenlabs",
    "fireworks",
    GATEWAY,
    "github",
    "github-copilot",
    "google",
    "google-cloud",
    "groq",
    "heroku",
    "huggingface",
    "litellm",
    "meta",
    "mistral",
    "moonshotai",
    "nebius",
    "ollama",
    "openai",
    "openai-chatgpt",
    "openai-codex",
    "openrouter",
    "ovhcloud",
    "sambanova",
    "sentence-transformers",
    "snowflake",
    "system-one",
    "together",
    "typesafe",
    "vercel",
    "vllm",
    "voyageai",
    "xai",
    "zai",
)
# Other names of a provider, for a protocol or an SDK: the key, the quota and the bill are the same.
FLAVOURS = {
    "azure-responses": "azure",
    "google-decisions": "google",
    "google-generativeai": "google",
    "openai-chat": "openai",
    "openai-decisions": "openai",
    "openai-responses": "openai",
}


def provider_named(name: str) -> str:
    """Give the provider of what stands before a model's colon; a name that is not known stays as it is."""
    return GATEWAY if name.startswith(f"{GATEWAY}/") else FLAVOURS.get(name, name)
