/**
 * Karpenter counterpart: pkg/providers/instancetype/types.go, kubeReservedResources and evictionThreshold. No
 * difference; soft eviction thresholds do not count there either.
 */
import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { quantityToInteger } from "#api/quantity.ts";
import type { Resources } from "#core/instance-type.ts";
import type { CatalogueType } from "./catalogue.ts";
import type { FamilyRules } from "./family-rules.ts";
import { eniPods } from "./pod-density.ts";

const mib = 1_048_576;
const gib = 1_024 * mib;

/** EKS: share of the n-th core that the kubelet keeps, in milli-CPU a core. */
const reservedCpuSlices: readonly {
  readonly fromCore: number;
  readonly toCore: number;
  readonly millisPerCore: number;
}[] = [
  { fromCore: 0, toCore: 1, millisPerCore: 60 },
  { fromCore: 1, toCore: 2, millisPerCore: 10 },
  { fromCore: 2, toCore: 4, millisPerCore: 5 },
  { fromCore: 4, toCore: Number.POSITIVE_INFINITY, millisPerCore: 2.5 },
];

/** capacity − kube-reserved − system-reserved − hard eviction thresholds, never below 0. */
export function allocatableOf(
  capacity: Resources,
  type: CatalogueType,
  spec: EC2NodeClassSpec,
  rules: FamilyRules,
): Resources {
  const overheads = [
    kubeReserved(capacity, type, spec, rules),
    systemReserved(spec),
    evictionThreshold(capacity, spec),
  ];
  return Object.fromEntries(
    Object.entries(capacity).map(([name, amount]) => {
      const kept = overheads.reduce((sum, overhead) => sum + (overhead[name] ?? 0), 0);
      return [name, Math.max(amount - kept, 0)];
    }),
  );
}

export function kubeReserved(
  capacity: Resources,
  type: CatalogueType,
  spec: EC2NodeClassSpec,
  rules: FamilyRules,
): Resources {
  // Reserved interfaces do not lower this figure: it errs to the side of too much.
  const pods = rules.reservedMemoryByEni ? eniPods(type, 0, spec.networkInterfaces ?? []) : (capacity.pods ?? 0);
  return {
    cpu: reservedCpuMillis(type.vcpus),
    memory: (11 * pods + 255) * mib,
    "ephemeral-storage": gib,
    ...integers(spec.kubelet?.kubeReserved),
  };
}

export function reservedCpuMillis(vcpus: number): number {
  return reservedCpuSlices.reduce((sum, { fromCore, toCore, millisPerCore }) => {
    const cores = Math.max(Math.min(vcpus, toCore) - fromCore, 0);
    return sum + Math.floor(cores * millisPerCore);
  }, 0);
}

function systemReserved(spec: EC2NodeClassSpec): Resources {
  return integers(spec.kubelet?.systemReserved);
}

export function evictionThreshold(capacity: Resources, spec: EC2NodeClassSpec): Resources {
  const hard = spec.kubelet?.evictionHard ?? {};
  const storage = capacity["ephemeral-storage"] ?? 0;
  return {
    memory: signal("memory", hard["memory.available"], capacity.memory ?? 0) ?? 100 * mib,
    "ephemeral-storage":
      signal("ephemeral-storage", hard["nodefs.available"], storage) ?? Math.ceil((storage * 10) / 100),
  };
}

/** A quantity, or a percentage of the capacity, rounded up; "100%" switches the signal off. */
function signal(resource: string, text: string | undefined, capacity: number): number | undefined {
  if (text === undefined) return undefined;
  if (!text.endsWith("%")) return quantityToInteger(resource, text, "up");
  const percent = Number(text.slice(0, -1));
  if (!Number.isFinite(percent) || percent < 0) return undefined;
  return percent === 100 ? 0 : Math.ceil((capacity * percent) / 100);
}

function integers(quantities: Readonly<Record<string, string>> | undefined): Record<string, number> {
  const amounts: Record<string, number> = {};
  for (const [name, text] of Object.entries(quantities ?? {})) {
    const amount = quantityToInteger(name, text, "up");
    if (amount !== undefined) amounts[name] = amount;
  }
  return amounts;
}
