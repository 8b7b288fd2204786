import type { PodSpec } from "#api/core-v1/pod.ts";
import type { Draw } from "./pod-spec.ts";
import { taints } from "./pools.ts";
import type { RawDaemonSet } from "./raw-problem.ts";

export function daemonSets({ features, offer, random }: Draw): readonly RawDaemonSet[] {
  if (!features.has("daemons")) return [];
  return Array.from({ length: random.between(1, 3) }, (_, i) => {
    const name = `daemon-${i}`;
    const choosy = features.has("choosy-daemons") && random.chance(0.7);
    const port = features.has("host-ports") && random.chance(0.3);
    const spec: PodSpec = {
      containers: [
        {
          name: "main",
          image: "daemon",
          resources: {
            requests: { cpu: random.pick(["50m", "100m", "300m"]), memory: random.pick(["64Mi", "200Mi"]) },
          },
          ...(port ? { ports: [{ containerPort: 80, hostPort: 8080 + i, protocol: "TCP" as const }] } : {}),
        },
      ],
      ...(random.chance(0.6) ? { tolerations: [{ operator: "Exists" as const }] } : {}),
      ...(choosy ? choice({ features, offer, random }) : {}),
    };
    const labels = { daemon: name };
    return {
      metadata: { name, namespace: "kube-system" },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    };
  });
}

function choice({ offer, random }: Pick<Draw, "features" | "offer" | "random">): Partial<PodSpec> {
  const [key, values] = random.pick(Object.entries(offer.labels).filter(([, list]) => list.length > 0));
  const term = (of: string, value: string) => ({
    matchExpressions: [{ key: of, operator: "In" as const, values: [value] }],
  });
  return random.pick<Partial<PodSpec>>([
    { nodeSelector: { [key]: random.pick(values) } },
    { nodeSelector: { "kubernetes.io/arch": random.pick(offer.archs) } },
    { nodeSelector: { "karpenter.sh/initialized": "true" } },
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [term(key, random.pick(values)), term("kubernetes.io/arch", random.pick(offer.archs))],
          },
        },
      },
    },
    { tolerations: [{ key: random.pick(taints).key, operator: "Exists" }] },
  ]);
}
