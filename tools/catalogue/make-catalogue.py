#!/usr/bin/env python3
"""Writes the simulator's catalogue of EC2 instance types (shared/adapters/simulator/data/us-east-1.json).

Run once, by hand, when the data shall be renewed; the product never runs it.

    make-catalogue.py MOTO_PACKAGE_DIR VPC_LIMITS_GO OUT.json

MOTO_PACKAGE_DIR  the installed package `moto` 5.2.5 (Apache-2.0): its DescribeInstanceTypes and
                  DescribeInstanceTypeOfferings data.
VPC_LIMITS_GO     limits.go of aws/amazon-vpc-resource-controller-k8s (Apache-2.0): branch interfaces, which no EC2 API
                  tells. Only the numbers are read.
list-prices.json  beside this script: public on-demand list prices. A type without a price there is left out.

Spot prices are synthesised: 30 to 45 % of on-demand, fixed by a hash of type and zone.
"""

import gzip
import hashlib
import json
import re
import sys
from pathlib import Path

REGION = "us-east-1"
ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"]
ARCH = {"x86_64": "amd64", "arm64": "arm64"}
DATE = "2026-10-27"
SOURCE = (
    "Specs and zones: DescribeInstanceTypes data of moto 5.2.5 (Apache-2.0, 2026-10-27), zones a, b, c of the region. "
    "Branch interfaces: aws/amazon-vpc-resource-controller-k8s (Apache-2.0). "
    "On-demand prices: AWS public list prices (Linux, shared tenancy, USD), computed from a price per vCPU by family and "
    "by type where that differs; all compared with the list of 2026-01-19 in aws/karpenter-provider-aws (Apache-2.0), "
    "none differs by more than 0.3 %. "
    "Spot prices are synthesised (30 to 45 % of on-demand): not AWS data."
)


def read_gz(path):
    with gzip.open(path) as file:
        return json.load(file)


def branch_interfaces(path):
    """Type name -> branch interfaces, of trunking-compatible types."""
    found = {}
    text = Path(path).read_text()
    for name, body in re.findall(r'^\t"([\w.-]+)": \{\n(.*?)^\t\},', text, re.S | re.M):
        if re.search(r"IsTrunkingCompatible:\s+true", body):
            found[name] = int(re.search(r"BranchInterface:\s+(\d+)", body).group(1))
    return found


def on_demand(name, vcpus, prices):
    if name in prices["perType"]:
        return prices["perType"][name]
    per_vcpu = prices["perVcpu"].get(name.split(".")[0])
    return None if per_vcpu is None else round(per_vcpu * vcpus, 5)


def share(*parts):
    """A number in [0, 1) fixed by the text."""
    return int.from_bytes(hashlib.sha256("/".join(parts).encode()).digest()[:6], "big") / 2**48


def spot(name, zone, price):
    base = 0.31 + 0.12 * share("spot", name)
    return round(price * min(0.45, max(0.30, base + 0.03 * (share("spot", name, zone) - 0.5))), 5)


def whole(number):
    return int(number) if float(number).is_integer() else number


def gpu_of(info):
    gpu = info["GpuInfo"]["Gpus"][0]
    return {
        "name": gpu["Name"],
        "manufacturer": gpu["Manufacturer"],
        "count": gpu["Count"],
        "memoryMiB": gpu["MemoryInfo"]["SizeInMiB"],
    }


def accelerator_of(info):
    devices = info["NeuronInfo"]["NeuronDevices"]
    return {
        "name": devices[0]["Name"],
        "manufacturer": "AWS",
        "count": sum(device["Count"] for device in devices),
        "coresPerDevice": devices[0]["CoreInfo"]["Count"],
    }


def type_of(info, zones, price, branches):
    network = info["NetworkInfo"]
    card = next(c for c in network["NetworkCards"] if c["NetworkCardIndex"] == network["DefaultNetworkCardIndex"])
    processor = info["ProcessorInfo"]
    ebs = info["EbsInfo"]
    storage = info.get("InstanceStorageInfo", {"NvmeSupport": "unsupported"})
    usage = [u for u in ("on-demand", "spot") if u in info["SupportedUsageClasses"]]
    name = info["InstanceType"]
    row = {
        "name": name,
        "arch": ARCH[next(a for a in processor["SupportedArchitectures"] if a in ARCH)],
        "vcpus": info["VCpuInfo"]["DefaultVCpus"],
        "memoryMiB": info["MemoryInfo"]["SizeInMiB"],
        "enis": card["MaximumNetworkInterfaces"],
        "ipv4PerEni": network["Ipv4AddressesPerInterface"],
        "cpuManufacturer": processor["Manufacturer"],
        "clockMhz": round(processor["SustainedClockSpeedInGhz"] * 1000) if "SustainedClockSpeedInGhz" in processor else None,
        "hypervisor": info.get("Hypervisor", ""),
        "bareMetal": info["BareMetal"],
        "networkMbps": round(sum(c["BaselineBandwidthInGbps"] for c in network["NetworkCards"]) * 1000),
        "ebsMbps": ebs["EbsOptimizedInfo"]["MaximumBandwidthInMbps"] if ebs["EbsOptimizedSupport"] == "default" else None,
        "nvmeGB": storage.get("TotalSizeInGB") if storage["NvmeSupport"] != "unsupported" else None,
        "gpu": gpu_of(info) if len(info.get("GpuInfo", {}).get("Gpus", [])) == 1 else None,
        "accelerator": accelerator_of(info) if "NeuronInfo" in info else None,
        "efaInterfaces": network.get("EfaInfo", {}).get("MaximumEfaInterfaces"),
        "branchInterfaces": branches.get(name) or None,
        "encryptionInTransit": network["EncryptionInTransitSupported"],
        "nitroEnclaves": info["NitroEnclavesSupport"] == "supported",
        "nestedVirtualization": True if "nested-virtualization" in processor.get("SupportedFeatures", []) else None,
        "usageClasses": usage,
        "zones": zones,
        "onDemandPerHour": whole(price),
        "spotPerHour": {zone: spot(name, zone, price) for zone in zones} if "spot" in usage else {},
    }
    return {key: value for key, value in row.items() if value is not None}


def main(moto, limits, out):
    resources = Path(moto) / "ec2" / "resources"
    infos = read_gz(resources / "instance_types.json.gz")
    offered = {}
    for offering in read_gz(resources / "instance_type_offerings" / "availability-zone" / f"{REGION}.json.gz"):
        if offering["Location"] in ZONES:
            offered.setdefault(offering["InstanceType"], set()).add(offering["Location"])
    prices = json.loads((Path(__file__).parent / "list-prices.json").read_text())
    branches = branch_interfaces(limits)
    types = []
    for name in sorted(offered):
        info = infos.get(name)
        if info is None or "hvm" not in info["SupportedVirtualizationTypes"]:
            continue
        if not any(arch in ARCH for arch in info["ProcessorInfo"]["SupportedArchitectures"]):
            continue
        price = on_demand(name, info["VCpuInfo"]["DefaultVCpus"], prices)
        if price is not None:
            types.append(type_of(info, sorted(offered[name]), price, branches))
    head = {"version": 1, "region": REGION, "date": DATE, "source": SOURCE, "writtenAtMs": 1793059200000}
    rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in types)
    Path(out).write_text(json.dumps(head)[:-1] + ',\n"types": [\n' + rows + "\n]}\n")
    print(f"{len(types)} types")


if __name__ == "__main__":
    main(*sys.argv[1:])
