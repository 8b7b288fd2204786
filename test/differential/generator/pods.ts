import type { Container, PodSpec } from "#api/core-v1/pod.ts";
import { affinity, type Draw, nodeSelector, spreads, tolerations } from "./pod-spec.ts";
import type { Random } from "./random.ts";
import type { RawPod } from "./raw-problem.ts";

/** Pods that are written alike, as one workload makes them. */
export interface App {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
}

const cpus = ["50m", "100m", "250m", "500m", "1", "1500m", "2", "3500m"];
const memories = ["64Mi", "128Mi", "256Mi", "512Mi", "1Gi", "2Gi", "4Gi", "6Gi"];

export function app(name: string, draw: Draw): App {
  const { random, features, namespaces } = draw;
  const labels = { app: name, version: random.pick(["v1", "v2"]) };
  const rules = affinity(draw, labels);
  const constraints = spreads(draw, name);
  const tolerated = tolerations(draw);
  const selector = nodeSelector(draw);
  const extra = features.has("odd-requests") ? oddRequests(random) : {};
  const spec: PodSpec = {
    containers: [container(draw, features.has("host-ports") && random.chance(0.4))],
    ...(selector === undefined ? {} : { nodeSelector: selector }),
    ...(rules === undefined ? {} : { affinity: rules }),
    ...(constraints.length === 0 ? {} : { topologySpreadConstraints: constraints }),
    ...(tolerated.length === 0 ? {} : { tolerations: tolerated }),
    ...extra,
  };
  const namespace = features.has("namespaces") ? random.pick(namespaces) : "default";
  return { name, namespace, labels, spec };
}

function container({ features, random, offer, scale }: Draw, withPort: boolean): Container {
  const device =
    features.has("devices") && random.chance(0.4) ? { [offer.deviceResource]: String(random.between(1, 2)) } : {};
  const port = random.pick([
    { containerPort: 80, hostPort: 8080, protocol: "TCP" },
    { containerPort: 80, hostPort: 8080, protocol: "UDP" },
    { containerPort: 81, hostPort: 8081, protocol: "TCP", hostIP: "10.0.0.1" },
    { containerPort: 81, hostPort: 8081, protocol: "TCP" },
  ] as const);
  const storage = features.has("odd-requests") && random.chance(0.3) ? { "ephemeral-storage": "3Gi" } : {};
  // Devices are requested as a limit too, since the API server wants both to be equal.
  const limits = Object.keys(device).length === 0 ? {} : { limits: device };
  return {
    name: "main",
    image: "app",
    resources: {
      requests: {
        cpu: random.pick(cpus.slice(...scale)),
        memory: random.pick(memories.slice(...scale)),
        ...storage,
        ...device,
      },
      ...limits,
    },
    ...(withPort ? { ports: [port] } : {}),
  };
}

function oddRequests(random: Random): Partial<PodSpec> {
  const init = (name: string, cpu: string, always: boolean): Container => ({
    name,
    image: "init",
    resources: { requests: { cpu, memory: "256Mi" } },
    ...(always ? { restartPolicy: "Always" } : {}),
  });
  return random.pick<Partial<PodSpec>>([
    {},
    { initContainers: [init("prepare", "3", false)] },
    { initContainers: [init("proxy", "250m", true), init("prepare", "2", false)] },
    { initContainers: [init("prepare", "2", false), init("proxy", "500m", true)] },
    { overhead: { cpu: "250m", memory: "120Mi" } },
    { resources: { requests: { cpu: "2500m", memory: "5Gi" } } },
  ]);
}

/** `index` makes the name unique; so many minutes old. */
export function podOf(one: App, index: number, ageMinutes: number): RawPod {
  const created = new Date(Date.UTC(2026, 0, 1, 11) - ageMinutes * 60_000).toISOString().replace(".000Z", "Z");
  return {
    metadata: {
      name: `${one.name}-${index}`,
      namespace: one.namespace,
      labels: one.labels,
      creationTimestamp: created,
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: one.name, uid: `rs-${one.name}`, controller: true },
      ],
    },
    spec: one.spec,
  };
}
