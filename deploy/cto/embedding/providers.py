"""Where vectors come from: an API like OpenAI's, or hashing without any model."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

import openai

from cto.embedding.answers import MAX_DIMENSIONS, vectors_by_index
from cto.embedding.errors import BadKey, BadSetup, EmbeddingError, from_openai
from cto.embedding.hashing import hash_text
from cto.tokens import count_tokens, truncate_to_tokens

MAX_INPUT_TOKENS = 8192
OPENAI_URL = "https://api.openai.com/v1"

# Models whose own vectors are too large for the database, and which can make smaller ones.
_ASK_FOR_FEWER = frozenset({"text-embedding-3-large"})


@dataclass(frozen=True)
class Embedded:
    """The vectors of some texts, in the order of the texts, and how many tokens were billed."""

    vectors: Sequence[Sequence[float]]
    tokens: int


class Provider(Protocol):
    """Something that turns texts into vectors."""

    @property
    def model(self) -> str:
        """Name under which the vectors are stored; vectors of two names are never compared."""

    @property
    def dimensions(self) -> int | None:
        """Dimensions of every vector; None when only the first answer tells."""

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Return one vector a text. Raises an EmbeddingError."""


class HashingProvider:
    """Vectors without a model: offline, free, and the same on every machine.

    They are lexical only, not semantic: texts are near each other when they share words, pairs of
    words or parts of words. "car" and "automobile" are strangers to it.
    """

    model = "hashing-1536"
    description = (
        "lexical only, not semantic: hashes words and parts of words, knows nothing of meaning"
    )
    dimensions: int | None = MAX_DIMENSIONS

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Return one vector of 1536 dimensions and length one a text; bills nothing."""
        return Embedded([hash_text(text, MAX_DIMENSIONS) for text in texts], tokens=0)

    def close(self) -> None:
        """Do nothing: there is nothing open."""


class OpenAIProvider:
    """Vectors from OpenAI, or from any server that speaks its API (Ollama, vLLM, LM Studio, TEI).

    The key comes from OPENAI_API_KEY. `base_url` (default: OPENAI_BASE_URL, else OpenAI's) usually
    ends in /v1; for servers other than OpenAI's the key may be missing. `timeout` is in seconds.
    """

    def __init__(
        self,
        model: str = "text-embedding-3-small",
        base_url: str | None = None,
        *,
        api_key: str | None = None,
        dimensions: int | None = None,
        timeout: float = 60.0,
    ) -> None:
        """Open the client; nothing is sent yet.

        Raises BadKey when OpenAI's key is missing or cannot be a key, and BadSetup for dimensions
        outside 1 to 1536.
        """
        if dimensions is None and model in _ASK_FOR_FEWER:
            dimensions = MAX_DIMENSIONS
        if dimensions is not None and not 1 <= dimensions <= MAX_DIMENSIONS:
            raise BadSetup(
                f"dimensions is {dimensions} but must lie between 1 and {MAX_DIMENSIONS}",
                "The database stores vectors of at most 1536 dimensions.",
            )
        self.model = model
        self.dimensions = dimensions
        url = base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
        self._api_key = _usable_key(api_key or os.environ.get("OPENAI_API_KEY") or "", url)
        self._client = openai.OpenAI(
            api_key=self._api_key or "none", base_url=url, timeout=timeout, max_retries=0
        )

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Return one checked vector a text, in one request; texts are cut to 8,192 tokens.

        Raises RateLimited, QuotaExhausted, BadKey, BadSetup, BadRequest, Unavailable or BadAnswer.
        """
        cut = [cut_text(text) for text in texts]
        if not cut:
            return Embedded([], tokens=0)
        failure: EmbeddingError
        try:
            # The raw answer: the client's models take 10 ms a vector to build, and check nothing.
            raw = self._client.embeddings.with_raw_response.create(
                model=self.model,
                input=cut,
                encoding_format="float",  # proxies break base64
                dimensions=openai.omit if self.dimensions is None else self.dimensions,
            )
            answer = json.loads(raw.content)
            vectors = vectors_by_index(answer, len(cut), dimensions=self.dimensions)
            return Embedded(vectors, tokens=_billed(answer, cut))
        except EmbeddingError:
            raise
        except (openai.OpenAIError, ValueError, TypeError, RecursionError) as error:
            failure = from_openai(error, api_key=self._api_key)
        # Raised out here so that the original, which may quote the key, hangs on it nowhere.
        raise failure

    def close(self) -> None:
        """Close the connections to the server."""
        self._client.close()


def open_provider(
    name: str,
    *,
    model: str | None = None,
    base_url: str | None = None,
    dimensions: int | None = None,
    timeout: float = 60.0,
) -> HashingProvider | OpenAIProvider:
    """Return the provider called `openai` or `hashing`; close it when done.

    Raises BadSetup for another name or for options that hashing does not have.
    """
    if name == "openai":
        return OpenAIProvider(
            model or "text-embedding-3-small", base_url, dimensions=dimensions, timeout=timeout
        )
    if name != "hashing":
        raise BadSetup(f"There is no embedding provider {name!r}.", "Choose openai or hashing.")
    provider = HashingProvider()
    if model not in {None, provider.model} or dimensions not in {None, provider.dimensions}:
        raise BadSetup(
            f"Hashing has one model only, {provider.model}, of {provider.dimensions} dimensions.",
            "Leave model and dimensions out.",
        )
    return provider


def cut_text(text: str) -> str:
    """Return the beginning of a text that the API accepts: at most 8,192 tokens."""
    if len(text.encode()) <= MAX_INPUT_TOKENS:
        return text  # no token is shorter than a byte
    return truncate_to_tokens(text, MAX_INPUT_TOKENS)


def _usable_key(key: str, url: str) -> str:
    key = key.strip()
    host = urlsplit(url).hostname or ""
    if not key and (host == "api.openai.com" or host.endswith(".api.openai.com")):
        raise BadKey(
            "OPENAI_API_KEY is not set.",
            "Set it in the environment, or choose another provider or base_url.",
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise BadKey(
            "OPENAI_API_KEY holds characters that cannot be in a key.",
            "Set it again; a line break or a quotation mark may have slipped in.",
        )
    return key


def _billed(answer: Mapping[str, Any], texts: Sequence[str]) -> int:
    usage = answer.get("usage")
    if isinstance(usage, Mapping):
        for field in ("total_tokens", "prompt_tokens"):
            tokens = usage.get(field)
            if isinstance(tokens, int) and tokens > 0:
                return tokens
    return sum(map(count_tokens, texts))  # the server does not say
