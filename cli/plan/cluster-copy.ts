/**
 * A look at a running cluster and at its account. What the stages would write goes into a copy in memory: an API server
 * of the simulator that holds what was read, without controllers.
 */

import type { KubeObject } from "#api/core-v1/meta.ts";
import { stateName, stateNamespace } from "#api/outrigger-names.ts";
import type { Budget } from "#core/scheduling/improvement/budget.ts";
import type { Settings } from "#core/settings.ts";
import type { ClusterView } from "#core/snapshot.ts";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import type { Cloud } from "#ports/cloud.ts";
import type { Cluster } from "#ports/cluster.ts";
import { ApiServer } from "#simulator/kubernetes/api-server/api-server.ts";
import { ClusterClient } from "#simulator/kubernetes/cluster-client.ts";
import { VirtualClock } from "#simulator/virtual-clock.ts";
import { decide, type Look, seed } from "./decide.ts";

/** `observeCloud` reads the account; nothing is written to it. */
export function lookAtView(
  view: ClusterView,
  observeCloud: Cloud<Ec2Query, Ec2View>["observe"],
  settings: Settings,
  nowMs: number,
  budget?: Budget,
): Promise<Look> {
  const clock = new VirtualClock(nowMs);
  const api = new ApiServer({ clock, seed });
  const kinds = new Map(api.kinds().map((kind) => [kind.kind, kind]));
  for (const object of objectsOf(view)) {
    const kind = kinds.get(object.kind);
    if (kind !== undefined) api.store.put(kind, object);
  }
  const client = new ClusterClient(api);
  const { problems, unsupported } = view;
  const cluster: Cluster = {
    observe: async (scope) => ({ ...(await client.observe(scope)), problems, unsupported }),
    apply: client.apply,
    nextChange: client.nextChange,
  };
  const cloud: Cloud<Ec2Query, Ec2View> = { observe: observeCloud, apply: async () => ({ kind: "done" }) };
  return decide({ cluster, cloud, clock }, settings, api, "real", budget);
}

function objectsOf({ state, problems: _, unsupported: __, ...lists }: ClusterView): readonly KubeObject[] {
  const metadata = { name: stateName, namespace: stateNamespace };
  const stored = { apiVersion: "v1", kind: "ConfigMap", metadata, data: state };
  return [...Object.values(lists).flat(), stored];
}
