"""What EC2 and AWS Health put on the default event bus of the account. Shapes: EC2 user guide, EventBridge events."""

import json
from datetime import datetime, timezone

from moto.events.models import Rule, events_backends

from .patching import replace, require
from .state import ACCOUNT, REGION, now_ms

DETAIL_TYPES = {
    "spot-interruption": "EC2 Spot Instance Interruption Warning",
    "rebalance-recommendation": "EC2 Instance Rebalance Recommendation",
    "state-change": "EC2 Instance State-change Notification",
    "capacity-reservation-interruption": "EC2 Capacity Reservation Instance Interruption Warning",
}


def put(kind: str, instance_id: str, region: str = REGION, state: str | None = None) -> None:
    if kind == "scheduled-change":
        detail = {
            "service": "EC2",
            "eventTypeCategory": "scheduledChange",
            "eventTypeCode": "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED",
            "eventArn": f"arn:aws:health:{region}::event/EC2/AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED/{instance_id}",
            "startTime": text_of(now_ms()),
            "affectedEntities": [{"entityValue": instance_id}],
        }
        deliver("aws.health", "AWS Health Event", detail, [instance_id], region)
        return
    detail = {"instance-id": instance_id}
    if kind in ("spot-interruption", "capacity-reservation-interruption"):
        detail["instance-action"] = "terminate"
    if state is not None:
        detail["state"] = state
    deliver("aws.ec2", DETAIL_TYPES[kind], detail, [f"arn:aws:ec2:{region}:{ACCOUNT}:instance/{instance_id}"], region)


def deliver(source: str, detail_type: str, detail: dict, resources: list[str], region: str) -> None:
    event = {"Source": source, "DetailType": detail_type, "Detail": json.dumps(detail), "Resources": resources, "Time": now_ms() / 1000}
    events_backends[ACCOUNT][region].put_events([event])


def text_of(at_ms: float) -> str:
    return datetime.fromtimestamp(at_ms / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def install() -> None:
    """moto's delivery leaves the account out of the envelope, and its default template builds the envelope anew without it."""
    require(Rule, "send_to_targets", "_send_to_sqs_queue")
    send_to_targets = Rule.send_to_targets
    send_to_queue = Rule._send_to_sqs_queue

    def with_account(self, original_event, *args, **more):
        return send_to_targets(self, {**original_event, "account": self.account_id}, *args, **more)

    def queue_with_account(self, resource_id, event, group_id=None):
        whole = isinstance(event, dict) and "detail-type" in event
        return send_to_queue(self, resource_id, {**event, "account": self.account_id} if whole else event, group_id)

    replace(Rule, "send_to_targets", with_account, ["self", "original_event"])
    replace(Rule, "_send_to_sqs_queue", queue_with_account, ["self", "resource_id", "event", "group_id"])
