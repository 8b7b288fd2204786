"""Reads that moto lacks or cuts short: reservations, placement groups, instance profiles by path, pages of long lists."""

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses import EC2Response
from moto.ec2.responses.amis import AmisResponse
from moto.ec2.responses.instances import InstanceResponse
from moto.ec2.responses.launch_templates import LaunchTemplates
from moto.ec2.responses.security_groups import SecurityGroups
from moto.ec2.responses.subnets import Subnets
from moto.iam.responses import IamResponse

from . import reservations
from .patching import add, replace
from .state import state


def page(self, rows: list, key: str) -> ActionResult:
    size = int(self._get_param("MaxResults", 0) or 0)
    start = int(self._get_param("NextToken", 0) or 0)
    if size == 0:
        return ActionResult({key: rows})
    more = start + size < len(rows)
    return ActionResult({key: rows[start : start + size], "NextToken": str(start + size) if more else None})


def paged(owner, name: str, key: str, fixed: bool = False) -> None:
    """`fixed`: the list never changes, so the pages of one question share it."""
    kept: dict = {}

    def answer(self):
        question = str(sorted((k, str(v)) for k, v in self.data.items() if k not in ("NextToken", "MaxResults")))
        rows = kept.get(question) if fixed else None
        if rows is None:
            rows = list(original(self).result[key])
            if fixed:
                kept[question] = rows
        return page(self, rows, key)

    original = replace(owner, name, answer, ["self"])


def launch_templates(self):
    self.error_on_dryrun()
    rows = self.ec2_backend.describe_launch_templates(
        template_names=self._get_param("LaunchTemplateNames", []),
        template_ids=self._get_param("LaunchTemplateIds", []),
        filters=self._filters_from_querystring(),
    )
    told = [
        {
            "CreateTime": each.create_time,
            "DefaultVersionNumber": each.default_version_number,
            "LatestVersionNumber": each.latest_version_number,
            "LaunchTemplateId": each.id,
            "LaunchTemplateName": each.name,
            "Tags": each.tags,
        }
        for each in rows
    ]
    return page(self, told, "LaunchTemplates")


def delete_launch_template(self):
    """moto answers MissingParameter for one that is not there."""
    name, template_id = self._get_param("LaunchTemplateName"), self._get_param("LaunchTemplateId")
    self.ec2_backend.get_launch_template(template_id) if template_id else self.ec2_backend.get_launch_template_by_name(name)
    return deleted(self)


def capacity_reservations(self):
    ids = self._get_param("CapacityReservationIds", [])
    missing = [each for each in ids if each not in state().reservations]
    if missing:
        raise EC2ClientError("InvalidCapacityReservationId.NotFound", f"The capacity reservation '{missing[0]}' does not exist")
    if ids and self._get_param("MaxResults"):
        raise EC2ClientError("InvalidParameterCombination", "CapacityReservationIds and MaxResults cannot be used together")
    rows = [reservations.shown(row) for key, row in sorted(state().reservations.items()) if not ids or key in ids]
    return page(self, [row for row in rows if passes(row, self._filters_from_querystring(), RESERVATION_FILTERS)], "CapacityReservations")


def placement_groups(self):
    names, ids = self._get_param("GroupNames", []), self._get_param("GroupIds", [])
    rows = [row for _, row in sorted(state().placement_groups.items())]
    rows = [row for row in rows if (not names or row["GroupName"] in names) and (not ids or row["GroupId"] in ids)]
    if (names or ids) and not rows:
        raise EC2ClientError("InvalidPlacementGroup.Unknown", f"The Placement Group '{(names or ids)[0]}' is unknown.")
    return ActionResult({"PlacementGroups": [row for row in rows if passes(row, self._filters_from_querystring(), {"state": "State"})]})


RESERVATION_FILTERS = {
    "state": "State",
    "owner-id": "OwnerId",
    "instance-type": "InstanceType",
    "availability-zone": "AvailabilityZone",
    "instance-match-criteria": "InstanceMatchCriteria",
}


def passes(row: dict, filters: dict, fields: dict) -> bool:
    tags = {each["Key"]: each["Value"] for each in row.get("Tags", [])}
    for name, values in filters.items():
        if name == "tag-key":
            found = any(each in tags for each in values)
        elif name.startswith("tag:"):
            found = tags.get(name[4:]) in values
        elif name in fields:
            found = row.get(fields[name]) in values
        else:
            raise EC2ClientError("InvalidParameterValue", f"The filter '{name}' is invalid")
        if not found:
            return False
    return True


def instance_profiles(self):
    """IAM lists profiles below a path, in pages, and without their tags."""
    prefix = self._get_param("PathPrefix", "/")
    size = int(self._get_param("MaxItems", 100))
    start = int(self._get_param("Marker", 0) or 0)
    rows = sorted((each for each in self.backend.get_instance_profiles() if each.path.startswith(prefix)), key=lambda each: each.name)
    more = start + size < len(rows)
    return ActionResult({"InstanceProfiles": rows[start : start + size], "IsTruncated": more, "Marker": str(start + size) if more else None})


def install() -> None:
    global deleted
    deleted = replace(LaunchTemplates, "delete_launch_template", delete_launch_template, ["self"])
    replace(LaunchTemplates, "describe_launch_templates", launch_templates, ["self"])
    replace(IamResponse, "list_instance_profiles", instance_profiles, ["self"])
    add(EC2Response, "describe_capacity_reservations", capacity_reservations)
    add(EC2Response, "describe_placement_groups", placement_groups)
    paged(InstanceResponse, "describe_instance_types", "InstanceTypes", fixed=True)
    paged(InstanceResponse, "describe_instance_type_offerings", "InstanceTypeOfferings", fixed=True)
    paged(AmisResponse, "describe_images", "Images")
    paged(SecurityGroups, "describe_security_groups", "SecurityGroups")
    paged(Subnets, "describe_subnets", "Subnets")
