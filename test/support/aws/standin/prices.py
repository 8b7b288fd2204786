"""Prices, from the simulator's embedded catalogue, in the forms of DescribeSpotPriceHistory and of the Pricing API."""

import json
import os
from datetime import datetime, timezone

from moto.core.responses import ActionResult
from moto.ec2.responses.spot_instances import SpotInstances

from .patching import replace
from .state import REGION, now_ms

with open(os.environ["STANDIN_CATALOGUE"], encoding="utf-8") as file:
    TYPES = {row["name"]: row for row in json.load(file)["types"]}

PAGE = 100


def on_demand_price(instance_type: str) -> float | None:
    return TYPES.get(instance_type, {}).get("onDemandPerHour")


def spot_price(instance_type: str, zone: str) -> float | None:
    return TYPES.get(instance_type, {}).get("spotPerHour", {}).get(zone)


def spot_history(self):
    """Newest prices only, as for a StartTime of now; paged."""
    wanted = set(self._get_param("InstanceTypes", []))
    size = int(self._get_param("MaxResults", 1000))
    start = int(self._get_param("NextToken", 0) or 0)
    at = datetime.fromtimestamp(now_ms() / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    rows = [
        {
            "InstanceType": name,
            "ProductDescription": "Linux/UNIX",
            "SpotPrice": f"{price:.6f}",
            "AvailabilityZone": zone,
            "Timestamp": at,
        }
        for name, row in sorted(TYPES.items())
        if not wanted or name in wanted
        for zone, price in sorted(row["spotPerHour"].items())
    ]
    page = rows[start : start + size]
    more = start + size < len(rows)
    return ActionResult({"SpotPriceHistory": page, "NextToken": str(start + size) if more else ""})


def get_products(request: dict) -> dict:
    """GetProducts of AmazonEC2, by exact filters, one document a type."""
    wanted = {each["Field"]: each["Value"] for each in request.get("Filters", [])}
    size = int(request.get("MaxResults", PAGE))
    start = int(request.get("NextToken", 0) or 0)
    documents = [document(name, row) for name, row in sorted(TYPES.items()) if row.get("onDemandPerHour") is not None]
    found = [each for each in documents if all(each["product"]["attributes"].get(k) == v for k, v in wanted.items() if k != "productFamily") and wanted.get("productFamily", each["product"]["productFamily"]) == each["product"]["productFamily"]]
    answer = {"FormatVersion": "aws_v1", "PriceList": [json.dumps(each) for each in found[start : start + size]]}
    if start + size < len(found):
        answer["NextToken"] = str(start + size)
    return answer


def document(name: str, row: dict) -> dict:
    metal = row["bareMetal"]
    attributes = {
        "instanceType": name,
        "regionCode": REGION,
        "servicecode": "AmazonEC2",
        "serviceCode": "AmazonEC2",
        "preInstalledSw": "NA",
        "operatingSystem": "Linux",
        "capacitystatus": "Used",
        "marketoption": "OnDemand",
        "tenancy": "Dedicated" if metal else "Shared",
    }
    dimension = {"unit": "Hrs", "pricePerUnit": {"USD": f"{row['onDemandPerHour']:.10f}"}}
    return {
        "product": {"productFamily": "Compute Instance (bare metal)" if metal else "Compute Instance", "attributes": attributes},
        "serviceCode": "AmazonEC2",
        "terms": {"OnDemand": {f"{name}.T": {"priceDimensions": {f"{name}.T.D": dimension}}}},
    }


def install() -> None:
    replace(SpotInstances, "describe_spot_price_history", spot_history, ["self"])
