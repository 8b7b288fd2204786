"""What is deployed, for a harness that runs it: functions with their code, what feeds them, state machines, schedules."""

import json

from moto.awslambda.models import lambda_backends
from moto.iam.models import iam_backends
from moto.stepfunctions.models import stepfunctions_backends
from moto.sts.models import sts_backends

from .state import ACCOUNT, REGION, state


def deployed():
    functions = lambda_backends[ACCOUNT][REGION]
    return {
        "functions": [{**each.get_configuration(), "Code": each.code} for each in functions.list_functions()],
        "feeds": [each.get_configuration() for each in functions._event_source_mappings.values()],
        "machines": [{"arn": each.arn, "definition": each.definition} for each in stepfunctions_backends[ACCOUNT][REGION].state_machines],
        "schedules": [properties for (kind, _), properties in sorted(state().kept_resources.items()) if kind == "AWS::Scheduler::Schedule"],
    }


def assume(roleArn, session):
    """Credentials of a role, as a function of it has them."""
    role = sts_backends[ACCOUNT]["aws"].assume_role(
        region_name=REGION, role_session_name=session, role_arn=roleArn, policy=None, duration=3600, external_id=None
    )
    return {"accessKeyId": role.access_key_id, "secretAccessKey": role.secret_access_key, "sessionToken": role.session_token}


def principal_of(access_key_id: str) -> str | None:
    """The role that a call was signed for; None for a test's own calls."""
    role = sts_backends[ACCOUNT]["aws"].get_assumed_role_from_access_key(access_key_id)
    return None if role is None else role.role_arn


def policies(roleArn):
    """A role's own policies, with everything filled in."""
    role = iam_backends[ACCOUNT]["aws"].get_role_by_arn(roleArn)
    return {name: json.loads(document) if isinstance(document, str) else document for name, document in role.policies.items()}
