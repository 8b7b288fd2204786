/**
 * Karpenter counterpart: pkg/scheduling/taints.go. No difference. The numeric operators are Kubernetes' own (KEP-5471):
 * a taint's value is compared with the toleration's as whole numbers.
 */
import type { Taint, Toleration } from "#api/core-v1/pod.ts";
import { disruptedTaintKey, unregisteredTaintKey } from "#api/karpenter-v1/labels.ts";

export const disruptedTaint: Taint = { key: disruptedTaintKey, effect: "NoSchedule" };
export const unregisteredTaint: Taint = { key: unregisteredTaintKey, effect: "NoExecute" };
export const unschedulableTaint: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Taints that a starting node has for a while. Karpenter: KnownEphemeralTaints, matched by key and effect. */
export const ephemeralTaints: readonly Taint[] = [
  { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
  { key: "node.kubernetes.io/not-ready", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" },
  { key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule", value: "true" },
  unregisteredTaint,
];
const ephemeralTaintPrefix = "readiness.k8s.io/";

/** Relaxation: as if the pod had this toleration. */
export const toleratePreferNoSchedule: Toleration = { operator: "Exists", effect: "PreferNoSchedule" };

/** The same taint, whatever its value. */
export function sameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}

export function isEphemeral(taint: Taint): boolean {
  return taint.key.startsWith(ephemeralTaintPrefix) || ephemeralTaints.some((other) => sameTaint(other, taint));
}

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false;
  const key = toleration.key ?? "";
  if (key !== "" && key !== taint.key) return false;
  switch (toleration.operator ?? "Equal") {
    case "Exists":
      return true;
    case "Equal":
      return key !== "" && (toleration.value ?? "") === (taint.value ?? "");
    case "Lt":
      return key !== "" && compareNumbers(taint.value, toleration.value) === -1;
    case "Gt":
      return key !== "" && compareNumbers(taint.value, toleration.value) === 1;
    default:
      return false;
  }
}

/** The first taint, of any effect, that nothing in `tolerations` tolerates. */
export function firstUntolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | undefined,
): Taint | undefined {
  return taints.find((taint) => !(tolerations ?? []).some((toleration) => tolerates(toleration, taint)));
}

/** As kubectl shows it: `key=value:Effect`. */
export function describeTaint(taint: Taint): string {
  const value = taint.value === undefined || taint.value === "" ? "" : `=${taint.value}`;
  return `${taint.key}${value}:${taint.effect}`;
}

/** -1, 0 or 1; undefined when one of them is no whole number in its usual form. */
function compareNumbers(a: string | undefined, b: string | undefined): -1 | 0 | 1 | undefined {
  const form = /^(0|-?[1-9]\d{0,18})$/;
  if (a === undefined || b === undefined || !form.test(a) || !form.test(b)) return undefined;
  const [x, y] = [BigInt(a), BigInt(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}
