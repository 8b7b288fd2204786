"""What a test can set and read; one object, made anew by a reset. The clock is the real one plus what a test skipped."""

import hashlib
import threading
import time

ACCOUNT = "123456789012"
REGION = "us-east-1"

# moto is not thread safe, and the server answers on many threads.
lock = threading.RLock()


class State:
    def __init__(self) -> None:
        self.skipped_ms = 0
        self.seed = 1
        self.fault_rules: list[dict] = []
        self.shortages: list[dict] = []
        self.taken: dict[str, int] = {}
        self.delays = {"pendingMs": 5_000, "shuttingDownMs": 30_000, "hiddenMs": 0}
        self.buckets: dict[str, tuple[float, float]] = {}
        self.buckets_on = True
        self.tokens: dict[tuple[str, str], dict] = {}
        self.calls: list[dict] = []
        self.transitions: list[tuple[float, str, str]] = []
        self.shown_from_ms: dict[str, float] = {}
        self.statuses: dict[str, dict] = {}
        self.latest = {"al2": "v20241001", "al2023": "v20241001", "bottlerocket": "1.30.0"}
        self.deprecated: dict[str, str] = {}
        self.reservations: dict[str, dict] = {}
        self.placement_groups: dict[str, dict] = {}
        self.access_entries: dict[tuple[str, str], dict] = {}
        self.cluster_config: dict = {}
        self.kept_resources: dict[tuple[str, str], dict] = {}
        self.custom_requests: list[dict] = []
        self.authorizations: dict[str, dict] = {}
        self.harness: str | None = None


current = State()


def state() -> State:
    return current


def reset() -> None:
    global current
    current = State()


def now_ms() -> float:
    return time.time() * 1000 + current.skipped_ms


def draw(question: str) -> float:
    """A number in [0, 1) that the seed and the question decide."""
    digest = hashlib.sha256(f"{current.seed} {question}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def hex_id(prefix: str, text: str) -> str:
    return f"{prefix}-{hashlib.sha256(text.encode()).hexdigest()[:17]}"
