"""`python -m standin`: serves on a free port of 127.0.0.1, says which on one line, and ends when its standard input does."""

import json
import logging
import os
import sys
import threading

os.environ.setdefault("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")
os.environ.setdefault("MOTO_ACCOUNT_ID", "123456789012")

from werkzeug.serving import make_server  # noqa: E402  moto reads the environment when it is imported

from . import cloudformation, custom_resources, eks, events, fleet, images, instances, prices, reads  # noqa: E402
from .front import app  # noqa: E402
from .patching import check_version  # noqa: E402


def end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> None:
    check_version()
    for part in (prices, events, instances, fleet, images, reads, eks, cloudformation, custom_resources):
        part.install()
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", int(os.environ.get("STANDIN_PORT", "0")), app, threaded=True)
    threading.Thread(target=end_with_parent, daemon=True).start()
    print(json.dumps({"port": server.server_port}), flush=True)
    server.serve_forever()


main()
