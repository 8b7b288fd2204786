"""
EC2's client tokens. A token stands for the whole request: the same request again has the same answer, another request
under it is refused, and so is one whose instance has been terminated.
"""

from moto.ec2.exceptions import EC2ClientError

from .state import state

NOT_COMPARED = ("Action", "Version", "ClientToken", "DryRun")


def remembered(action: str, token: str | None, data: dict, gone) -> dict | None:
    """The answer that the token had before; raises what EC2 raises. `gone(answer)`: its instances have been terminated."""
    if not token:
        return None
    known = state().tokens.get((action, token))
    if known is None:
        return None
    if known["request"] != request_of(data):
        raise EC2ClientError(
            "IdempotentParameterMismatch",
            f"The parameters of the request under client token {token} are not those of the first one.",
        )
    if gone(known["answer"]):
        raise EC2ClientError(
            "IdempotentInstanceTerminated",
            f"The instance that was launched under client token {token} has been terminated.",
        )
    return known["answer"]


def remember(action: str, token: str | None, data: dict, answer: dict) -> None:
    if token:
        state().tokens[(action, token)] = {"request": request_of(data), "answer": answer}


def request_of(data: dict) -> dict:
    return {key: value for key, value in data.items() if key not in NOT_COMPARED}
