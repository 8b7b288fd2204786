/** Karpenter counterpart: the NodeClaim CRD (schema, defaults, CEL rules). Same answers but for domains, see label-rules. */
import { clusterObject } from "../core-v1/meta-validation.ts";
import { sameJson } from "../same-json.ts";
import { defaulted, object, optional, required } from "../shape/object.ts";
import { text } from "../shape/scalar.ts";
import type { Rule, Shape } from "../shape/shape.ts";
import { nodeClaimConditions } from "./condition-validation.ts";
import { nodeClaimLabelProblem } from "./label-rules.ts";
import type { NodeClaim, NodeClaimSpec, NodeClaimStatus } from "./nodeclaim.ts";
import { duration, nillableDuration } from "./patterns.ts";
import { requirements } from "./requirement-validation.ts";
import { crdResources } from "./resource-validation.ts";
import { dateTime, defaultExpireAfter, nodeClassRef, taints } from "./template-validation.ts";

const complete = { complete: true };

const spec: Shape<NodeClaimSpec> = object<NodeClaimSpec>(
  {
    requirements: required(requirements(nodeClaimLabelProblem)),
    nodeClassRef: required(nodeClassRef),
    taints: optional(taints),
    startupTaints: optional(taints),
    resources: optional(
      object<NonNullable<NodeClaimSpec["resources"]>>({ requests: optional(crdResources) }, complete),
    ),
    terminationGracePeriod: optional(duration),
    expireAfter: defaulted(nillableDuration, defaultExpireAfter),
  },
  complete,
);

const status: Shape<NodeClaimStatus> = object<NodeClaimStatus>({
  nodeName: optional(text()),
  providerID: optional(text()),
  imageID: optional(text()),
  capacity: optional(crdResources),
  allocatable: optional(crdResources),
  lastPodEventTime: optional(dateTime),
  conditions: optional(nodeClaimConditions),
});

export const nodeClaim: Shape<NodeClaim> = object<NodeClaim>({
  ...clusterObject,
  spec: required(spec),
  status: optional(status),
});

export const nodeClaimTransitions: Rule<readonly [NodeClaim, NodeClaim]> = ([before, after], note) => {
  if (sameJson(before.spec, after.spec)) return;
  note("must not change: a NodeClaim is a request for one machine; delete it and make another", "spec");
};
