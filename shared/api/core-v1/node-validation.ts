import { map } from "../shape/collection.ts";
import { defaulted, object, optional, orEmpty } from "../shape/object.ts";
import { boolean, text } from "../shape/scalar.ts";
import { adjusted, type Shape } from "../shape/shape.ts";
import { nodeSpecFields } from "./field-names.ts";
import { clusterObject } from "./meta-validation.ts";
import type { Node } from "./node.ts";
import { looseConditions } from "./pod-validation.ts";
import { quantity } from "./resource-validation.ts";
import { nodeTaints } from "./toleration-validation.ts";

type Status = NonNullable<Node["status"]>;

const spec: Shape<Node["spec"]> = object<Node["spec"]>(
  {
    providerID: orEmpty(text()),
    taints: optional(nodeTaints),
    unschedulable: optional(boolean),
  },
  { others: nodeSpecFields },
);

/** Kubernetes: what a node can allocate is its capacity unless it says otherwise. */
const status: Shape<Status> = adjusted(
  object<Status>({
    capacity: optional(map(quantity)),
    allocatable: optional(map(quantity)),
    conditions: optional(looseConditions),
    nodeInfo: optional(
      object<NonNullable<Status["nodeInfo"]>>({ kubeletVersion: optional(text()), osImage: optional(text()) }),
    ),
  }),
  (read) =>
    read.allocatable === undefined && read.capacity !== undefined ? { ...read, allocatable: read.capacity } : read,
);

export const node: Shape<Node> = object<Node>(
  {
    ...clusterObject,
    spec: defaulted(spec, {}),
    status: optional(status),
  },
  { others: [] },
);
