"""OpenAIProvider against a real server that goes wrong in every way we know of."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Iterator
from email.utils import formatdate

import fault_server as faults
import pytest
from fault_server import FaultServer, vector_of

from cto.embedding import (
    BadAnswer,
    BadKey,
    BadRequest,
    BadSetup,
    EmbeddingError,
    OpenAIProvider,
    QuotaExhausted,
    RateLimited,
    Unavailable,
    open_provider,
)
from cto.embedding.errors import retry_after_seconds
from cto.tokens import count_tokens

KEY = "sk-test-4f8a91c2d7e6b305"
TEXTS = ["uno", "dos", "tres"]


@pytest.fixture
def api() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


@pytest.fixture
def provider(api: FaultServer) -> Iterator[OpenAIProvider]:
    opened = OpenAIProvider("test-model", api.url, api_key=KEY, timeout=5)
    yield opened
    opened.close()


def test_vectors_come_in_the_order_of_the_texts(api: FaultServer, provider: OpenAIProvider) -> None:
    answer = provider.embed(TEXTS)
    assert [list(vector) for vector in answer.vectors] == [vector_of(text) for text in TEXTS]
    assert answer.tokens == 30
    (request,) = api.requests
    assert request.body == {"model": "test-model", "input": TEXTS, "encoding_format": "float"}
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_no_texts_need_no_request(api: FaultServer, provider: OpenAIProvider) -> None:
    assert provider.embed([]).vectors == []
    assert api.requests == []


def test_dimensions_are_sent_only_when_set(api: FaultServer) -> None:
    opened = OpenAIProvider("test-model", api.url, api_key=KEY, dimensions=16)
    assert len(opened.embed(["uno"]).vectors[0]) == 16
    opened.close()
    assert api.requests[0].body["dimensions"] == 16


def test_a_model_that_is_too_large_is_asked_for_fewer_dimensions(api: FaultServer) -> None:
    opened = OpenAIProvider("text-embedding-3-large", api.url, api_key=KEY)
    assert len(opened.embed(["uno"]).vectors[0]) == 1536
    opened.close()
    assert api.requests[0].body["dimensions"] == 1536


def test_a_long_text_is_cut_to_8192_tokens(api: FaultServer, provider: OpenAIProvider) -> None:
    provider.embed(["palabra " * 20_000])
    assert 8000 < count_tokens(api.texts[0]) <= 8192


def test_a_shuffled_answer_is_put_in_order(api: FaultServer, provider: OpenAIProvider) -> None:
    api.plan(faults.shuffled)
    answer = provider.embed(TEXTS)
    assert [list(vector) for vector in answer.vectors] == [vector_of(text) for text in TEXTS]
    assert len(api.requests) == 1


@pytest.mark.parametrize(
    "reply",
    [
        faults.short,
        faults.long,
        faults.no_index,
        faults.same_index,
        faults.empty,
        faults.one_dimension_off,
        faults.too_large,
        faults.not_a_number,
        faults.infinite,
        faults.zeros,
        faults.no_vector,
        faults.raw(200, b"{}"),
        faults.raw(200, b'{"data": 7}'),
        faults.raw(200, b'{"data": [1, 2, 3]}'),
        faults.raw(200, b"null"),
        faults.raw(200, b"{not json"),
        faults.raw(200, b"<html>a login page</html>", "text/html"),
    ],
)
def test_an_unusable_answer_is_refused(
    api: FaultServer, provider: OpenAIProvider, reply: faults.Reply
) -> None:
    api.plan(reply)
    with pytest.raises(BadAnswer) as caught:
        provider.embed(TEXTS)
    assert caught.value.remedy
    assert len(api.requests) == 1


def test_another_dimension_than_asked_is_refused(api: FaultServer) -> None:
    api.plan(faults.wrong_dimension)
    opened = OpenAIProvider("test-model", api.url, api_key=KEY, dimensions=8)
    with pytest.raises(BadAnswer, match="2 dimensions, not 8"):
        opened.embed(TEXTS)
    opened.close()


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (faults.rate_limit(), RateLimited),
        (faults.no_quota(), QuotaExhausted),
        (faults.error(402), QuotaExhausted),
        (faults.error(400, code="billing_hard_limit_reached"), QuotaExhausted),
        (faults.error(401), BadKey),
        (faults.error(403), BadKey),
        (faults.error(404), BadSetup),
        (faults.error(400), BadRequest),
        (faults.error(413), BadRequest),
        (faults.error(422), BadRequest),
        (faults.raw(413, b"<html>too large</html>", "text/html"), BadRequest),
        (faults.error(408), Unavailable),
        (faults.error(500), Unavailable),
        (faults.error(503), Unavailable),
        (faults.raw(502, b"<html>bad gateway</html>", "text/html"), Unavailable),
        (faults.reset_in_mid_body, Unavailable),
    ],
)
def test_each_error_says_what_to_do(
    api: FaultServer, provider: OpenAIProvider, reply: faults.Reply, kind: type[EmbeddingError]
) -> None:
    api.plan(reply)
    with pytest.raises(EmbeddingError) as caught:
        provider.embed(TEXTS)
    assert type(caught.value) is kind
    assert caught.value.message
    assert caught.value.remedy
    assert len(api.requests) == 1, "the client must not try again by itself"


def test_a_server_that_does_not_answer_in_time_is_unavailable(api: FaultServer) -> None:
    api.plan(faults.slow(5))
    opened = OpenAIProvider("test-model", api.url, api_key=KEY, timeout=0.1)
    with pytest.raises(Unavailable, match="in time"):
        opened.embed(TEXTS)
    opened.close()
    assert len(api.requests) == 1


def test_a_server_that_is_not_there_is_unavailable() -> None:
    opened = OpenAIProvider("test-model", "http://127.0.0.1:9/v1", api_key=KEY)
    with pytest.raises(Unavailable):
        opened.embed(TEXTS)
    opened.close()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.25"}, 0.25),
        ({"Retry-After": "7", "retry-after-ms": "120"}, 0.12),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
def test_retry_after_is_read(
    api: FaultServer, provider: OpenAIProvider, headers: dict[str, str], seconds: float | None
) -> None:
    api.plan(faults.rate_limit(headers))
    with pytest.raises(RateLimited) as caught:
        provider.embed(TEXTS)
    assert caught.value.retry_after == (None if seconds is None else pytest.approx(seconds))


def test_retry_after_as_a_date_counts_from_now(api: FaultServer, provider: OpenAIProvider) -> None:
    api.plan(faults.rate_limit({"Retry-After": formatdate(time.time() + 30, usegmt=True)}))
    with pytest.raises(RateLimited) as caught:
        provider.embed(TEXTS)
    assert caught.value.retry_after is not None
    assert 28 <= caught.value.retry_after <= 30
    date = {"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}
    assert retry_after_seconds(date, now=15.0) == 45.0


@pytest.mark.parametrize(
    "reply",
    [
        faults.error(401, message=f"Incorrect API key provided: {KEY}."),
        faults.error(400, message=f"bad header Bearer {KEY}"),
        faults.error(500, message=f"crashed while serving {KEY}"),
        faults.raw(500, f"plain text about {KEY}".encode(), "text/plain"),
        faults.raw(200, f"{{not json {KEY}".encode()),
        faults.reset_in_mid_body,
        faults.short,
        faults.right,
    ],
)
def test_the_key_appears_in_no_message_traceback_or_log(
    api: FaultServer,
    provider: OpenAIProvider,
    reply: faults.Reply,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    api.plan(reply)
    shown = [repr(provider), str(provider)]
    try:
        provider.embed(TEXTS)
    except EmbeddingError as error:
        shown += [str(error), repr(error), error.message, error.remedy]
        shown += [repr(error.__cause__), repr(error.__context__)]
        shown += traceback.format_exception(error)
    assert KEY not in "\n".join(shown)
    assert KEY not in caplog.text


def test_a_key_of_another_account_is_hidden_too(api: FaultServer, provider: OpenAIProvider) -> None:
    api.plan(faults.error(401, message="wrong key: sk-proj-abc123def456"))
    with pytest.raises(BadKey) as caught:
        provider.embed(TEXTS)
    assert "abc123" not in caught.value.message


def test_openai_wants_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    for url in (None, "https://api.openai.com/v1", "https://eu.api.openai.com/v1"):
        with pytest.raises(BadKey, match="OPENAI_API_KEY is not set"):
            OpenAIProvider(base_url=url)


def test_another_server_needs_no_key(api: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    opened = OpenAIProvider("test-model", api.url)
    opened.embed(["uno"])
    opened.close()
    assert api.requests[0].headers["authorization"] == "Bearer none"


def test_the_key_and_address_come_from_the_environment(
    api: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    monkeypatch.setenv("OPENAI_BASE_URL", api.url)
    opened = OpenAIProvider()
    opened.embed(["uno"])
    opened.close()
    assert api.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert api.requests[0].body["model"] == "text-embedding-3-small"


@pytest.mark.parametrize("key", ["sk-uno\nsk-dos", "clave-ñ", "two words"])
def test_what_cannot_be_a_key_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(BadKey) as caught:
        OpenAIProvider(api_key=key)
    assert key not in str(caught.value) + caught.value.remedy


def test_dimensions_that_the_database_cannot_hold_are_refused() -> None:
    for dimensions in (0, 1537):
        with pytest.raises(BadSetup, match="between 1 and 1536"):
            OpenAIProvider(api_key=KEY, dimensions=dimensions)


def test_providers_are_opened_by_name(api: FaultServer) -> None:
    assert open_provider("hashing").model == "hashing-1536"
    opened = open_provider("openai", model="m", base_url=api.url, dimensions=8)
    assert (opened.model, opened.dimensions) == ("m", 8)
    opened.close()
    with pytest.raises(BadSetup, match="no embedding provider 'cohere'"):
        open_provider("cohere")
    with pytest.raises(BadSetup, match="one model only"):
        open_provider("hashing", dimensions=768)
