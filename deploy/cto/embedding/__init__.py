"""The embedding worker: fills in the vectors of new blocks, outside the database."""

from cto.embedding.backoff import Backoff
from cto.embedding.cli import cli_embed
from cto.embedding.errors import (
    BadAnswer,
    BadKey,
    BadRequest,
    BadSetup,
    EmbeddingError,
    QuotaExhausted,
    RateLimited,
    Unavailable,
)
from cto.embedding.estimate import Estimate, estimate_backlog
from cto.embedding.providers import (
    Embedded,
    HashingProvider,
    OpenAIProvider,
    Provider,
    open_provider,
)
from cto.embedding.report import Progress, Report
from cto.embedding.session import NotDeployedError
from cto.embedding.worker import DEFAULT_BATCH_SIZE, DEFAULT_LEASE, never, run

__all__ = [
    "DEFAULT_BATCH_SIZE",
    "DEFAULT_LEASE",
    "Backoff",
    "BadAnswer",
    "BadKey",
    "BadRequest",
    "BadSetup",
    "Embedded",
    "EmbeddingError",
    "Estimate",
    "HashingProvider",
    "NotDeployedError",
    "OpenAIProvider",
    "Progress",
    "Provider",
    "QuotaExhausted",
    "RateLimited",
    "Report",
    "Unavailable",
    "cli_embed",
    "estimate_backlog",
    "never",
    "open_provider",
    "run",
]
