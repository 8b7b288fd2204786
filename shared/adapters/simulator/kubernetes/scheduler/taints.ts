/**
 * An oracle: taints and tolerations, written from Kubernetes' rules and apart from
 * shared/core/scheduling/requirements/taints.ts on purpose: here is what happens to a plan, so that a mistake of either shows.
 */
import type { Pod, Taint, Toleration } from "#api/core-v1/pod.ts";

/** Kubernetes: a toleration without key tolerates every key when its operator is Exists; without effect, every effect. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false;
  const operator = toleration.operator ?? "Equal";
  if (toleration.key === undefined || toleration.key === "") return operator === "Exists";
  if (toleration.key !== taint.key) return false;
  switch (operator) {
    case "Exists":
      return true;
    case "Equal":
      return (toleration.value ?? "") === (taint.value ?? "");
    case "Gt":
      return compares(taint.value, toleration.value, (value, bound) => value > bound);
    case "Lt":
      return compares(taint.value, toleration.value, (value, bound) => value < bound);
  }
}

/** The first taint with one of these effects that the pod does not tolerate. */
export function untolerated(
  pod: Pod,
  taints: readonly Taint[],
  effects: readonly Taint["effect"][] = ["NoSchedule", "NoExecute"],
): Taint | undefined {
  const tolerations = pod.spec.tolerations ?? [];
  return taints.find((taint) => effects.includes(taint.effect) && !tolerations.some((t) => tolerates(t, taint)));
}

function compares(
  value: string | undefined,
  bound: string | undefined,
  holds: (value: number, bound: number) => boolean,
): boolean {
  const whole = /^[+-]?\d+$/;
  if (value === undefined || bound === undefined || !whole.test(value) || !whole.test(bound)) return false;
  return holds(Number(value), Number(bound));
}
