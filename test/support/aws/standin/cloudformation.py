"""CloudFormation types that moto drops without a word: kept here, with their properties, for a test to look at."""

from moto.cloudformation import responses as cloudformation_responses
from moto.cloudformation import utils as cloudformation_utils
from moto.cloudformation.models import CloudFormationBackend
from moto.core.common_models import CloudFormationModel
from moto.scheduler.models import scheduler_backends
from moto.sqs.models import Queue

from .patching import replace, require
from .state import state


def kept(type_name: str, create=lambda *_: None, delete=lambda *_: None):
    class Kept(CloudFormationModel):
        # moto takes the classes of its own modules.
        __module__ = "moto.standin.models"

        def __init__(self, resource_id: str):
            self.resource_id = resource_id

        @property
        def physical_resource_id(self):
            return self.resource_id

        @staticmethod
        def cloudformation_name_type():
            return None

        @staticmethod
        def cloudformation_type():
            return type_name

        @classmethod
        def create_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name, **_):
            properties = cloudformation_json.get("Properties", {})
            create(resource_name, properties, account_id, region_name)
            state().kept_resources[(type_name, resource_name)] = properties
            return cls(resource_name)

        @classmethod
        def update_from_cloudformation_json(cls, original_resource, new_resource_name, cloudformation_json, account_id, region_name):
            cls.delete_from_cloudformation_json(original_resource.resource_id, {}, account_id, region_name)
            return cls.create_from_cloudformation_json(new_resource_name, cloudformation_json, account_id, region_name)

        @classmethod
        def delete_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name):
            delete(resource_name, account_id, region_name)
            state().kept_resources.pop((type_name, resource_name), None)

        @classmethod
        def has_cfn_attr(cls, attr):
            return attr == "Arn"

        def get_cfn_attribute(self, _):
            return f"arn:aws:standin:::{self.resource_id}"

    Kept.__name__ = type_name.replace("::", "_")
    return Kept


def create_schedule(name, properties, account_id, region_name):
    scheduler_backends[account_id][region_name].create_schedule(
        description=properties.get("Description"), end_date=None, flexible_time_window=properties["FlexibleTimeWindow"],
        group_name=properties.get("GroupName"), kms_key_arn=None, name=name, schedule_expression=properties["ScheduleExpression"],
        schedule_expression_timezone=properties.get("ScheduleExpressionTimezone"), start_date=None, state=properties.get("State"),
        target=dict(properties["Target"]), action_after_completion=None,
    )


def delete_schedule(name, account_id, region_name):
    scheduler_backends[account_id][region_name].schedule_groups["default"].schedules.pop(name, None)


def create_access_entry(_name, properties, account_id, region_name):
    state().access_entries[(properties["ClusterName"], properties["PrincipalArn"])] = {
        "clusterName": properties["ClusterName"],
        "principalArn": properties["PrincipalArn"],
        "type": properties.get("Type", "STANDARD"),
        "kubernetesGroups": properties.get("KubernetesGroups", []),
        "username": properties.get("Username", properties["PrincipalArn"]),
        "tags": {},
        "accessPolicies": [each["PolicyArn"] for each in properties.get("AccessPolicies", [])],
        "accessEntryArn": f"arn:aws:eks:{region_name}:{account_id}:access-entry/{properties['ClusterName']}/x",
    }


def delete_access_entry(name, _account_id, _region_name):
    properties = state().kept_resources.pop(("AWS::EKS::AccessEntry", name), {})
    state().access_entries.pop((properties.get("ClusterName"), properties.get("PrincipalArn")), None)


# Kept alive: moto finds the classes among the subclasses of its base.
KEPT = [
    kept("AWS::Scheduler::Schedule", create_schedule, delete_schedule),
    kept("AWS::SQS::QueuePolicy"),
    kept("AWS::EKS::AccessEntry", create_access_entry, delete_access_entry),
    kept("AWS::CloudWatch::Alarm"),
    kept("AWS::Logs::MetricFilter"),
]


def install() -> None:
    require(cloudformation_utils, "get_stack_from_s3_url")
    from_url = cloudformation_utils.get_stack_from_s3_url

    def from_localhost(template_url, *args, **more):
        """moto knows a bucket by the host's name; a number is no name."""
        return from_url(template_url.replace("127.0.0.1", "localhost"), *args, **more)

    replace(cloudformation_responses, "get_stack_from_s3_url", from_localhost)
    resolve = CloudFormationBackend._resolve_update_parameters

    def with_defaults(self, instance, incoming_params):
        """moto knows the previous value of a parameter that was given, not of one that has its default: that keeps it."""
        known = [each for each in incoming_params if not each.get("UsePreviousValue") or each["ParameterKey"] in instance.parameters]
        return resolve(self, instance, known)

    replace(CloudFormationBackend, "_resolve_update_parameters", with_defaults, ["self", "instance", "incoming_params"])
    # moto would poll the queue itself and count up every message's receipts.
    require(Queue, "__init__")
    Queue.lambda_event_source_mappings = property(lambda self: {}, lambda self, value: None)
