"""Which texts go into one request: the limits of OpenAI's API, and no text twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from cto.embedding.providers import MAX_INPUT_TOKENS, cut_text
from cto.tokens import count_tokens

MAX_INPUTS = 2048
MAX_TOKENS = 300_000


@dataclass(frozen=True)
class Row:
    """One leased job: the block, its text, and how often it was handed out."""

    owner_id: str
    block_hash: str
    content: str
    attempts: int

    @property
    def key(self) -> tuple[str, str]:
        """The block's primary key."""
        return self.owner_id, self.block_hash


@dataclass
class Text:
    """A text that is sent once, however many rows have it."""

    content: str
    tokens: int  # of the whole, not of what is sent
    weight: int  # what it counts against the limit of a request
    rows: list[Row] = field(default_factory=list)

    @classmethod
    def weigh(cls, content: str) -> Text:
        """Count the tokens of a text, and weigh what will be sent of it.

        The API refuses by tokens, and before that by an estimate of UTF-8 bytes / 4: the larger
        counts.
        """
        tokens = count_tokens(content)
        size = -(-len(cut_text(content).encode()) // 4)
        return cls(content, tokens, max(min(tokens, MAX_INPUT_TOKENS), size))


@dataclass(frozen=True)
class Batch:
    """The texts of one request."""

    texts: list[Text]

    @property
    def contents(self) -> list[str]:
        """What is sent."""
        return [text.content for text in self.texts]

    @property
    def rows(self) -> list[Row]:
        """Every row that waits for one of the texts."""
        return [row for text in self.texts for row in text.rows]

    @property
    def keys(self) -> list[tuple[str, str]]:
        """The keys of those rows."""
        return [row.key for row in self.rows]

    def halves(self) -> tuple[Batch, Batch]:
        """Split a batch of two texts or more."""
        middle = len(self.texts) // 2
        return Batch(self.texts[:middle]), Batch(self.texts[middle:])


def pack(
    rows: Iterable[Row], *, max_inputs: int = MAX_INPUTS, max_tokens: int = MAX_TOKENS
) -> Iterator[Batch]:
    """Yield batches that keep the limits of a request, in the order of the rows.

    Rows with equal texts share one place. A text that is alone above max_tokens gets a request of
    its own.
    """
    texts: dict[str, Text] = {}
    for row in rows:
        text = texts.get(row.content)
        if text is None:
            text = texts[row.content] = Text.weigh(row.content)
        text.rows.append(row)

    batch: list[Text] = []
    weight = 0
    for text in texts.values():
        if batch and (len(batch) == max_inputs or weight + text.weight > max_tokens):
            yield Batch(batch)
            batch, weight = [], 0
        batch.append(text)
        weight += text.weight
    if batch:
        yield Batch(batch)
