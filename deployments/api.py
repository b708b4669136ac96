"""
The few calls of Prefect's REST API that need no client library, which takes a second to import.

Checked against Prefect 3.9.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from daybook.errors import ServerError

if TYPE_CHECKING:
    import httpx

    from deployments.environment import Server

TIMEOUT_S = 10.0


def is_healthy(server: Server) -> bool:
    """Whether the server answers, and takes our login if it is ours."""
    return _trouble(server) is None


def require(server: Server) -> Server:
    """
    Give back a server of the operator's that can be used.

    Raises:
        ServerError: It cannot; the sentence says why.
    """
    if trouble := _trouble(server):
        raise ServerError(
            f"The Prefect server of daybook.toml, {server.api_url}, {trouble}; "
            "mend that, or take api_url out of [prefect]."
        )
    return server


def start_run(server: Server, deployment: str, parameters: dict[str, Any]) -> str:
    """
    Make a run of a deployment that the runner takes up at once.

    Args:
        server: Where the deployment is.
        deployment: Its full name, `flow/deployment`.
        parameters: For the flow; what is left out takes its default.

    Returns:
        The flow run's id.

    Raises:
        ServerError: The server does not know the deployment, refuses, or does not answer.
    """
    found = _json(server, "GET", f"/deployments/name/{deployment}", None)
    wanted = {"parameters": parameters, "state": {"type": "SCHEDULED", "message": "Started by Daybook."}}
    return str(_json(server, "POST", f"/deployments/{found['id']}/create_flow_run", wanted)["id"])


def _trouble(server: Server) -> str | None:
    import httpx  # noqa: PLC0415 - start-up time

    # Health alone says nothing about the login: it answers anyone.
    for path in ("/health", "/admin/version"):
        try:
            with _client(server) as client:
                status = client.get(f"{server.api_url}{path}").status_code
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return f"does not answer ({type(error).__name__})"
        if status in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}:
            return "wants a login that Daybook does not have"
        if not httpx.codes.is_success(status):
            return f"answers {status} to GET {path}"
    return None


def _json(server: Server, method: str, path: str, body: dict[str, Any] | None) -> Any:
    import httpx  # noqa: PLC0415 - start-up time

    try:
        with _client(server) as client:
            answer = client.request(method, f"{server.api_url}{path}", json=body)
    except httpx.HTTPError as error:
        raise ServerError(
            f"Prefect's server at {server.ui_url} does not answer ({type(error).__name__}); "
            "look into its log or start `daybook up` again."
        ) from error
    if not answer.is_success:
        raise ServerError(
            f"Prefect's server at {server.ui_url} answered {answer.status_code} to {method} {path}; "
            "look into its log or start `daybook up` again."
        )
    return answer.json()


def _client(server: Server) -> httpx.Client:
    import httpx  # noqa: PLC0415 - start-up time

    user, _, password = (server.login or "").partition(":")
    auth = httpx.BasicAuth(user, password) if server.login else None
    # The caller's proxy settings stay out of calls to our own server.
    return httpx.Client(auth=auth, timeout=TIMEOUT_S, trust_env=server.login is None)
