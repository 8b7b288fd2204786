import type { Pod, PodCondition } from "#api/core-v1/pod.ts";
import { formatTime } from "#api/time.ts";
import { type Answer, conflict } from "./answer.ts";
import { type ApiServer, asJson } from "./api-server.ts";
import { type DeleteOptions, deletionRefusal } from "./deletion.ts";
import { decideEviction } from "./eviction.ts";

/** The binding subresource: gives a pod its node, once. */
export function bindPod(api: ApiServer, pod: Pod, nodeName: string): Answer {
  const { name, namespace, uid } = pod.metadata;
  const found = api.get("Pod", name, namespace);
  if (found.kind === "refused") return found;
  const current = found.object;
  if (current.metadata.uid !== uid) return conflict("pods", name, `the binding is for UID ${uid}`);
  if (current.metadata.deletionTimestamp !== undefined) return conflict("pods", name, "the pod is being deleted");
  if (current.spec.nodeName !== undefined) return conflict("pods", name, `it is assigned to ${current.spec.nodeName}`);
  const conditions = withCondition(current, { type: "PodScheduled", status: "True" }, api);
  return api.patch(
    "Pod",
    name,
    namespace,
    { spec: { nodeName }, status: { conditions: asJson(conditions) } },
    "binding",
  );
}

/** The eviction subresource: 201 when the pod's deletion has begun, 429 when a budget refuses, 409 on another UID. */
export function evictPod(
  api: ApiServer,
  namespace: string | undefined,
  name: string,
  options: DeleteOptions = {},
): Answer {
  const found = api.get("Pod", name, namespace);
  if (found.kind === "refused") return found;
  const refused = deletionRefusal("pods", found.object, options);
  if (refused !== undefined) return refused;
  const decision = decideEviction(found.object, api.store, api.clock.nowMs());
  if (decision.kind === "refused") return decision;
  const { charge, chargedStatus } = decision;
  if (charge !== undefined && chargedStatus !== undefined) {
    api.patchStatus("PodDisruptionBudget", charge.metadata.name, charge.metadata.namespace, asJson(chargedStatus));
  }
  const answer = disruptPod(api, found.object, "EvictionByEvictionAPI", options);
  return answer.kind === "refused" ? answer : { ...answer, code: 201 };
}

/** Deletes a pod after its DisruptionTarget condition says who wanted it, as eviction and taint manager do. */
export function disruptPod(api: ApiServer, pod: Pod, reason: string, options: DeleteOptions = {}): Answer {
  const { name, namespace, uid } = pod.metadata;
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason,
    message: "the pod is to leave its node",
  } as const;
  const conditions = withCondition(pod, condition, api);
  api.patch("Pod", name, namespace, { status: { conditions: asJson(conditions) } }, "status");
  return api.delete("Pod", name, namespace, { ...(uid === undefined ? {} : { uid }), ...options });
}

function withCondition(pod: Pod, condition: PodCondition, api: ApiServer): readonly PodCondition[] {
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== condition.type);
  return [...others, { ...condition, lastTransitionTime: formatTime(api.clock.nowMs()) }];
}
