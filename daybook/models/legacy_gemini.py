"""
Gemini through the SDK google-generativeai, whose support ended on 2025-11-30: models named `google-generativeai:…`.

It stands behind Pydantic AI's face of a model, so that what follows an answer is as for any other. Off are the
SDK's retry (up to 600 s, unseen), its repeating of what was answered 401, redirects, and its global configuration,
which would keep the key. It takes no JSON schema, so the model is told it. It drops what it does not know: an end
for a reason newer than the SDK reads as an empty answer, and tokens spent on thinking are only in the total.
"""

from __future__ import annotations

import asyncio
import threading
import warnings
from concurrent.futures import Future
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic_ai import exceptions as raised
from pydantic_ai.messages import FinishReason, ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.usage import RequestUsage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic_ai.settings import ModelSettings

R = TypeVar("R")

ENDS: dict[str, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "LANGUAGE": "error",
    "MALFORMED_FUNCTION_CALL": "error",
}
BY_STATUS: dict[int, Any] = {
    HTTPStatus.UNAUTHORIZED: raised.ModelAuthenticationError,
    HTTPStatus.FORBIDDEN: raised.ModelAuthenticationError,
    HTTPStatus.NOT_FOUND: raised.ModelNotFoundError,
    HTTPStatus.TOO_MANY_REQUESTS: raised.ModelRateLimitError,
    HTTPStatus.SERVICE_UNAVAILABLE: raised.ModelOverloadedError,
}
# How the API says that a prompt is too long; its status is that of any bad request.
TOO_LONG = ("input token count", "number of tokens allowed")


async def in_thread(work: Callable[[], R]) -> R:
    """Wait for *work* in a thread that no exit waits for: a pool's would keep a cancelled process until its answer."""
    future: Future[R] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001 - handed to whoever waits
            future.set_exception(error)

    threading.Thread(target=run, name="google-generativeai", daemon=True).start()
    return await asyncio.wrap_future(future)


def load() -> Any:
    """
    Load the SDK without its words about its end, which `doctor` says.

    Raises:
        ImportError: The extra is not installed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        import google.generativeai as sdk  # noqa: PLC0415 - an extra, and slow to load
    return sdk


def connect(model: str, api_key: str, base_url: str | None) -> Any:
    """
    Make a client of its own for one request.

    What the API refuses raises here and not in the SDK, which trips over a body that is not as it expects.
    """
    from google.ai.generativelanguage import GenerativeServiceClient  # noqa: PLC0415 - an extra
    from google.api_core.client_options import ClientOptions  # noqa: PLC0415 - likewise

    def refuse(response: Any, **_: Any) -> None:
        if not response.ok or response.is_redirect:
            raise refusal(model, response)

    options = ClientOptions(api_key=api_key, api_endpoint=base_url and base_url.rstrip("/"))
    client = GenerativeServiceClient(transport="rest", client_options=options)
    client.transport._session.hooks["response"].append(refuse)  # noqa: SLF001 - the SDK offers no other way to it
    return client


def refusal(model: str, response: Any) -> raised.ModelHTTPError:
    """Read a refusal of the API as Pydantic AI does for the same answer to `google:`."""
    try:
        body: object = response.json()
    except ValueError:
        body = response.text
    details = _details(body)
    delays = [_seconds(detail.get("retryDelay")) for detail in details]
    error = raised.ModelHTTPError.for_category(
        _category(response.status_code, response.text, details),
        status_code=response.status_code,
        model_name=model,
        body=body,
        headers=dict(response.headers),
    )
    if error.retry_after is None:
        error.retry_after = next((delay for delay in delays if delay is not None), None)
    return error


def read(name: str, answer: Any) -> ModelResponse:
    """Read an answer of the SDK."""
    candidate = answer.candidates[0] if answer.candidates else None
    counts = answer.usage_metadata
    if candidate is None:
        ended: FinishReason | None = "content_filter" if answer.prompt_feedback.block_reason else None
    else:
        ended = ENDS.get(candidate.finish_reason.name)
    return ModelResponse(
        parts=[TextPart(part.text) for part in candidate.content.parts if part.text] if candidate else [],
        model_name=answer.model_version or name,
        finish_reason=ended,
        usage=RequestUsage(
            input_tokens=counts.prompt_token_count,
            output_tokens=max(counts.candidates_token_count, counts.total_token_count - counts.prompt_token_count),
        ),
    )


def _category(status: int, text: str, details: list[Mapping[str, Any]]) -> Any:
    if any(detail.get("reason") == "API_KEY_INVALID" for detail in details):
        return raised.ModelAuthenticationError
    if status == HTTPStatus.TOO_MANY_REQUESTS and any("PerDay" in str(detail.get("violations")) for detail in details):
        return raised.ModelQuotaExceededError
    if status == HTTPStatus.BAD_REQUEST and any(words in text.lower() for words in TOO_LONG):
        return raised.ModelContextWindowExceededError
    failed = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return BY_STATUS.get(status, raised.ModelServerError if failed else raised.ModelRequestRejectedError)


def _details(body: object) -> list[Mapping[str, Any]]:
    error = body.get("error") if isinstance(body, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    return [detail for detail in details if isinstance(detail, dict)] if isinstance(details, list) else []


def _seconds(duration: object) -> float | None:
    """Read a protobuf Duration, such as `2.5s`."""
    try:
        seconds = float(str(duration).removesuffix("s"))
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


class LegacyGemini(Model[Any]):
    """
    One model of Gemini, reached by one HTTP request a call.

    Raises:
        ImportError: When made: the extra is not installed.
    """

    def __init__(self, name: str, *, api_key: str, base_url: str | None) -> None:
        """
        Keep what a request needs.

        Args:
            name: As the API has it, without `models/`.
            api_key: Sent as a header and nowhere else.
            base_url: Where the API is; None for Google's own address.
        """
        super().__init__(profile=ModelProfile(supports_json_schema_output=False, supports_json_object_output=True))
        self._name = name
        self._api_key = api_key
        self._base_url = base_url
        self._sdk = load()

    @property
    def model_name(self) -> str:
        """The name without its provider."""
        return self._name

    @property
    def system(self) -> str:
        """The provider."""
        return "google"

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send one request; what goes wrong raises what Pydantic AI raises for the same answer to `google:`."""
        settings, parameters = self.prepare_request(model_settings, model_request_parameters)
        parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
        asked = [str(part.content) for part in parts if isinstance(part, UserPromptPart)]
        told = [part.content for part in parameters.instruction_parts or ()]
        return await in_thread(lambda: self._send(asked, told, settings or {}))

    def _send(self, asked: list[str], told: list[str], settings: Mapping[str, Any]) -> ModelResponse:
        from requests import exceptions  # noqa: PLC0415 - an extra

        model = self._sdk.GenerativeModel(self._name, system_instruction="\n\n".join(told) or None)
        client = connect(self._name, self._api_key, self._base_url)
        model._client = client  # noqa: SLF001 - else it takes the global one
        limits = {"max_output_tokens": settings.get("max_tokens"), "response_mime_type": "application/json"}
        try:
            answer = model.generate_content(
                asked, generation_config=limits, request_options={"retry": None, "timeout": settings.get("timeout")}
            )
        except exceptions.Timeout as error:
            raise raised.ModelTimeoutError(self._name, type(error).__name__) from error
        except exceptions.RequestException as error:
            raise raised.ModelConnectionError(self._name, type(error).__name__) from error
        finally:
            client.transport.close()
        return read(self._name, answer)
