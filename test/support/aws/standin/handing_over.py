"""Calls that the harness of a test answers, which runs the functions: invocations, and executions of state machines."""

import re
import urllib.error
import urllib.request

from .state import state

INVOKE = re.compile(r"^/2015-03-31/functions/[^/]+/invocations/?$")
# As long as a function may run.
SECONDS_MAX = 900


def is_handed_over(environ: dict) -> bool:
    if state().harness is None:
        return False
    target = environ.get("HTTP_X_AMZ_TARGET", "")
    return INVOKE.match(environ["PATH_INFO"]) is not None or target == "AWSStepFunctions.StartExecution"


def hand_over(environ: dict, body: bytes) -> tuple[str, list[tuple[str, str]], bytes]:
    """The harness's answer: status, headers, body. It may take long, so that nobody may wait for it with the lock."""
    names = {"HTTP_X_AMZ_TARGET": "X-Amz-Target", "HTTP_X_AMZ_INVOCATION_TYPE": "X-Amz-Invocation-Type"}
    headers = {name: environ[key] for key, name in names.items() if key in environ}
    request = urllib.request.Request(f"{state().harness}{environ['PATH_INFO']}", data=body, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=SECONDS_MAX) as answer:
            return whole(answer.status, answer)
    except urllib.error.HTTPError as refusal:
        return whole(refusal.code, refusal)


def whole(status: int, answer) -> tuple[str, list[tuple[str, str]], bytes]:
    body = answer.read()
    kept = [(name, value) for name, value in answer.headers.items() if name.lower().startswith(("x-amz", "content-type"))]
    return f"{status} OK", [*kept, ("Content-Length", str(len(body)))], body
