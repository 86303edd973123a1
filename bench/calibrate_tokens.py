"""Error of cto.estimate_tokens against exact counts, per category of text.

    python bench/calibrate_tokens.py DSN [TEXTS.jsonl]

TEXTS holds {"category": ..., "text": ...} a line; by default tests/data/token_texts.jsonl. The
table gives, for texts of more than 20 tokens, the mean error, the worst undercount and overcount,
the share that is under by more than 5 %, and the time of one call.

How the weights in sql/functions/estimate_tokens.sql were derived. A corpus of 14,400 slices of
40 to 3,500 characters was cut from what a Debian machine holds: manual pages and message
catalogues in 28 languages, package documentation, the sources and docstrings of Python, C, C++,
JavaScript, Perl, SQL and HTML, JSON files; conversations; and generated JSON, tables, URLs,
emoji-rich texts, base64, hex, UUIDs, random letters, capitals and marks. Each slice became a row of
features (the counts that the function multiplies by its weights), divided by its exact count, so
that the target is 1. Weights that the vocabulary settles were fixed: digits go in threes, a common
word is one token, and so on. The rest solve a least-squares problem with bounds (no weight
below zero), in which an undercount weighs 170 times as much as an overcount and large overcounts
are damped. What the texts of tests/data showed to be undercounted (marks, newlines, Arabic,
Cyrillic, ideographs) has a floor. The problem was reweighted and solved again 25 times, each
category weighing the square root of its number of slices; the weights were rounded up to
hundredths.

The common words are the 1,600 of the corpus, and the 5,800 of the vocabulary itself by rank, that
save most: frequency times length, one token with a space before them. The endings are the 80 whose
uncommon words have fewest tokens for their length.

Needs psycopg and the package cto.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path
from time import perf_counter

import psycopg

from cto.tokens import count_tokens

DEFAULT_TEXTS = Path(__file__).parent.parent / "tests" / "data" / "token_texts.jsonl"
SHORT = 20


def main() -> None:
    """Print the table."""
    if len(sys.argv) not in {2, 3}:
        sys.exit("usage: calibrate_tokens.py DSN [TEXTS.jsonl]")
    path = Path(sys.argv[2]) if len(sys.argv) == 3 else DEFAULT_TEXTS
    errors: dict[str, list[float]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    with psycopg.connect(sys.argv[1], autocommit=True) as connection:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            category, text = row["category"], row["text"]
            exact = count_tokens(text)
            if exact <= SHORT:
                continue
            started = perf_counter()
            answer = connection.execute("select cto.estimate_tokens(%s)", (text,)).fetchone()
            seconds[category] += perf_counter() - started
            assert answer is not None
            errors[category].append(answer[0] / exact - 1)

    print(f"{'category':<10}{'texts':>6}{'mean':>9}{'worst under':>13}{'worst over':>12}", end="")
    print(f"{'under 5 %':>11}{'ms a call':>11}")
    for category, of_category in sorted(errors.items()):
        count = len(of_category)
        under = sum(error < -0.05 for error in of_category) / count
        print(
            f"{category:<10}{count:>6}{sum(of_category) / count:>+9.1%}"
            f"{min(0.0, *of_category, 0.0):>13.1%}{max(of_category):>+12.1%}"
            f"{under:>11.1%}{1000 * seconds[category] / count:>11.2f}"
        )


if __name__ == "__main__":
    main()
