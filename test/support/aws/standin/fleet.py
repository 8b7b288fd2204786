"""
CreateFleet of type instant as EC2 answers it: pools in the order of their strategy, errors for those that gave nothing,
the whole of the launch template carried out, client tokens, dry run.
"""

import math

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.instance_types import INSTANCE_TYPES
from moto.ec2.responses.fleets import Fleets
from moto.ec2.utils import convert_tag_spec, random_fleet_id

from . import buckets, instances, prices, reservations, tokens
from .patching import replace, require
from .state import draw, state

# As the simulator chooses: a pool twice as dear has e^-8 of the weight, the shallowest pool a fifth of the deepest's.
STEEPNESS = 8
LEAST_DEPTH = 0.2
TOO_MANY_OVERRIDES = 1_000


def create_fleet(self):
    token = self._get_param("ClientToken")
    dry = self._get_param("DryRun", False)
    if not dry:
        known = tokens.remembered("CreateFleet", token, self.data, lambda answer: instances.gone(ids_of(answer)))
        if known is not None:
            return ActionResult(known)
    specification = self._get_param("TargetCapacitySpecification", {})
    if self._get_param("Type") != "instant":
        raise EC2ClientError("InvalidParameterValue", "the stand-in knows fleets of type instant only")
    count = int(specification.get("TotalTargetCapacity", 0))
    if count < 1:
        raise EC2ClientError("InvalidParameterValue", "TotalTargetCapacity must be at least 1")
    capacity_type = specification.get("DefaultTargetCapacityType", "on-demand")
    pools = pools_of(self, capacity_type)
    self.error_on_dryrun()
    if not buckets.take_resources("launch", count):
        raise EC2ClientError("RequestLimitExceeded", "Request limit exceeded.")
    answer = launch(self, pools, count, capacity_type, token or random_fleet_id())
    tokens.remember("CreateFleet", token, self.data, answer)
    return ActionResult(answer)


def ids_of(answer: dict) -> list[str]:
    return [each for row in answer["Instances"] for each in row["InstanceIds"]]


def pools_of(self, capacity_type: str) -> list[dict]:
    backend = self.ec2_backend
    pools = []
    for config in self._get_param("LaunchTemplateConfigs", []):
        asked = config["LaunchTemplateSpecification"]
        template = (
            backend.get_launch_template(asked["LaunchTemplateId"])
            if asked.get("LaunchTemplateId")
            else backend.get_launch_template_by_name(asked.get("LaunchTemplateName"))
        )
        version = template.get_version(asked.get("Version", "$Default"))
        for override in config.get("Overrides") or [{}]:
            pools.append({"template": template, "version": version, "override": override, "capacityType": capacity_type})
    if not pools:
        raise EC2ClientError("MissingParameter", "The request must contain the parameter LaunchTemplateConfigs")
    if len(pools) > TOO_MANY_OVERRIDES:
        raise EC2ClientError("InvalidParameterValue", "The request names too many overrides")
    for pool in pools:
        name = pool["override"].get("InstanceType") or pool["version"].instance_type
        pool["instanceType"] = name
        subnet_id = pool["override"].get("SubnetId")
        subnet = next((each for zone in backend.subnets.values() for each in zone.values() if each.id == subnet_id), None)
        pool["subnet"] = subnet
        pool["zone"] = subnet.availability_zone if subnet else pool["override"].get("AvailabilityZone", "")
        pool["price"] = prices.spot_price(name, pool["zone"]) if capacity_type == "spot" else prices.on_demand_price(name)
    return pools


def in_order(self, pools: list[dict], capacity_type: str, question: str) -> list[dict]:
    usual = "OnDemandOptions" if capacity_type != "spot" else "SpotOptions"
    strategy = self._get_param(usual, {}).get("AllocationStrategy", "lowest-price")
    by_price = sorted(pools, key=lambda each: (each["price"] if each["price"] is not None else math.inf, each["instanceType"], each["zone"]))
    if "prioritized" in strategy:
        return sorted(by_price, key=lambda each: float(each["override"].get("Priority", math.inf)))
    if capacity_type != "spot" or strategy == "lowest-price":
        return by_price
    return weighted(by_price, question)


def weighted(pools: list[dict], question: str) -> list[dict]:
    """Drawn without replacement: cheap and deep pools first as a rule, not always."""
    left = list(pools)
    lowest = min((each["price"] for each in pools if each["price"]), default=1)
    order = []
    while left:
        weights = [weight_of(each, lowest) for each in left]
        at = draw(f"{question} {len(left)}") * sum(weights)
        index = 0
        while index < len(left) - 1 and at >= weights[index]:
            at -= weights[index]
            index += 1
        order.append(left.pop(index))
    return order


def weight_of(pool: dict, lowest: float) -> float:
    depth = LEAST_DEPTH + (1 - LEAST_DEPTH) * draw(f"depth {pool['instanceType']} {pool['zone']}")
    price = pool["price"] if pool["price"] is not None else lowest * 10
    return max(depth * math.exp(-STEEPNESS * (price / lowest - 1)), 1e-12)


def launch(self, pools: list[dict], count: int, capacity_type: str, question: str) -> dict:
    launched: list[dict] = []
    errors: list[dict] = []
    wanted = count
    for pool in in_order(self, pools, capacity_type, question):
        if wanted == 0:
            break
        told = {
            "LaunchTemplateSpecification": {"LaunchTemplateId": pool["template"].id, "Version": str(pool["version"].number)},
            "Overrides": pool["override"],
        }
        lifecycle = "spot" if capacity_type == "spot" else "on-demand"
        ids = []
        while wanted > 0:
            problem = problem_of(self, pool)
            if problem is not None:
                errors.append({"LaunchTemplateAndOverrides": told, "Lifecycle": lifecycle, "ErrorCode": problem[0], "ErrorMessage": problem[1]})
                break
            ids.append(start(self, pool))
            wanted -= 1
        if ids:
            launched.append({"LaunchTemplateAndOverrides": told, "Lifecycle": lifecycle, "InstanceIds": ids, "InstanceType": pool["instanceType"]})
    return {"FleetId": random_fleet_id(), "Errors": errors, "Instances": launched}


def problem_of(self, pool: dict) -> tuple[str, str] | None:
    """The first thing that keeps EC2 from launching here: (code, message)."""
    backend = self.ec2_backend
    name, zone, data = pool["instanceType"], pool["zone"], pool["version"].data
    if name not in INSTANCE_TYPES:
        return "InvalidParameterValue", f"The instance type '{name}' is not supported."
    if pool["subnet"] is None:
        return "InvalidSubnetID.NotFound", f"The subnet ID '{pool['override'].get('SubnetId')}' does not exist"
    image = backend.amis.get(pool["override"].get("ImageId") or data.get("ImageId"))
    if image is None:
        return "InvalidAMIID.NotFound", f"The image id '[{data.get('ImageId')}]' does not exist"
    if image.architecture not in INSTANCE_TYPES[name]["ProcessorInfo"]["SupportedArchitectures"]:
        return "InvalidParameterValue", f"The architecture '{image.architecture}' of the specified ami does not match the type {name}."
    return network_problem(backend, pool, data) or instances.profile_problem(data) or capacity_problem(pool, name, zone)


def network_problem(backend, pool: dict, data: dict) -> tuple[str, str] | None:
    for group_id in groups_of(data):
        group = backend.get_security_group_from_id(group_id)
        if group is None:
            return "InvalidGroup.NotFound", f"The security group '{group_id}' does not exist"
        if group.vpc_id != pool["subnet"].vpc_id:
            return "InvalidParameter", f"Security group {group_id} and subnet {pool['subnet'].id} belong to different networks."
    interfaces = data.get("NetworkInterfaces", [])
    if len(interfaces) > 1 and any(str(each.get("AssociatePublicIpAddress")).lower() == "true" for each in interfaces):
        return "InvalidParameterCombination", "The associatePublicIPAddress parameter cannot be specified when launching with multiple network interfaces."
    if pool["subnet"].available_ip_address_count < 1:
        return "InsufficientFreeAddressesInSubnet", f"There are not enough free addresses in subnet '{pool['subnet'].id}'."
    return None


def capacity_problem(pool: dict, name: str, zone: str) -> tuple[str, str] | None:
    if pool["price"] is None:
        return "Unsupported", f"Your requested instance type ({name}) is not supported in your requested Availability Zone ({zone})."
    wanted = wanted_reservation(pool["version"].data)
    if wanted is not None:
        return reservations.problem(wanted, name, zone)
    for shortage in reversed(state().shortages):
        if covers(shortage, pool):
            if state().taken.get(pool_key(pool), 0) < shortage.get("left", 0):
                return None
            code = shortage.get("code", "InsufficientInstanceCapacity")
            return code, shortage.get("message", f"We currently do not have sufficient {name} capacity in the Availability Zone you requested ({zone}).")
    return None


def wanted_reservation(data: dict) -> str | None:
    return data.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {}).get("CapacityReservationId")


def covers(shortage: dict, pool: dict) -> bool:
    return all(shortage.get(key, pool[key]) == pool[key] for key in ("instanceType", "zone", "capacityType"))


def pool_key(pool: dict) -> str:
    return f"{pool['instanceType']} {pool['zone']} {pool['capacityType']}"


def groups_of(data: dict) -> list[str]:
    for interface in data.get("NetworkInterfaces", []):
        if int(interface.get("DeviceIndex", 0)) == 0 and interface.get("Groups"):
            return list(interface["Groups"])
    return list(data.get("SecurityGroupIds", []))


def start(self, pool: dict) -> str:
    backend, data, override = self.ec2_backend, pool["version"].data, pool["override"]
    fleet_tags = convert_tag_spec(self._get_param("TagSpecifications", []))
    template_tags = convert_tag_spec(data.get("TagSpecifications", []))

    def tags(kind: str) -> dict:
        return {**template_tags.get(kind, {}), **fleet_tags.get(kind, {})}

    profile = data.get("IamInstanceProfile", {})
    interfaces = [each for each in data.get("NetworkInterfaces", []) if int(each.get("DeviceIndex", 0)) == 0]
    reservation = backend.run_instances(
        override.get("ImageId") or data["ImageId"],
        1,
        data.get("UserData"),
        [],
        instance_type=pool["instanceType"],
        is_instance_type_default=False,
        region_name=self.region,
        placement=None,
        subnet_id=pool["subnet"].id,
        security_group_ids=groups_of(data),
        nics=[],
        associate_public_ip=interfaces[0].get("AssociatePublicIpAddress") if interfaces else None,
        tags={"instance": tags("instance"), "volume": tags("volume")},
        instance_market_options="spot" if pool["capacityType"] == "spot" else None,
        launch_template={"LaunchTemplateId": pool["template"].id, "Version": str(pool["version"].number)},
        metadata_options=data.get("MetadataOptions", {}),
        monitoring_state="enabled" if str(data.get("Monitoring", {}).get("Enabled")).lower() == "true" else "disabled",
        key_name=None,
        client_token=self._get_param("ClientToken") or "",
    )
    instance = reservation.instances[0]
    instance.launch_template_data = data
    instances.place(instance, data.get("Placement", {}))
    if pool["capacityType"] == "spot":
        instance.spot_instance_request_id = f"sir-{instance.id[2:10]}"
    wanted = wanted_reservation(data)
    if wanted is not None:
        instance.capacity_reservation_id = wanted
    if profile:
        backend.associate_iam_instance_profile(
            instance_id=instance.id, iam_instance_profile_name=profile.get("Name"), iam_instance_profile_arn=profile.get("Arn")
        )
    instances.hide(instance)
    state().taken[pool_key(pool)] = state().taken.get(pool_key(pool), 0) + 1
    return instance.id


def install() -> None:
    from moto.ec2.models import EC2Backend

    require(EC2Backend, "get_launch_template", "get_launch_template_by_name", "run_instances", "associate_iam_instance_profile")
    require(EC2Backend, "get_security_group_from_id")
    replace(Fleets, "create_fleet", create_fleet, ["self"])
