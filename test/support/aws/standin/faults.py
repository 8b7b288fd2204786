"""Faults by order: "the third CreateFleet is throttled", "the reply of the next one is lost"."""

from .state import state

THROTTLED = {"status": 503, "code": "RequestLimitExceeded", "message": "Request limit exceeded."}


def next_fault(action: str, body: str) -> dict | None:
    """The rule that hits this call. Every rule of the action counts it, so rules are independent of each other."""
    hit = None
    for rule in state().fault_rules:
        if rule["action"] != action or rule["left"] == 0 or rule["contains"] not in body:
            continue
        rule["from"] -= 1
        if rule["from"] > 0 or hit is not None:
            continue
        rule["left"] -= 1
        hit = rule
    return hit


def add_rule(action, nth=1, count=1, effect="none", contains="", status=503, code="RequestLimitExceeded", message="Request limit exceeded."):
    """`contains`: a text that the call's body must have. `effect`: "none" (refused), "reply-lost" (carried out, connection cut), "unreachable" (connection cut at once)."""
    if effect not in ("none", "reply-lost", "unreachable"):
        raise ValueError(f"no effect {effect}")
    state().fault_rules.append(
        {"action": action, "contains": contains, "from": nth, "left": count, "effect": effect, "status": status, "code": code, "message": message}
    )
