"""What a test may do to the stand-in, by POST /standin/NAME with a JSON body. Unknown names and fields are errors."""

from datetime import datetime, timezone

from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2.models import ec2_backends
from moto.moto_api._internal.models import moto_api_backend

from . import custom_resources, deployed, events, faults, images, instances
from . import state as states
from .state import REGION, now_ms, state


def health():
    return {"ready": True, "account": DEFAULT_ACCOUNT_ID, "region": REGION}


def reset():
    """The account is empty again; the process stays."""
    moto_api_backend.reset()
    states.reset()
    return {}


def configure(seed=None, pendingMs=None, shuttingDownMs=None, hiddenMs=None, buckets=None, authenticationMode=None, latest=None, harness=None):
    """`hiddenMs`: how long reads do not show a new instance. `buckets`: whether EC2's rate limits hold. `harness`: the URL of who runs functions."""
    if seed is not None:
        state().seed = seed
    for name, value in {"pendingMs": pendingMs, "shuttingDownMs": shuttingDownMs, "hiddenMs": hiddenMs}.items():
        if value is not None:
            state().delays[name] = value
    if buckets is not None:
        state().buckets_on = buckets
    if authenticationMode is not None:
        state().cluster_config["authenticationMode"] = authenticationMode
    if harness is not None:
        state().harness = harness
    if latest is not None:
        state().latest.update(latest)
    return {}


def advance(ms):
    """So much time passes at once."""
    state().skipped_ms += ms
    instances.settle()
    return {"nowMs": now_ms()}


def fault(**rule):
    faults.add_rule(**rule)
    return {}


def shortage(**pool):
    unknown = set(pool) - {"instanceType", "zone", "capacityType", "left", "code", "message"}
    if unknown:
        raise TypeError(f"shortage knows no {sorted(unknown)}")
    state().shortages.append(pool)
    return {}


def image(name, arch="x86_64", id=None, owner=states.ACCOUNT, createdAt=None, deprecatedAt=None, tags=None):
    creation = datetime.fromisoformat(createdAt.replace("Z", "+00:00")) if createdAt else datetime.now(timezone.utc)
    image_id = id or states.hex_id("ami", f"{owner} {name}")
    if deprecatedAt is not None:
        state().deprecated[image_id] = deprecatedAt
    return {"id": images.learn(REGION, DEFAULT_ACCOUNT_ID, name, arch, image_id=image_id, owner=owner, alias=None, creation=creation, tags=tags)}


def deprecate(id, at):
    state().deprecated[id] = at
    ec2_backends[DEFAULT_ACCOUNT_ID][REGION].amis[id].deprecation_time = at
    return {}


def reservation(**row):
    """A capacity reservation in the fields of DescribeCapacityReservations."""
    state().reservations[row["CapacityReservationId"]] = {"OwnerId": DEFAULT_ACCOUNT_ID, "State": "active", **row}
    return {}


def placement_group(**row):
    state().placement_groups[row["GroupId"]] = {"State": "available", **row}
    return {}


def status(instanceId, instanceStatus="ok", systemStatus="ok", impairedSince=None, events=()):
    """What DescribeInstanceStatus tells of it from now on; `events` in EC2's fields."""
    told = {"instanceStatus": instanceStatus, "systemStatus": systemStatus, "events": list(events)}
    state().statuses[instanceId] = told if impairedSince is None else {**told, "impairedSince": impairedSince}
    return {}


def announce(instanceId, kind, state=None):
    """Puts an event on the bus and changes nothing else. `state`: of a state-change."""
    events.put(kind, instanceId, state=state)
    return {}


def interrupt(instanceId):
    """The spot warning now, the end two minutes later; the pool gives nothing for a while."""
    instance = instances.find(instanceId)
    state().shortages.append({"instanceType": instance.instance_type, "zone": instance.availability_zone, "capacityType": "spot", "left": 0})
    events.put("spot-interruption", instanceId)
    state().transitions.append((now_ms() + 120_000, instanceId, "end"))
    return {}


def calls(action=None):
    return [each for each in state().calls if action is None or each["action"] == action]


def launched_with(instanceId):
    """The launch template's content that the instance was made of."""
    return getattr(instances.find(instanceId), "launch_template_data", None)


def kept():
    return {
        "accessEntries": [f"{cluster} {principal}" for cluster, principal in state().access_entries],
        "resources": {f"{kind} {name}": properties for (kind, name), properties in state().kept_resources.items()},
    }


COMMANDS = {
    "health": health,
    "reset": reset,
    "configure": configure,
    "advance": advance,
    "fault": fault,
    "shortage": shortage,
    "image": image,
    "deprecate": deprecate,
    "reservation": reservation,
    "placement-group": placement_group,
    "status": status,
    "announce": announce,
    "interrupt": interrupt,
    "calls": calls,
    "launched-with": launched_with,
    "kept": kept,
    "access-entries": lambda: list(state().access_entries.values()),
    "authorizations": lambda: list(state().authorizations.values()),
    "deployed": deployed.deployed,
    "policies": deployed.policies,
    "assume": deployed.assume,
    "custom-requests": custom_resources.take,
    "custom-answer": custom_resources.answer,
}
