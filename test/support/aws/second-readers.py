"""Reads user data with Python's own readers of MIME and TOML, and says as JSON what they found. In: JSON {name: text}."""

import email
import json
import sys

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    tomllib = None


def parts(text: str) -> list[dict]:
    message = email.message_from_string(text)
    if not message.is_multipart():
        raise ValueError("not multipart")
    if message.defects:
        raise ValueError(str(message.defects))
    return [{"type": part.get_content_type(), "body": part.get_payload()} for part in message.get_payload()]


def read(text: str):
    return {"parts": parts(text)} if text.startswith("MIME-Version") else {"toml": tomllib.loads(text)}


print(json.dumps({name: read(text) for name, text in json.load(sys.stdin).items()}))
