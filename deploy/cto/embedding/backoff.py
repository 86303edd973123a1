"""How long to wait before asking again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import SystemRandom


@dataclass(frozen=True)
class Backoff:
    """Exponential backoff with full jitter, in seconds.

    Full jitter (any moment between none and the limit, which doubles each time) spreads workers
    that were turned away together: Brooker, "Exponential Backoff And Jitter" (AWS, 2015).
    """

    base: float = 1.0
    cap: float = 60.0
    uniform: Callable[[float, float], float] = SystemRandom().uniform

    def seconds(self, failures: int, retry_after: float | None = None) -> float:
        """Return how long to wait after so many failures in a row; the server's word goes first.

        A server that says "at once" again and again is not believed.
        """
        if retry_after is not None and (retry_after >= 0.1 or failures <= 1):
            return retry_after
        return self.uniform(0.0, min(self.cap, self.base * 2.0 ** min(failures - 1, 30)))
