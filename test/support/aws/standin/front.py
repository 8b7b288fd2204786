"""The door: names each call, keeps a log, applies rate limits and scripted faults, answers what moto has no service for."""

import io
import json
import re
import socket
from urllib.parse import parse_qsl

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

from . import authorization, buckets, control, deployed, faults, handing_over, instances, prices
from .state import lock, now_ms, state

CALLS_KEPT = 20_000
moto = DomainDispatcherApplication(create_backend_app)
SCOPE = re.compile(r"Credential=([^/]+)/\d+/[^/]+/([^/]+)/aws4_request")
NARROWED = ("Filter.", "InstanceId", "MaxResults", "SubnetId", "GroupId", "ImageId", "LaunchTemplateName", "LaunchTemplateId", "ResourceId")


class Call:
    """One request, read whole: which service and action, and its parameters where the protocol is EC2's."""

    def __init__(self, environ: dict) -> None:
        self.body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(self.body)
        scope = SCOPE.search(environ.get("HTTP_AUTHORIZATION", ""))
        self.service = scope[2] if scope else ""
        self.principal = deployed.principal_of(scope[1]) if scope else None
        target = environ.get("HTTP_X_AMZ_TARGET", "")
        self.is_form = environ.get("CONTENT_TYPE", "").startswith("application/x-www-form-urlencoded")
        self.parameters = dict(parse_qsl(self.body.decode(errors="replace"), keep_blank_values=True)) if self.is_form else {}
        self.is_json = target != ""
        self.action = self.parameters.get("Action") or target.split(".")[-1] or f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
        self.target = target

    def failure(self, status: int, code: str, message: str) -> tuple[str, str, bytes]:
        if self.service == "ec2":
            text = f"<Response><Errors><Error><Code>{code}</Code><Message>{message}</Message></Error></Errors><RequestID>standin</RequestID></Response>"
            return f"{status} {code}", "text/xml", text.encode()
        if self.is_form:
            text = f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error><RequestId>standin</RequestId></ErrorResponse>"
            return f"{status} {code}", "text/xml", text.encode()
        return f"{status} {code}", "application/x-amz-json-1.1", json.dumps({"__type": code, "message": message}).encode()


def app(environ: dict, start_response):
    def say(status: str, content_type: str, body: bytes):
        headers = [("Content-Type", content_type), ("Content-Length", str(len(body)))]
        if not status.startswith("2"):
            headers.append(("x-amzn-errortype", status.split(" ", 1)[1]))
        start_response(status, headers)
        return [body]

    with lock:
        if environ["PATH_INFO"].startswith("/standin/"):
            return say(*command(environ))
        call = Call(environ)
        log(call)
        if call.principal is not None:
            authorization.note(call, environ)
        instances.settle()
        if call.service == "ec2" and not buckets.take_call(call.action, any(key.startswith(NARROWED) for key in call.parameters)):
            return say(*call.failure(**faults.THROTTLED))
        rule = faults.next_fault(call.action, call.body.decode(errors="replace"))
        if rule is not None and rule["effect"] == "unreachable":
            cut(environ)
        if rule is not None and rule["effect"] == "none":
            return say(*call.failure(rule["status"], rule["code"], rule["message"]))
        is_handed_over = handing_over.is_handed_over(environ)
        if not is_handed_over:
            return answer_here(environ, start_response, call, rule, say)
    status, headers, body = handing_over.hand_over(environ, call.body)
    start_response(status, headers)
    return [body]


def answer_here(environ: dict, start_response, call: Call, rule: dict | None, say):
    if call.target.startswith("AWSPriceListService."):
        return say("200 OK", "application/x-amz-json-1.1", json.dumps(prices.get_products(json.loads(call.body or b"{}"))).encode())
    presigned(environ)
    answer = list(moto(environ, start_response if rule is None else lambda *_: lambda _: None))
    if rule is not None:
        cut(environ)
    return answer


def command(environ: dict) -> tuple[str, str, bytes]:
    name = environ["PATH_INFO"].removeprefix("/standin/")
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    if name not in control.COMMANDS:
        return "404 Not Found", "text/plain", f"no command {name}".encode()
    try:
        answer = control.COMMANDS[name](**json.loads(body or b"{}"))
    except Exception as problem:  # the test shall see what was wrong with its own request
        return "400 Bad Request", "text/plain", repr(problem).encode()
    return "200 OK", "application/json", json.dumps(answer, default=str).encode()


def log(call: Call) -> None:
    state().calls.append({"service": call.service, "action": call.action, "atMs": now_ms(), "parameters": call.parameters})
    del state().calls[:-CALLS_KEPT]


def cut(environ: dict) -> None:
    """The reply never comes: the connection ends without one."""
    connection = environ["werkzeug.socket"]
    connection.shutdown(socket.SHUT_RDWR)
    raise ConnectionError("cut by a scripted fault")


def presigned(environ: dict) -> None:
    """A presigned GetCallerIdentity is a GET with everything in its query; moto reads it from a POST's body."""
    query = environ.get("QUERY_STRING", "")
    if environ["REQUEST_METHOD"] != "GET" or "Action=GetCallerIdentity" not in query:
        return
    body = query.encode()
    environ.update(
        REQUEST_METHOD="POST",
        CONTENT_TYPE="application/x-www-form-urlencoded",
        CONTENT_LENGTH=str(len(body)),
        QUERY_STRING="",
        HTTP_AUTHORIZATION="AWS4-HMAC-SHA256 Credential=standin/20260101/us-east-1/sts/aws4_request, SignedHeaders=host, Signature=0",
    )
    environ["wsgi.input"] = io.BytesIO(body)
