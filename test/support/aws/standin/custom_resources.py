"""
Custom resources as CloudFormation has them: their function is asked by an event and the stack waits for the answer that
it puts to the event's URL. When a stack goes, they are asked before anything is deleted, each before what it depends on.
A harness takes the events (`take`) and runs the functions.
"""

import json
import re

from moto.cloudformation import models, parsing
from moto.cloudformation.custom_model import CustomModel
from moto.cloudformation.models import CloudFormationBackend, Stack
from moto.moto_api._internal import mock_random

from .patching import replace, require
from .state import ACCOUNT, REGION, state

# An answer to this host is brought to `/standin/custom-answer`: the functions speak https to it, on the port of that.
RESPONSE_URL = "https://cloudformation.invalid/standin/custom-answer"
originals: dict = {}


def ask(resource, kind: str, **more) -> None:
    resource.request_id, resource.kind, resource.answered = str(mock_random.uuid4()), kind, False
    known = {} if kind == "Create" else {"PhysicalResourceId": resource.resource_name}
    state().custom_requests.append(
        {
            "RequestType": kind,
            "ResponseURL": RESPONSE_URL,
            "StackId": resource.stack_id,
            "RequestId": resource.request_id,
            "LogicalResourceId": resource.logical_id,
            "ResourceType": resource.resource_type,
            "ServiceToken": resource.properties["ServiceToken"],
            "ResourceProperties": resource.properties,
            **known,
            **more,
        }
    )


def take() -> list[dict]:
    """The events since the last call."""
    taken = state().custom_requests
    state().custom_requests = []
    return taken


def answer(Status, StackId, RequestId, LogicalResourceId, PhysicalResourceId=None, Reason="", Data=None, **_):
    stack = backend().get_stack(StackId)
    resource = stack.custom_resources[LogicalResourceId]
    if resource.request_id != RequestId or resource.answered:
        return {}
    resource.answered = True
    if Status != "SUCCESS":
        stack.status = {"Create": "CREATE_FAILED", "Update": "UPDATE_FAILED", "Delete": "DELETE_FAILED"}[resource.kind]
        stack._add_stack_event(stack.status, resource_status_reason=f"{LogicalResourceId}: {Reason}")
    elif resource.kind == "Delete":
        resource.is_gone = True
        go_on_deleting(stack)
    else:
        resource.resource_name = PhysicalResourceId or resource.resource_name
        resource.set_data(Data or {})
        if all(each.is_created() for each in stack.custom_resources.values()):
            stack.status = f"{resource.kind.upper()}_COMPLETE"
            stack._add_stack_event(stack.status)
    return {}


def create(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
    resource = CustomModel(region_name, "", kwargs["LogicalId"], resource_name)
    resource.stack_id, resource.resource_type = kwargs["StackId"], kwargs["ResourceType"]
    resource.properties, resource.is_gone = cloudformation_json["Properties"], False
    backend().get_stack(resource.stack_id).add_custom_resource(resource)
    ask(resource, "Create")
    return resource


def update(cls, original_resource, new_resource_name, cloudformation_json, account_id, region_name):
    old, resource = original_resource.properties, original_resource
    resource.properties, resource._finished = cloudformation_json["Properties"], False
    ask(resource, "Update", OldResourceProperties=old)
    return resource


def update_stack(self, *args, **more):
    originals["update"](self, *args, **more)
    if not all(each.is_created() for each in self.custom_resources.values()):
        self.status = "UPDATE_IN_PROGRESS"


def delete_stack(self, name_or_stack_id):
    for stack in list(self.stacks.values()):
        if name_or_stack_id in (stack.name, stack.stack_id):
            stack.status = "DELETE_IN_PROGRESS"
            for each in stack.custom_resources.values():
                each.kind = "Delete" if each.is_gone else "Kept"
            go_on_deleting(stack)


def go_on_deleting(stack) -> None:
    left = [each for each in stack.custom_resources.values() if not each.is_gone]
    if not left:
        originals["delete_stack"](backend(), stack.stack_id)
        return
    needs = {each.logical_id: needed_by(each.logical_id, stack.template_dict["Resources"]) for each in left}
    for each in left:
        if each.kind != "Delete" and not any(each.logical_id in needs[other] for other in needs if other != each.logical_id):
            ask(each, "Delete")


def needed_by(name: str, resources: dict) -> set[str]:
    """Everything that a resource depends on, by name or by reference, itself left out."""
    found: set[str] = set()
    left = [name]
    while left:
        body = resources[left.pop()]
        depends = body.get("DependsOn", [])
        text = json.dumps(body.get("Properties", {}))
        named = [depends] if isinstance(depends, str) else list(depends)
        named += re.findall(r'"Ref": "(\w+)"', text) + re.findall(r'"Fn::GetAtt": \["(\w+)"', text)
        for each in named:
            if each in resources and each not in found:
                found.add(each)
                left.append(each)
    return found - {name}


def class_of(resource_type):
    if resource_type == "AWS::CloudFormation::CustomResource":
        return CustomModel
    return originals["class_of"](resource_type)


def backend():
    return models.cloudformation_backends[ACCOUNT][REGION]


def install() -> None:
    require(CustomModel, "set_data", "is_created", "update_from_cloudformation_json", "delete_from_cloudformation_json")
    require(Stack, "add_custom_resource", "_add_stack_event")
    replace(CustomModel, "create_from_cloudformation_json", classmethod(create))
    replace(CustomModel, "update_from_cloudformation_json", classmethod(update))
    originals["update"] = replace(Stack, "update", update_stack, ["self", "template"])
    originals["delete_stack"] = replace(CloudFormationBackend, "delete_stack", delete_stack, ["self", "name_or_stack_id"])
    originals["class_of"] = replace(parsing, "resource_class_from_type", class_of, ["resource_type"])
