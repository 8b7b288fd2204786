import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { pod } from "#api/core-v1/pod-validation.ts";
import { quantity } from "#api/core-v1/resource-validation.ts";
import { nodeTaints } from "#api/core-v1/toleration-validation.ts";
import type { DaemonSet } from "#api/core-v1/workload.ts";
import { daemonSet } from "#api/core-v1/workload-validation.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { nodePool } from "#api/karpenter-v1/nodepool-validation.ts";
import { type RequirementSpec, requirementOperators } from "#api/karpenter-v1/requirement.ts";
import { parseObject } from "#api/parse.ts";
import { isJsonObject, type Trail } from "#api/problem.ts";
import { list, map } from "#api/shape/collection.ts";
import { defaulted, object, optional, orEmpty, required } from "#api/shape/object.ts";
import { anything, boolean, integer, oneOf, text } from "#api/shape/scalar.ts";
import { mustBe, type Shape } from "#api/shape/shape.ts";
import type { Problem, ProblemInstanceType, ProblemNode, ProblemOffering, ProblemOptions } from "./problem.ts";

/** Fields of ours that we do not know are mistakes, so every object of the form lists all that it has. */
const complete = { complete: true };

/** The class that all NodePools of a problem name: which one it is does not matter to scheduling. */
export const standInClass = { group: "outrigger.dev", kind: "ProblemClass", name: "default" } as const;

const price: Shape<number> = (value, at, notes) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : mustBe(notes, at, "a price", value);

const resources = map(quantity);

const requirements: Shape<readonly RequirementSpec[]> = list(
  object<RequirementSpec>(
    {
      key: required(text({ min: 1 })),
      operator: required(oneOf(requirementOperators)),
      values: optional(list(text())),
      minValues: optional(integer(1)),
    },
    complete,
  ),
);

/** The peer's own switches have no effect here, and are known so that one file serves both. */
interface PeerSwitches {
  readonly concurrency?: unknown;
  readonly timeoutSeconds?: unknown;
  readonly truncateInstanceTypes?: unknown;
  readonly skipPodValidation?: unknown;
}

const options: Shape<ProblemOptions> = object<ProblemOptions & PeerSwitches>(
  {
    preferencePolicy: defaulted(oneOf(["Respect", "Ignore"]), "Respect"),
    minValuesPolicy: defaulted(oneOf(["Strict", "BestEffort"]), "Strict"),
    reservedFallback: defaulted(boolean, false),
    spotToSpotConsolidation: defaulted(boolean, false),
    wellKnownLabels: defaulted(list(text({ min: 1 })), []),
    reservationIDLabel: defaulted(text(), ""),
    markedForDeletion: defaulted(list(text({ min: 1 })), []),
    concurrency: optional(anything),
    timeoutSeconds: optional(anything),
    truncateInstanceTypes: optional(anything),
    skipPodValidation: optional(anything),
  },
  complete,
);

const offering: Shape<ProblemOffering> = object<ProblemOffering>(
  {
    zone: required(text({ min: 1 })),
    capacityType: required(text({ min: 1 })),
    price: required(price),
    available: defaulted(boolean, true),
    reservationCapacity: defaulted(integer(0), 0),
    requirements: defaulted(requirements, []),
  },
  complete,
);

const overhead: Shape<ProblemInstanceType["overhead"]> = object<ProblemInstanceType["overhead"]>(
  {
    kubeReserved: optional(resources),
    systemReserved: optional(resources),
    evictionThreshold: optional(resources),
  },
  complete,
);

const instanceType: Shape<ProblemInstanceType> = object<ProblemInstanceType>(
  {
    name: required(text({ min: 1 })),
    nodePools: defaulted(list(text({ min: 1 })), []),
    requirements: defaulted(requirements, []),
    capacity: required(resources),
    overhead: defaulted(overhead, {}),
    offerings: defaulted(list(offering), []),
  },
  complete,
);

const node: Shape<ProblemNode> = object<ProblemNode>(
  {
    name: required(text({ min: 1 })),
    nodePool: orEmpty(text()),
    instanceType: orEmpty(text()),
    zone: orEmpty(text()),
    capacityType: orEmpty(text()),
    labels: optional(map(text())),
    taints: optional(nodeTaints),
    capacity: optional(resources),
    allocatable: optional(resources),
    uninitialized: optional(boolean),
  },
  complete,
);

/** An object of a list whose kind is plain from the list, so that it may be left out. */
function ofKind<T extends KubeObject>(apiVersion: string, kind: string, shape: Shape<T>): Shape<T> {
  return (value, at, notes) =>
    isJsonObject(value) ? shape({ apiVersion, kind, ...value }, at, notes) : mustBe(notes, at, `a ${kind}`, value);
}

/** Any node class serves, and Go writes an empty list of requirements as null. */
const poolOfStandIn: Shape<NodePool> = (value, at, notes) => {
  const spec = field(value, "spec");
  const template = field(spec, "template");
  const inner = field(template, "spec");
  if (!isJsonObject(value) || !isJsonObject(spec) || !isJsonObject(template) || !isJsonObject(inner)) {
    return nodePool(value, at, notes);
  }
  const filled = { ...inner, requirements: inner.requirements ?? [], nodeClassRef: standInClass };
  const { status: _, ...rest } = value;
  return nodePool({ ...rest, spec: { ...spec, template: { ...template, spec: filled } } }, at, notes);
};

function field(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

/** Any object that scheduling may read, in full. */
const anyObject: Shape<KubeObject> = (value, at, notes) => {
  const parsed = parseObject(value);
  if (parsed.kind === "object") return parsed.object;
  if (parsed.kind === "unknown") {
    return mustBe(notes, at, "an object that scheduling reads", `${parsed.apiVersion} ${parsed.objectKind}`);
  }
  for (const { path, message } of parsed.problems) {
    const place = path.reduce<Trail | undefined>((parent, key) => ({ parent, key }), at);
    mustBe(notes, place, message.replace(/^must be /, "").replace(/; got .*$/, ""), valueAt(value, path));
  }
  return undefined;
};

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((found, key) => {
    return typeof found === "object" && found !== null ? Reflect.get(found, key) : undefined;
  }, value);
}

export const problemShape: Shape<Problem> = object<Problem>(
  {
    options: defaulted(options, {}),
    nodePools: defaulted(list(ofKind<NodePool>("karpenter.sh/v1", "NodePool", poolOfStandIn), byName()), []),
    instanceTypes: defaulted(list(instanceType, { key: ({ name }) => name }), []),
    nodes: defaulted(list(node, { key: ({ name }) => name }), []),
    pods: defaulted(list(ofKind<Pod>("v1", "Pod", pod), byName()), []),
    daemonSets: defaulted(list(ofKind<DaemonSet>("apps/v1", "DaemonSet", daemonSet), byName()), []),
    objects: defaulted(list(anyObject, { key: (one) => `${one.kind} ${nameOf(one)}` }), []),
  },
  complete,
);

function byName<T extends KubeObject>(): { readonly key: (one: T) => string } {
  return { key: nameOf };
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}
