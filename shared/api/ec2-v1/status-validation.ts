import { conditions } from "../karpenter-v1/condition-validation.ts";
import { plainRequirements } from "../karpenter-v1/requirement-validation.ts";
import { dateTime } from "../karpenter-v1/template-validation.ts";
import { list } from "../shape/collection.ts";
import { defaulted, object, optional, required } from "../shape/object.ts";
import { boolean, oneOf, text } from "../shape/scalar.ts";
import type { Shape } from "../shape/shape.ts";
import type { EC2NodeClassStatus } from "./ec2nodeclass.ts";

type Item<K extends "subnets" | "securityGroups" | "amis" | "capacityReservations"> = NonNullable<
  EC2NodeClassStatus[K]
>[number];

const capacityReservation = object<Item<"capacityReservations">>({
  id: required(text({ pattern: /^cr-[0-9a-z]+$/ })),
  availabilityZone: required(text()),
  instanceType: required(text()),
  instanceMatchCriteria: required(oneOf(["open", "targeted"])),
  ownerID: required(text({ pattern: /^[0-9]{12}$/ })),
  endTime: optional(dateTime),
  interruptible: optional(boolean),
  reservationType: defaulted(oneOf(["default", "capacity-block"]), "default"),
  state: defaulted(oneOf(["active", "expiring"]), "active"),
});

export const ec2NodeClassStatus: Shape<EC2NodeClassStatus> = object<EC2NodeClassStatus>({
  subnets: optional(
    list(object<Item<"subnets">>({ id: required(text()), zone: required(text()), zoneID: optional(text()) })),
  ),
  securityGroups: optional(list(object<Item<"securityGroups">>({ id: required(text()), name: optional(text()) }))),
  amis: optional(
    list(
      object<Item<"amis">>({
        id: required(text()),
        name: optional(text()),
        deprecated: optional(boolean),
        requirements: required(plainRequirements),
      }),
    ),
  ),
  capacityReservations: optional(list(capacityReservation)),
  instanceProfile: optional(text()),
  conditions: optional(conditions),
});
