"""SSM parameters that AWS publishes for every version asked for, and the images behind them; images of a test's own."""

import re
from datetime import datetime, timezone

from moto.ec2.models import ec2_backends
from moto.ec2.models.amis import Ami
from moto.ssm.models import Parameter, SimpleSystemManagerBackend

from .patching import replace, require
from .state import hex_id, state

originals: dict = {}
AMAZON = "602401143452"
K = r"(?P<k8s>\d+\.\d+)"
AL2 = re.compile(rf"^/aws/service/eks/optimized-ami/{K}/amazon-linux-2(?P<flavour>|-arm64|-gpu)/(?P<name>[^/]+)/image_id$")
AL2023 = re.compile(rf"^/aws/service/eks/optimized-ami/{K}/amazon-linux-2023/(?P<arch>x86_64|arm64)/(?P<variant>standard|nvidia|neuron)/(?P<name>[^/]+)/image_id$")
BOTTLEROCKET = re.compile(rf"^/aws/service/bottlerocket/aws-k8s-{K}(?P<flavour>|-nvidia)/(?P<arch>x86_64|arm64)/(?P<version>latest|\d+\.\d+\.\d+)/image_id$")
WINDOWS = re.compile(rf"^/aws/service/ami-windows-latest/Windows_Server-(?P<year>2019|2022|2025)-English-Core-EKS_Optimized-{K}/image_id$")
AL2_STEMS = {"": "amazon-eks-node", "-arm64": "amazon-eks-arm64-node", "-gpu": "amazon-eks-gpu-node"}


def published(parameter: str) -> tuple[str, str] | None:
    """(image name, architecture) of a parameter of AWS; None for one that AWS does not publish."""
    latest = state().latest
    if match := AL2.match(parameter):
        stem = f"{AL2_STEMS[match['flavour']]}-{match['k8s']}-"
        name = f"{stem}{latest['al2']}" if match["name"] == "recommended" else match["name"]
        fits = re.fullmatch(rf"{re.escape(stem)}v\d{{8}}", name)
        return (name, "arm64" if match["flavour"] == "-arm64" else "x86_64") if fits else None
    if match := AL2023.match(parameter):
        if match["arch"] == "arm64" and match["variant"] == "neuron":
            return None
        stem = f"amazon-eks-node-al2023-{match['arch']}-{match['variant']}-{match['k8s']}-"
        name = f"{stem}{latest['al2023']}" if match["name"] == "recommended" else match["name"]
        return (name, match["arch"]) if re.fullmatch(rf"{re.escape(stem)}v\d{{8}}", name) else None
    if match := BOTTLEROCKET.match(parameter):
        version = latest["bottlerocket"] if match["version"] == "latest" else match["version"]
        return f"bottlerocket-aws-k8s-{match['k8s']}{match['flavour']}-{match['arch']}-v{version}", match["arch"]
    if match := WINDOWS.match(parameter):
        return f"Windows_Server-{match['year']}-English-Core-EKS_Optimized-{match['k8s']}-2024.10.09", "x86_64"
    return None


def created(name: str) -> datetime:
    """The day in the name, else a day that follows from the version's numbers."""
    if match := re.search(r"v(\d{4})(\d{2})(\d{2})$", name):
        return datetime(*(int(each) for each in match.groups()), tzinfo=timezone.utc)
    if match := re.search(r"v(\d+)\.(\d+)\.(\d+)$", name):
        return datetime(2023, 1 + int(match[2]) % 12, 1 + int(match[3]) % 28, tzinfo=timezone.utc).replace(year=2023 + int(match[2]) // 12)
    return datetime(2024, 10, 9, tzinfo=timezone.utc)


def learn(region: str, account: str, name: str, architecture: str, *, image_id: str | None = None, owner: str = AMAZON, alias: str | None = "amazon", creation: datetime | None = None, tags: dict | None = None) -> str:
    backend = ec2_backends[account][region]
    image_id = image_id or hex_id("ami", f"{region} {name}")
    if image_id not in backend.amis:
        image = Ami(
            backend, image_id, name=name, owner_id=owner, owner_alias=alias, public=True, virtualization_type="hvm",
            architecture=architecture, creation_date=creation or created(name), hypervisor="xen", root_device_type="ebs",
            root_device_name="/dev/xvda", region_name=f"{region}a", tags=tags,
        )
        backend.amis[image_id] = image
    if image_id in state().deprecated:
        backend.amis[image_id].deprecation_time = state().deprecated[image_id]
    return image_id


def get_parameter(self, name: str):
    seed(self, name)
    return originals["get_parameter"](self, name)


def get_parameters(self, names: list[str]):
    for name in names:
        seed(self, name)
    return originals["get_parameters"](self, names)


def seed(self, name: str) -> None:
    found = published(name)
    if found is None:
        return
    image_id = learn(self.region_name, self.account_id, *found)
    self._parameters[name] = [
        Parameter(
            account_id=self.account_id, name=name, value=image_id, parameter_type="String", description="", allowed_pattern=None,
            keyid=None, last_modified_date=1_790_000_000, version=1, data_type="text",
        )
    ]


def install() -> None:
    require(Ami, "__init__")
    originals["get_parameter"] = replace(SimpleSystemManagerBackend, "get_parameter", get_parameter, ["self", "name"])
    originals["get_parameters"] = replace(SimpleSystemManagerBackend, "get_parameters", get_parameters, ["self", "names"])
