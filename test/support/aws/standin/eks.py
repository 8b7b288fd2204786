"""EKS: access entries, and a cluster whose endpoint and certificate authority are those of a local API server."""

import os
from datetime import datetime, timezone

from moto.core.responses import ActionResult
from moto.eks import exceptions, models, urls
from moto.eks.responses import EKSResponse

from .patching import add, replace, require
from .state import state


def failure(name: str, message: str) -> Exception:
    return getattr(exceptions, name)(message=message)


def cluster_of(self) -> str:
    name = self._get_param("name")
    self.eks_backend.describe_cluster(name=name)
    return name


def missing(cluster: str, principal: str) -> Exception:
    return failure("ResourceNotFoundException", f"The specified principalArn could not be found: {principal} in {cluster}")


def create(self):
    cluster, principal = cluster_of(self), self._get_param("principalArn")
    if (cluster, principal) in state().access_entries:
        raise failure("ResourceInUseException", "The specified access entry resource is already in use on this cluster.")
    now = datetime.now(timezone.utc)
    entry = {
        "clusterName": cluster,
        "principalArn": principal,
        "kubernetesGroups": self._get_param("kubernetesGroups") or [],
        "accessEntryArn": f"arn:aws:eks:{self.region}:{self.current_account}:access-entry/{cluster}/role/{self.current_account}/{principal.split('/')[-1]}",
        "createdAt": now,
        "modifiedAt": now,
        "tags": self._get_param("tags") or {},
        "username": self._get_param("username") or principal,
        "type": self._get_param("type") or "STANDARD",
    }
    state().access_entries[(cluster, principal)] = entry
    return ActionResult({"accessEntry": entry})


def describe(self):
    key = (cluster_of(self), self._get_param("principalArn"))
    if key not in state().access_entries:
        raise missing(*key)
    return ActionResult({"accessEntry": state().access_entries[key]})


def update(self):
    key = (cluster_of(self), self._get_param("principalArn"))
    if key not in state().access_entries:
        raise missing(*key)
    entry = state().access_entries[key]
    for name in ("kubernetesGroups", "username"):
        if self._get_param(name) is not None:
            entry[name] = self._get_param(name)
    return ActionResult({"accessEntry": entry})


def delete(self):
    key = (cluster_of(self), self._get_param("principalArn"))
    if state().access_entries.pop(key, None) is None:
        raise missing(*key)
    return ActionResult({})


def entries(self):
    cluster = cluster_of(self)
    return ActionResult({"accessEntries": sorted(principal for name, principal in state().access_entries if name == cluster)})


def policies(self):
    return ActionResult({"associatedAccessPolicies": [], "clusterName": cluster_of(self), "principalArn": self._get_param("principalArn")})


def install() -> None:
    require(EKSResponse, "eks_backend", "dispatch")
    require(exceptions, "ResourceNotFoundException", "ResourceInUseException")
    for name, answer in {
        "create_access_entry": create,
        "describe_access_entry": describe,
        "update_access_entry": update,
        "delete_access_entry": delete,
        "list_access_entries": entries,
        "list_associated_access_policies": policies,
    }.items():
        add(EKSResponse, name, answer)
    for path in ("access-entries$", "access-entries/(?P<principalArn>.+)/access-policies$", "access-entries/(?P<principalArn>.+)$"):
        urls.url_paths[f"{{0}}/clusters/(?P<name>[^/]+)/{path}"] = EKSResponse.dispatch

    def made(self, *args, **more):
        original(self, *args, **more)
        if "KUBE_ENDPOINT" in os.environ:
            self.endpoint = os.environ["KUBE_ENDPOINT"]
            self.certificate_authority = {"data": os.environ.get("KUBE_CA", "")}
        self.access_config = {"authenticationMode": state().cluster_config.get("authenticationMode", "API_AND_CONFIG_MAP")}

    original = replace(models.Cluster, "__init__", made, ["self", "name", "role_arn"])
