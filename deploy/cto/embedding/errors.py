"""What can go wrong between the worker and an embeddings API, told apart by what to do about it."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from math import isfinite

import openai

from cto.errors import CtoError

_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_KEY_SHAPE = re.compile(r"\b(sk|pk|key)-[\w*-]{6,}|(?<=Bearer )\S+")
_MESSAGE_LIMIT = 500


class EmbeddingError(CtoError):
    """An embeddings API gave no usable vectors; the subclasses say what the worker does then."""


class RateLimited(EmbeddingError):  # noqa: N818
    """Too many requests: wait `retry_after` seconds (None: not said) and ask again."""

    def __init__(self, message: str, remedy: str = "", *, retry_after: float | None = None) -> None:
        """Keep how long the server asked us to wait, in seconds."""
        super().__init__(message, remedy)
        self.retry_after = retry_after


class Unavailable(EmbeddingError):  # noqa: N818
    """The server failed, did not answer in time, or the connection broke: back off, then stop."""

    def __init__(self, message: str, remedy: str = "", *, retry_after: float | None = None) -> None:
        """Keep how long the server asked us to wait, in seconds."""
        super().__init__(message, remedy)
        self.retry_after = retry_after


class QuotaExhausted(EmbeddingError):  # noqa: N818
    """The account has no credit left: stop at once, waiting does not help."""

    exit_code = 2


class BadKey(EmbeddingError):  # noqa: N818
    """The API key is missing, wrong or not allowed to do this: stop at once."""

    exit_code = 2


class BadSetup(EmbeddingError):  # noqa: N818
    """Model, address or dimensions are wrong for every text alike: stop at once."""

    exit_code = 2


class BadRequest(EmbeddingError):  # noqa: N818
    """The server refuses this request for its contents: find the text it refuses."""


class BadAnswer(EmbeddingError):  # noqa: N818
    """The answer does not hold one usable vector a text: ask again, then find the text."""


def from_openai(error: Exception, *, api_key: str, now: float | None = None) -> EmbeddingError:
    """Translate an exception of the openai client; the API key appears nowhere in the result.

    `now` is the time that a Retry-After date is compared with, in seconds since the epoch.
    """
    if isinstance(error, openai.APIStatusError):
        return _from_status(error, api_key=api_key, now=now)
    if isinstance(error, openai.APITimeoutError):
        return Unavailable(
            "The embeddings server did not answer in time.",
            "Try again; with a slow server of your own, use a smaller batch size.",
        )
    if isinstance(error, openai.APIResponseValidationError | ValueError | TypeError):
        return BadAnswer(
            f"The embeddings server's answer cannot be read: {redact(str(error), api_key)}",
            "Check that base_url leads to an API like OpenAI's (it usually ends in /v1).",
        )
    return Unavailable(
        f"The connection to the embeddings server failed: {redact(str(error), api_key)}",
        "Check that the server runs and that base_url is right.",
    )


def _from_status(
    error: openai.APIStatusError, *, api_key: str, now: float | None
) -> EmbeddingError:
    status = error.status_code
    said = f"HTTP {status}: {redact(_said(error), api_key)}"
    wait = retry_after_seconds(error.response.headers, now=now)
    if status == 402 or {error.code, error.type} & _QUOTA_CODES:
        return QuotaExhausted(
            f"The quota of the embeddings account is used up ({said})",
            "Add credit or raise the limit of the account, then run cto embed again.",
        )
    if status in {401, 403}:
        return BadKey(
            f"The embeddings server refuses the API key ({said})",
            "Set OPENAI_API_KEY to a key that may use this model.",
        )
    if status == 429:
        return RateLimited(
            f"The embeddings server asks us to slow down ({said})",
            "Ask again later; cto embed waits by itself, for an hour at most.",
            retry_after=wait,
        )
    if status in {400, 413, 422}:
        return BadRequest(
            f"The embeddings server refuses the request ({said})",
            "Mend the text, then call cto.requeue_embeddings().",
        )
    if status >= 500 or status in {408, 409, 425}:
        return Unavailable(
            f"The embeddings server failed ({said})",
            "Try again later.",
            retry_after=wait,
        )
    return BadSetup(
        f"The embeddings server does not know what we ask ({said})",
        "Check model and base_url (it usually ends in /v1).",
    )


def _said(error: openai.APIStatusError) -> str:
    """Return the server's own sentence where it sent one in OpenAI's shape, else the whole."""
    if isinstance(error.body, Mapping):
        message = error.body.get("message")
        if isinstance(message, str) and message.strip():
            return message
    return error.message


def redact(text: str, api_key: str) -> str:
    """Return the text on one line, shortened, without the key and without anything like a key."""
    if api_key:
        text = text.replace(api_key, "***")
    text = " ".join(_KEY_SHAPE.sub("***", text).split())
    return text if len(text) <= _MESSAGE_LIMIT else text[: _MESSAGE_LIMIT - 1] + "…"


def retry_after_seconds(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Return how long a server asks us to wait, in seconds; None when it does not say.

    Reads retry-after-ms (OpenAI's own) first, then Retry-After as seconds or as an HTTP date
    (RFC 9110, section 10.2.3). A date in the past means at once; nonsense counts as not said.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, date.timestamp() - (time.time() if now is None else now))
    except (ValueError, TypeError, OverflowError):
        return None
