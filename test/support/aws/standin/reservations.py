"""Capacity reservations: what they have left is what a test gave them less the instances that run in them."""

from .instances import ENDED, backends
from .state import state


def used(reservation_id: str) -> int:
    return sum(
        1
        for backend in backends()
        for reservation in backend.reservations.values()
        for instance in reservation.instances
        if getattr(instance, "capacity_reservation_id", None) == reservation_id and instance._state.name not in ENDED
    )


def shown(row: dict) -> dict:
    left = int(row.get("AvailableInstanceCount", 0)) - used(row["CapacityReservationId"])
    return {**row, "AvailableInstanceCount": max(left, 0)}


def problem(wanted: str | None, name: str, zone: str) -> tuple[str, str] | None:
    """Why an instance of this type cannot start in the reservation that its template names."""
    if wanted is None:
        return None
    row = state().reservations.get(wanted)
    if row is None or row["State"] != "active":
        return "InvalidCapacityReservationId.NotFound", f"The capacity reservation '{wanted}' does not exist"
    if row.get("InstanceType") != name or row.get("AvailabilityZone") != zone:
        return "InvalidParameterValue", f"The capacity reservation '{wanted}' is of another instance type or Availability Zone."
    if shown(row)["AvailableInstanceCount"] < 1:
        return "ReservationCapacityExceeded", f"There is not enough available capacity in the capacity reservation '{wanted}'."
    return None
