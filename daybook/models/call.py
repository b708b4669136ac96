"""One request to one model through Pydantic AI: no tools, no retries of its own, bounded answer and time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic

from daybook.models import pricing
from daybook.models.outcomes import T, Trouble, Used, trouble_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import Model

REQUEST_TIMEOUT_S = 150.0


@dataclass(frozen=True)
class Reply(Generic[T]):
    """
    What one call gave.

    Attributes:
        result: The answer, or why there is none.
        used: What it cost.
    """

    result: T | Trouble
    used: Used


async def send(model: str, opened: Model, prompt: str, schema: type[T], *, max_output_tokens: int) -> Reply[T]:
    """
    Send one request and read its answer as *schema*; every exception but a cancellation becomes a trouble.

    Models that can be held to a JSON schema are; others are told it. There is no tool a note could ask for.

    Args:
        model: Its name, `provider:name`, which says its price.
        opened: The same, as `opening.open_model` opens it; good for one request.
        prompt: All that is said, but for the schema.
        schema: Form of the answer.
        max_output_tokens: Where the provider is to cut the answer off.
    """
    from pydantic_ai import Agent, NativeOutput, PromptedOutput, capture_run_messages  # noqa: PLC0415 - slow to load
    from pydantic_ai.settings import ModelSettings  # noqa: PLC0415 - likewise

    limits = ModelSettings(
        max_tokens=max_output_tokens, timeout=REQUEST_TIMEOUT_S, request_timeout=REQUEST_TIMEOUT_S, max_retries=0
    )
    native = opened.profile.get("supports_json_schema_output", False)
    with capture_run_messages() as messages:
        try:
            agent = Agent(opened, output_type=NativeOutput(schema) if native else PromptedOutput(schema), retries=0)
            # Notes are private: no tracing, also where the process has turned it on for all agents.
            agent.instrument = False
            async with agent:
                run = await agent.run(prompt, model_settings=limits)
        except Exception as error:  # noqa: BLE001 - whatever a library raises is an outcome here
            return Reply(trouble_of(error, silent=_silent(messages)), _used(messages, model))
    return Reply(run.output, _used(messages, model))


def _silent(messages: Sequence[ModelMessage]) -> bool:
    """Whether the model answered without a text; what could not be read at all is no answer."""
    from pydantic_ai.messages import ModelResponse, TextPart  # noqa: PLC0415 - slow to load

    answers = [message for message in messages if isinstance(message, ModelResponse)]
    parts = [part for answer in answers for part in answer.parts]
    return bool(answers) and not any(isinstance(part, TextPart) and part.content.strip() for part in parts)


def _used(messages: Sequence[ModelMessage], model: str) -> Used:
    from pydantic_ai.messages import ModelResponse  # noqa: PLC0415 - slow to load

    total = Used(calls=1)
    for message in messages:
        if isinstance(message, ModelResponse):
            usage = message.usage
            tokens = usage.input_tokens + usage.output_tokens
            usd = pricing.price(model, message.model_name, usage) if tokens else 0.0
            total += Used(0, usage.input_tokens, usage.output_tokens, usd)
    return total
