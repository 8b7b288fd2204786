/** What the API server checks and fills in on a pod, as far as scheduling reads it. */
import { list, map } from "../shape/collection.ts";
import { defaulted, object, optional, orEmpty, required } from "../shape/object.ts";
import { boolean, int32, integer, oneOf, text } from "../shape/scalar.ts";
import { adjusted, type Shape } from "../shape/shape.ts";
import { affinity, topologySpreadConstraints } from "./affinity-validation.ts";
import { containers, initContainers, volumes } from "./container-validation.ts";
import { metaFields, podSpecFields, resourceClaimFields } from "./field-names.ts";
import type { ResourceList } from "./meta.ts";
import { annotations, labels, namespacedObject } from "./meta-validation.ts";
import { labelKeyProblem, labelValue } from "./name-validation.ts";
import type { Container, Pod, PodCondition, PodSpec, PodStatus, PodTemplateSpec } from "./pod.ts";
import { podResources, resourceList, withRequests } from "./resource-validation.ts";
import { tolerations } from "./toleration-validation.ts";

/** Kubernetes: DefaultTerminationGracePeriodSeconds. */
export const defaultTerminationGracePeriodSeconds = 30;

const gate = object({ name: required(text({ min: 1 })) }, { others: [] });
const resourceClaim = object({ name: required(text({ min: 1 })) }, { others: resourceClaimFields });

const podSpec: Shape<PodSpec> = adjusted(
  object<PodSpec>(
    {
      nodeName: orEmpty(text()),
      nodeSelector: optional(map(labelValue, { wrongKey: labelKeyProblem })),
      affinity: optional(affinity),
      tolerations: optional(tolerations),
      topologySpreadConstraints: optional(topologySpreadConstraints),
      containers: required(containers),
      initContainers: optional(initContainers),
      overhead: optional(resourceList),
      resources: optional(podResources),
      volumes: optional(volumes),
      hostNetwork: optional(boolean),
      priorityClassName: orEmpty(text()),
      priority: optional(int32),
      preemptionPolicy: orEmpty(oneOf(["PreemptLowerPriority", "Never"])),
      schedulerName: defaulted(text(), "default-scheduler"),
      schedulingGates: optional(list(gate, { key: ({ name }) => name })),
      resourceClaims: optional(list(resourceClaim, { key: ({ name }) => name })),
      terminationGracePeriodSeconds: defaulted(integer(), defaultTerminationGracePeriodSeconds),
      restartPolicy: defaulted(oneOf(["Always", "OnFailure", "Never"]), "Always"),
      runtimeClassName: orEmpty(text()),
    },
    { others: podSpecFields },
  ),
  (spec) => withPodRequests(withHostPorts(spec)),
);

export const podTemplate: Shape<PodTemplateSpec> = object<PodTemplateSpec>(
  {
    metadata: optional(
      object<NonNullable<PodTemplateSpec["metadata"]>>(
        { labels: optional(labels), annotations: optional(annotations) },
        { others: metaFields },
      ),
    ),
    spec: required(podSpec),
  },
  { others: [] },
);

/** Conditions of pods and nodes. */
export const looseConditions: Shape<readonly PodCondition[]> = list(
  object<PodCondition>({
    type: required(text()),
    status: required(oneOf(["True", "False", "Unknown"])),
    reason: optional(text()),
    message: optional(text()),
    lastTransitionTime: optional(text()),
    observedGeneration: optional(integer()),
  }),
);

const status: Shape<PodStatus> = object<PodStatus>({
  phase: orEmpty(oneOf(["Pending", "Running", "Succeeded", "Failed", "Unknown"])),
  conditions: optional(looseConditions),
  nominatedNodeName: orEmpty(text()),
  containerStatuses: optional(
    list(
      object<NonNullable<PodStatus["containerStatuses"]>[number]>({
        name: required(text()),
        allocatedResources: optional(resourceList),
      }),
    ),
  ),
  startTime: optional(text()),
  reason: optional(text()),
  message: optional(text()),
});

export const pod: Shape<Pod> = object<Pod>(
  {
    ...namespacedObject,
    spec: required(podSpec),
    status: optional(status),
  },
  { others: [] },
);

/** Kubernetes: on the host's network every container port is a port of the host. */
function withHostPorts(spec: PodSpec): PodSpec {
  if (spec.hostNetwork !== true) return spec;
  const open = (container: Container): boolean => (container.ports ?? []).some((port) => (port.hostPort ?? 0) === 0);
  const opened = (container: Container): Container =>
    open(container)
      ? {
          ...container,
          ports: (container.ports ?? []).map((port) =>
            (port.hostPort ?? 0) === 0 ? { ...port, hostPort: port.containerPort } : port,
          ),
        }
      : container;
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  if (!all.some(open)) return spec;
  return {
    ...spec,
    containers: spec.containers.map(opened),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(opened) }),
  };
}

/**
 * Kubernetes: a limit of the whole pod is its request too where neither the pod nor a container requests that resource.
 */
function withPodRequests(spec: PodSpec): PodSpec {
  const limits = spec.resources?.limits;
  if (spec.resources === undefined || limits === undefined) return spec;
  const requested = new Set(
    [...spec.containers, ...(spec.initContainers ?? [])].flatMap((one) => Object.keys(one.resources?.requests ?? {})),
  );
  const fallback: ResourceList = Object.fromEntries(Object.entries(limits).filter(([name]) => !requested.has(name)));
  const resources = withRequests(spec.resources, fallback);
  return resources === spec.resources ? spec : { ...spec, resources };
}
