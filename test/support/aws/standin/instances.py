"""
Instances that take time: pending → running, shutting-down → terminated, each with its event; hidden from reads for a
while when a test wants EC2's eventual consistency; with status checks and scheduled events that a test sets.
"""

import threading
import time

from moto.core.responses import ActionResult
from moto.ec2 import utils as ec2_utils
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models import ec2_backends
from moto.ec2.models.instances import Instance, InstanceBackend
from moto.ec2.responses.instances import InstanceResponse
from moto.ec2.responses.tags import TagResponse
from moto.iam.models import iam_backends

from . import buckets, events, tokens
from .patching import replace, require
from .state import ACCOUNT, lock, now_ms, state

CODES = {"pending": 0, "running": 16, "shutting-down": 32, "terminated": 48, "stopping": 64, "stopped": 80}
ENDED = ("shutting-down", "terminated")
originals: dict = {}


def backends():
    return list(ec2_backends[ACCOUNT].values()) if ACCOUNT in ec2_backends else []


def enter(instance, name: str) -> None:
    instance._state.name = name
    instance._state.code = CODES[name]
    events.put("state-change", instance.id, instance.ec2_backend.region_name, name)


def find(instance_id: str):
    for backend in backends():
        for reservation in backend.reservations.values():
            for instance in reservation.instances:
                if instance.id == instance_id:
                    return instance
    return None


def later(delay_ms: float, instance, name: str) -> None:
    state().transitions.append((now_ms() + delay_ms, instance.id, name))
    settle()


def settle() -> None:
    """Everything that is due happens, in order of time."""
    now = now_ms()
    due = sorted(each for each in state().transitions if each[0] <= now)
    state().transitions = [each for each in state().transitions if each[0] > now]
    for _, instance_id, name in due:
        instance = find(instance_id)
        if instance is None:
            continue
        if name == "running" and instance._state.name == "pending":
            enter(instance, "running")
        elif name == "terminated" and instance._state.name == "shutting-down":
            originals["terminate"](instance)
            enter(instance, "terminated")
        elif name == "end":
            instance.terminate()


def watch() -> None:
    """Events come at their time, not at the next call."""
    while True:
        time.sleep(0.1)
        with lock:
            settle()


def started(self, *args, **more) -> None:
    originals["init"](self, *args, **more)
    self._state.name, self._state.code = "pending", CODES["pending"]
    # Known to the backend only when this returns: the event comes with the transition after.
    later_ms = state().delays["pendingMs"]
    state().transitions.append((now_ms() + later_ms, self.id, "running"))


def hide(instance) -> None:
    """From reads, for a while; at the end of a launch, which reads the instance itself."""
    state().shown_from_ms[instance.id] = now_ms() + state().delays["hiddenMs"]


def place(instance, wanted: dict) -> None:
    """In the partition that was asked for; else EC2 chooses one of its placement group's."""
    group = state().placement_groups.get(wanted.get("GroupId"))
    if group is None or group["Strategy"] != "partition":
        return
    chosen = wanted.get("PartitionNumber") or 1 + int(instance.id[-4:], 16) % group["PartitionCount"]
    instance.placement.group_id = group["GroupId"]
    instance.placement.partition_number = int(chosen)


def terminate(self):
    before = type(self._state)(self._state.name, self._state.code)
    if self._state.name not in ENDED:
        enter(self, "shutting-down")
        later(state().delays["shuttingDownMs"], self, "terminated")
    return before


def all_reservations(self, filters=None):
    """Those that reads show by now. A copy: moto cuts the lists of what it is given."""
    now = now_ms()
    shown = []
    for reservation in originals["all_reservations"](self, None):
        reservation.instances = [each for each in reservation.instances if state().shown_from_ms.get(each.id, 0) <= now]
        if reservation.instances:
            shown.append(reservation)
    return shown if filters is None else ec2_utils.filter_reservations(shown, filters)


def terminate_instances(self):
    if not buckets.take_resources("terminate", len(self._get_param("InstanceIds", []))):
        raise EC2ClientError("RequestLimitExceeded", "Request limit exceeded.")
    return originals["terminate_instances"](self)


def create_tags(self):
    """moto takes tags for instances that never were."""
    for resource_id in self._get_param("Resources", []):
        if resource_id.startswith("i-"):
            self.ec2_backend.get_multi_instances_by_id([resource_id])
    return originals["create_tags"](self)


def gone(instance_ids: list[str]) -> bool:
    found = [find(each) for each in instance_ids]
    return len(found) > 0 and all(each is None or each.state in ENDED for each in found)


def profile_problem(data: dict) -> tuple[str, str] | None:
    name = data.get("IamInstanceProfile", {}).get("Name")
    if name is not None and name not in iam_backends[ACCOUNT]["aws"].instance_profiles:
        return "InvalidParameterValue", f"Value ({name}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name"
    return None


def run_instances(self):
    problem = profile_problem({"IamInstanceProfile": self._get_param("IamInstanceProfile", {})})
    if problem is not None:
        raise EC2ClientError(*problem)
    token = self._get_param("ClientToken")
    if not self._get_param("DryRun", False):
        known = tokens.remembered("RunInstances", token, self.data, lambda answer: gone([each.id for each in answer["reservation"].instances]))
        if known is not None:
            return ActionResult(known["reservation"])
        if not buckets.take_resources("launch", int(self._get_param("MinCount", if_none="1"))):
            raise EC2ClientError("RequestLimitExceeded", "Request limit exceeded.")
    answer = originals["run_instances"](self)
    for each in answer.result.instances:
        hide(each)
    tokens.remember("RunInstances", token, self.data, {"reservation": answer.result})
    return answer


def describe_instance_status(self):
    """Filters: event.code, instance-status.status, system-status.status, instance-state-name."""
    wanted = self._filters_from_querystring()
    ids = self._get_param("InstanceIds", [])
    every = self._get_bool_param("IncludeAllInstances", False)
    rows = []
    for reservation in self.ec2_backend.all_reservations():
        for instance in reservation.instances:
            if (ids and instance.id not in ids) or (instance.state != "running" and not every):
                continue
            row = status_of(instance)
            if all(passes(row, name, values) for name, values in wanted.items()):
                rows.append(row)
    return ActionResult({"InstanceStatuses": rows})


def status_of(instance) -> dict:
    told = state().statuses.get(instance.id, {})

    def check(name: str) -> dict:
        status = told.get(name, "ok")
        detail = {"Name": "reachability", "Status": "passed" if status == "ok" else "failed"}
        if "impairedSince" in told and status != "ok":
            detail["ImpairedSince"] = told["impairedSince"]
        return {"Status": status, "Details": [detail]}

    return {
        "InstanceId": instance.id,
        "AvailabilityZone": instance.availability_zone,
        "InstanceState": {"Name": instance.state, "Code": instance.state_code},
        "InstanceStatus": check("instanceStatus"),
        "SystemStatus": check("systemStatus"),
        "Events": told.get("events", []),
    }


def passes(row: dict, name: str, values: list[str]) -> bool:
    if name == "event.code":
        return any(each["Code"] in values for each in row["Events"])
    if name == "instance-status.status":
        return row["InstanceStatus"]["Status"] in values
    if name == "system-status.status":
        return row["SystemStatus"]["Status"] in values
    if name == "instance-state-name":
        return row["InstanceState"]["Name"] in values
    raise EC2ClientError("InvalidParameterValue", f"The filter '{name}' is invalid")


def install() -> None:
    require(ec2_utils, "filter_reservations", "filter_dict_attribute_mapping")
    ec2_utils.filter_dict_attribute_mapping["instance-lifecycle"] = "lifecycle"
    originals["init"] = replace(Instance, "__init__", started, ["self", "ec2_backend", "image_id", "user_data", "security_groups"])
    originals["terminate"] = replace(Instance, "terminate", terminate, ["self"])
    originals["all_reservations"] = replace(InstanceBackend, "all_reservations", all_reservations, ["self", "filters"])
    originals["terminate_instances"] = replace(InstanceResponse, "terminate_instances", terminate_instances, ["self"])
    originals["run_instances"] = replace(InstanceResponse, "run_instances", run_instances, ["self"])
    originals["create_tags"] = replace(TagResponse, "create_tags", create_tags, ["self"])
    replace(InstanceResponse, "describe_instance_status", describe_instance_status, ["self"])
    threading.Thread(target=watch, daemon=True).start()
