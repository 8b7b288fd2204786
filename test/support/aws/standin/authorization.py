"""
What AWS asks IAM before it carries out a call: the actions, each with its resource and with the condition keys that policies
of Outrigger use. One call may ask for several: a fleet runs instances, tags them, and passes them a role.
Actions, resources and keys: AWS's Service Authorization Reference.
"""

import json
import re
from urllib.parse import unquote

from moto.ec2.models import ec2_backends
from moto.iam.models import iam_backends

from .state import ACCOUNT, REGION, state

PASSED_TO = {"iam:PassedToService": "ec2.amazonaws.com"}
# Kinds of what a launch makes and names, by the action that is asked for them.
MADE = {
    "ec2:CreateFleet": ("fleet", "instance", "volume"),
    "ec2:RunInstances": ("instance", "volume", "network-interface", "spot-instances-request"),
}
NAMED = {
    "ec2:CreateFleet": ("image", "launch-template", "subnet"),
    "ec2:RunInstances": ("image", "launch-template", "subnet", "security-group", "capacity-reservation"),
}
REST_EKS = (
    ("GET", re.compile(r"^/clusters/([^/]+)$"), "DescribeCluster"),
    ("GET", re.compile(r"^/clusters/([^/]+)/access-entries$"), "ListAccessEntries"),
    ("POST", re.compile(r"^/clusters/([^/]+)/access-entries$"), "CreateAccessEntry"),
    ("GET", re.compile(r"^/clusters/([^/]+)/access-entries/(.+)$"), "DescribeAccessEntry"),
)


def note(call, environ: dict) -> None:
    """Each question once, as {principal, action, resource, context}; a call of an unknown kind asks for "unknown"."""
    for action, resource, context in BY_SERVICE.get(call.service, unknown)(call, environ):
        asked = {"principal": call.principal, "action": action, "resource": resource, "context": {"aws:RequestedRegion": REGION, **context}}
        state().authorizations[json.dumps(asked, sort_keys=True)] = asked


def unknown(call, _environ):
    return [(f"{call.service}:{call.action}", "unknown", {})]


def ec2(call, _environ):
    parameters = call.parameters
    if call.action.startswith(("Describe", "Get")):
        return [(f"ec2:{call.action}", "*", {})]
    if call.action in ("CreateFleet", "RunInstances"):
        return launch(call)
    if call.action == "CreateLaunchTemplate":
        tags = tags_by_kind(parameters).get("launch-template", {})
        arn = arn_of("launch-template", "*")
        return [("ec2:CreateLaunchTemplate", arn, requested(tags)), *tagging("CreateLaunchTemplate", arn, tags)]
    if call.action == "CreateTags":
        tags = {value: parameters.get(key[:-3] + "Value", "") for key, value in parameters.items() if re.fullmatch(r"Tag\.\d+\.Key", key)}
        return [("ec2:CreateTags", arn_of_id(each), {**requested(tags), **tagged(each)}) for each in listed(parameters, "ResourceId")]
    if call.action == "TerminateInstances":
        return [("ec2:TerminateInstances", arn_of_id(each), tagged(each)) for each in listed(parameters, "InstanceId")]
    if call.action == "DeleteLaunchTemplate":
        template = template_of(parameters.get("LaunchTemplateId"), parameters.get("LaunchTemplateName"))
        return [] if template is None else [("ec2:DeleteLaunchTemplate", arn_of_id(template.id), tagged(template.id))]
    return unknown(call, _environ)


def launch(call):
    parameters = call.parameters
    tags = tags_by_kind(parameters)
    named: dict[str, None] = {}
    roles: dict[str, None] = {}
    for name, template_id in templates_in(parameters):
        template = template_of(template_id, name)
        if template is None:
            # EC2 says that it is not there, whoever asks.
            return []
        data = template.latest_version().data
        named.update(dict.fromkeys([template.id, data.get("ImageId"), *data.get("SecurityGroupIds", [])]))
        for interface in data.get("NetworkInterfaces", []):
            named.update(dict.fromkeys(interface.get("Groups", [])))
        for each in data.get("TagSpecifications", []):
            tags.setdefault(each["ResourceType"], {}).update({tag["Key"]: tag["Value"] for tag in each.get("Tags", [])})
        roles.update(dict.fromkeys(roles_of(data.get("IamInstanceProfile", {}))))
    named.update(dict.fromkeys(value for key, value in parameters.items() if re.search(r"(SubnetId|ImageId|SecurityGroupId\.\d+)$", key)))
    return [
        *(question for action in ACTIONS_OF_LAUNCH[call.action] for question in of_launch(action, call.action, named, tags, is_spot(parameters))),
        *(("iam:PassRole", role, PASSED_TO) for role in roles),
    ]


ACTIONS_OF_LAUNCH = {"RunInstances": ["ec2:RunInstances"], "CreateFleet": ["ec2:CreateFleet", "ec2:RunInstances"]}


def is_spot(parameters: dict) -> bool:
    return "spot" in parameters.values()


def of_launch(action: str, create_action: str, named: dict, tags: dict, spot: bool):
    for each in named:
        if each and KINDS.get(each.split("-")[0]) in NAMED[action]:
            yield action, arn_of_id(each), tagged(each)
    for kind in MADE[action]:
        if spot or kind != "spot-instances-request":
            yield action, arn_of(kind, "*"), requested(tags.get(kind, {}))
            yield from tagging(create_action, arn_of(kind, "*"), tags.get(kind, {}))


def templates_in(parameters: dict):
    for key, value in parameters.items():
        if key.endswith("LaunchTemplateName"):
            yield value, None
        elif key.endswith("LaunchTemplateId"):
            yield None, value


def template_of(template_id, name):
    backend = ec2_backends[ACCOUNT][REGION]
    return next((each for each in backend.launch_templates.values() if template_id == each.id or name == each.name), None)


def roles_of(profile: dict):
    name = profile.get("Name") or profile.get("Arn", "").split("/")[-1]
    found = iam_backends[ACCOUNT]["aws"].instance_profiles.get(name)
    return [] if found is None else [role.arn for role in found.roles]


def tagging(create_action: str, arn: str, tags: dict):
    return [("ec2:CreateTags", arn, {**requested(tags), "ec2:CreateAction": create_action})] if tags else []


def tags_by_kind(parameters: dict) -> dict[str, dict]:
    found: dict[str, dict] = {}
    for key, value in parameters.items():
        if match := re.fullmatch(r"(TagSpecifications?\.\d+)\.ResourceType", key):
            tag = re.compile(re.escape(match[1]) + r"\.Tags?\.\d+\.Key")
            found[value] = {each: parameters.get(name[:-3] + "Value", "") for name, each in parameters.items() if tag.fullmatch(name)}
    return found


def listed(parameters: dict, name: str) -> list[str]:
    return [value for key, value in parameters.items() if re.fullmatch(rf"{name}s?\.\d+", key)]


def requested(tags: dict) -> dict:
    return {**{f"aws:RequestTag/{key}": value for key, value in tags.items()}, "aws:TagKeys": sorted(tags)} if tags else {}


def tagged(resource_id: str) -> dict:
    tags = ec2_backends[ACCOUNT][REGION].tags.get(resource_id, {})
    return {f"aws:ResourceTag/{key}": value for key, value in tags.items()}


KINDS = {"i": "instance", "lt": "launch-template", "subnet": "subnet", "sg": "security-group", "ami": "image", "vol": "volume", "cr": "capacity-reservation"}


def arn_of_id(resource_id: str) -> str:
    return arn_of(KINDS.get(resource_id.split("-")[0], "unknown"), resource_id)


def arn_of(kind: str, resource_id: str) -> str:
    return f"arn:aws:ec2:{REGION}:{'' if kind in ('image', 'snapshot') else ACCOUNT}:{kind}/{resource_id}"


def iam(call, _environ):
    name = call.parameters.get("InstanceProfileName")
    if name is None:
        return [(f"iam:{call.action}", "*", {})]
    profile = iam_backends[ACCOUNT]["aws"].instance_profiles.get(name)
    if call.action == "CreateInstanceProfile":
        path = call.parameters.get("Path", "/")
        tags = {value: call.parameters.get(key[:-3] + "Value", "") for key, value in call.parameters.items() if re.fullmatch(r"Tags\.member\.\d+\.Key", key)}
        arn = f"arn:aws:iam::{ACCOUNT}:instance-profile{path}{name}"
        # The profile to be tagged is judged as it will be.
        will = {f"aws:ResourceTag/{key}": value for key, value in tags.items()}
        more = [("iam:TagInstanceProfile", arn, {**requested(tags), **will})] if tags else []
        return [("iam:CreateInstanceProfile", arn, requested(tags)), *more]
    if profile is None and call.action != "GetInstanceProfile":
        # It is gone already: nothing can come of the call, whatever IAM answers.
        return []
    arn = profile.arn if profile else f"arn:aws:iam::{ACCOUNT}:instance-profile/{name}"
    context = {f"aws:ResourceTag/{key}": value for key, value in tags_of(profile).items()}
    found = [(f"iam:{call.action}", arn, context)]
    if call.action == "AddRoleToInstanceProfile":
        role = f"arn:aws:iam::{ACCOUNT}:role/{call.parameters.get('RoleName')}"
        found.append(("iam:PassRole", role, PASSED_TO))
    return found


def tags_of(profile) -> dict:
    tags = getattr(profile, "tags", {}) or {}
    return {each["Key"]: each["Value"] for each in tags} if isinstance(tags, list) else {key: each["Value"] if isinstance(each, dict) else each for key, each in tags.items()}


def ssm(call, _environ):
    body = json.loads(call.body or b"{}")
    names = body.get("Names") or [body.get("Name", "")]
    owner = lambda name: "" if name.startswith("/aws/service/") else ACCOUNT  # noqa: E731
    return [(f"ssm:{call.action}", f"arn:aws:ssm:{REGION}:{owner(each)}:parameter{each}", {}) for each in names]


def eks(call, environ):
    path = unquote(environ["PATH_INFO"])
    for method, pattern, action in REST_EKS:
        match = pattern.match(path)
        if match and environ["REQUEST_METHOD"] == method:
            cluster = f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/{match[1]}"
            entry = f"arn:aws:eks:{REGION}:{ACCOUNT}:access-entry/{match[1]}/role/{ACCOUNT}/{path.split('/')[-1]}/x"
            return [(f"eks:{action}", entry if action == "DescribeAccessEntry" else cluster, {})]
    return unknown(call, environ)


def s3(call, environ):
    bucket, _, key = environ["PATH_INFO"].lstrip("/").partition("/")
    method, query = environ["REQUEST_METHOD"], environ.get("QUERY_STRING", "")
    if key:
        action = {"GET": "GetObject", "HEAD": "GetObject", "PUT": "PutObject", "DELETE": "DeleteObject"}.get(method, method)
        return [(f"s3:{action}", f"arn:aws:s3:::{bucket}/{key}", {})]
    if "versions" in query:
        return [("s3:ListBucketVersions", f"arn:aws:s3:::{bucket}", {})]
    if "tagging" in query:
        return [("s3:GetBucketTagging", f"arn:aws:s3:::{bucket}", {})]
    if "policy" in query:
        return [("s3:PutBucketPolicy" if method == "PUT" else "s3:GetBucketPolicy", f"arn:aws:s3:::{bucket}", {})]
    if method == "POST" and "delete" in query:
        keys = re.findall(rb"<Key>(.*?)</Key>", call.body)
        return [("s3:DeleteObject", f"arn:aws:s3:::{bucket}/{each.decode()}", {}) for each in keys]
    return [("s3:ListBucket", f"arn:aws:s3:::{bucket}", {})]


def events(call, _environ):
    entries = json.loads(call.body or b"{}").get("Entries", [])
    sources: dict[str, set[str]] = {}
    for each in entries:
        sources.setdefault(each.get("EventBusName", "default").split("/")[-1], set()).add(each["Source"])
    return [
        (f"events:{call.action}", f"arn:aws:events:{REGION}:{ACCOUNT}:event-bus/{name}", {"events:source": sorted(all_of_them)})
        for name, all_of_them in sources.items()
    ]


def lambda_(_call, environ):
    name = environ["PATH_INFO"].split("/")[3].split(":")[-1]
    return [("lambda:InvokeFunction", f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}", {})]


def states(call, _environ):
    return [(f"states:{call.action}", json.loads(call.body).get("stateMachineArn", "unknown"), {})]


def sqs(call, _environ):
    body = json.loads(call.body or b"{}")
    name = body.get("QueueName") or body.get("QueueUrl", "unknown").split("/")[-1]
    return [(f"sqs:{call.action}", f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}", {})]


def cloudformation(call, _environ):
    return [(f"cloudformation:{call.action}", call.parameters.get("StackName", "*"), {})]


BY_SERVICE = {
    "ec2": ec2,
    "iam": iam,
    "ssm": ssm,
    "eks": eks,
    "s3": s3,
    "events": events,
    "lambda": lambda_,
    "states": states,
    "sqs": sqs,
    "cloudformation": cloudformation,
    "pricing": lambda call, _: [(f"pricing:{call.action}", "*", {})],
}
