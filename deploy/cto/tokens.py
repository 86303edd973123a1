"""Exact token counts in cl100k_base, without the network.

tiktoken downloads its vocabularies on first use; this module builds the same encoding from the
copy in `cto.vocabulary`, whose checksum is the one that tiktoken itself expects.
"""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
from importlib import resources

import tiktoken

VOCABULARY = "cl100k_base.tiktoken.gz"
VOCABULARY_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"

# Pattern and special tokens as in tiktoken_ext/openai_public.py of tiktoken 0.14.
PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"""
    r"""| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
SPECIAL_TOKENS = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}


class VocabularyError(Exception):
    """The vocabulary that ships with cto is not the one tiktoken publishes."""


def _read_vocabulary() -> bytes:
    """Return the decompressed vocabulary; VocabularyError when it was changed or cut."""
    packed = resources.files("cto.vocabulary").joinpath(VOCABULARY).read_bytes()
    try:
        data = gzip.decompress(packed)
    except (OSError, EOFError) as error:
        raise VocabularyError(
            f"{VOCABULARY} cannot be decompressed ({error}); reinstall cto-context"
        ) from error
    checksum = hashlib.sha256(data).hexdigest()
    if checksum != VOCABULARY_SHA256:
        raise VocabularyError(
            f"{VOCABULARY} has SHA-256 {checksum} but must have {VOCABULARY_SHA256}; "
            "reinstall cto-context"
        )
    return data


@functools.cache
def encoding() -> tiktoken.Encoding:
    """Return the encoding cl100k_base, built once per process (about 0.2 s).

    Raises VocabularyError when the vocabulary's checksum is wrong.
    """
    ranks = {}
    for line in _read_vocabulary().splitlines():
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    return tiktoken.Encoding(
        "cl100k_base",
        pat_str=PATTERN,
        mergeable_ranks=ranks,
        special_tokens=SPECIAL_TOKENS,
    )


def count_tokens(text: str) -> int:
    """Return the number of cl100k_base tokens of text; `<|endoftext|>` counts as ordinary text."""
    return len(encoding().encode(text, disallowed_special=()))


def truncate_to_tokens(text: str, limit: int) -> str:
    """Return the longest beginning of text that ends both a token and a character within limit.

    A token may hold only a part of a character (emoji, rare ideographs); such a cut moves back to
    the character before. The result never counts more than limit tokens. Raises ValueError when
    limit is negative.
    """
    if limit < 0:
        raise ValueError(f"limit is {limit} but cannot be negative")
    codec = encoding()
    tokens = codec.encode(text, disallowed_special=())
    if len(tokens) <= limit:
        return text
    for kept in range(limit, 0, -1):
        try:
            beginning = codec.decode_bytes(tokens[:kept]).decode("utf-8")
        except UnicodeDecodeError:
            continue
        # A shorter text can be cut into other tokens than it had as a part of the longer one.
        if count_tokens(beginning) <= limit:
            return beginning
    return ""
