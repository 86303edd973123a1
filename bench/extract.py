"""Score the heuristic extractor on labelled sets: precision, recall, F1, false positives.

usage: python bench/extract.py --sets PATH [--json FILE]

PATH holds the labelled sets (JSON lines) and their scorer, score_extraction.py. Each set is also
shown by halves (even and odd lines), so that a rule that only fits what was read shows itself.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

SETS = ("extraction_es", "extraction_en", "mempalace_extraction", "prefeval_extraction")
TYPES = ["fact", "instruction", "preference", "context"]


def load_module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        sys.exit(f"error: {path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def score_set(scorer: ModuleType, extractor: ModuleType, path: Path) -> dict[str, Any]:
    gold = scorer.load(str(path))
    started = time.perf_counter()
    found = {
        message["id"]: [
            {"type": block_type, "content": span}
            for block_type, span, _, _ in extractor.extract_heuristic(
                message["text"], 3, 2000, TYPES
            )
        ]
        for message in gold
    }
    elapsed = time.perf_counter() - started
    type_only = any("span" not in block for message in gold for block in message["blocks"])
    parts = {"even": gold[::2], "odd": gold[1::2], "all": gold}
    return {
        "ms_per_message": 1000 * elapsed / max(1, len(gold)),
        "parts": {
            name: scorer.evaluate(part, found, 0.6, False, type_only)
            for name, part in parts.items()
        },
    }


def print_table(results: dict[str, dict[str, Any]]) -> None:
    head = f"{'set':<22}{'part':<6}{'messages':>9}{'prec':>7}{'rec':>7}{'F1':>7}{'untyped':>9}"
    print(head + f"{'empty hit':>11}{'ms':>7}")
    for name, result in results.items():
        for part, score in result["parts"].items():
            micro, empty = score["micro"], score["empty"]
            hit = f"{empty['with_false_positive']}/{empty['messages']}"
            print(
                f"{name:<22}{part:<6}{score['messages']:>9}{micro['precision']:>7.3f}"
                f"{micro['recall']:>7.3f}{micro['f1']:>7.3f}{score['untyped']['f1']:>9.3f}"
                f"{hit:>11}{result['ms_per_message']:>7.2f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sets", type=Path, required=True, help="folder of the labelled sets")
    parser.add_argument("--json", type=Path, help="also write the scores to this file")
    arguments = parser.parse_args()

    needed = [arguments.sets / "score_extraction.py"]
    needed += [arguments.sets / f"{name}.jsonl" for name in SETS]
    missing = [path.name for path in needed if not path.is_file()]
    if missing:
        sys.exit(f"error: {arguments.sets} lacks {', '.join(missing)}")

    scorer = load_module(needed[0])
    root = Path(__file__).resolve().parent.parent
    extractor = load_module(root / "plpython" / "extract_heuristic.py")
    results = {
        name: score_set(scorer, extractor, arguments.sets / f"{name}.jsonl") for name in SETS
    }
    print_table(results)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
