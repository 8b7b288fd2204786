"""
EC2's request rate limits: a token bucket for each action. Figures of Amazon's developer guide, "Request throttling": the
resource buckets of launches and terminations count instances, the others count calls.
"""

from .state import now_ms, state

NON_MUTATING = (100, 20)
UNFILTERED = (50, 10)
MUTATING = (50, 5)
BY_ACTION = {
    "RunInstances": (5, 2),
    "TerminateInstances": (100, 5),
}
RESOURCES = {"launch": (1000, 2), "terminate": (1000, 20)}


def take_call(action: str, narrowed: bool) -> bool:
    """False: the call is refused. `narrowed`: it has a filter, ids or a page size."""
    if not state().buckets_on:
        return True
    reads = action.startswith(("Describe", "Get", "List"))
    usual = (NON_MUTATING if narrowed else UNFILTERED) if reads else MUTATING
    return take(f"call {action} {narrowed if reads else ''}", BY_ACTION.get(action, usual), 1)


def take_resources(kind: str, count: int) -> bool:
    return not state().buckets_on or take(f"resources {kind}", RESOURCES[kind], count)


def take(name: str, limit: tuple[int, int], count: int) -> bool:
    most, per_second = limit
    now = now_ms()
    left, at = state().buckets.get(name, (float(most), now))
    left = min(float(most), left + (now - at) / 1000 * per_second)
    if left < count:
        state().buckets[name] = (left, now)
        return False
    state().buckets[name] = (left - count, now)
    return True
