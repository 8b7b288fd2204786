import type { JsonObject } from "#api/conversion/json-fields.ts";
import type { MigrationPorts, ShownPlan } from "#controllers/migration/migration-ports.ts";
import type { MigrationOptions } from "#controllers/migration/step.ts";
import { KubernetesCluster } from "../../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { LeaseStore } from "../../../shared/adapters/kubernetes/lease-store.ts";
import { RawObjectClient } from "../../../shared/adapters/kubernetes/raw-object-client.ts";
import { realClock } from "../../../shared/adapters/system/real-clock.ts";
import { ownCrds } from "../../support/karpenter-crds.ts";
import type { RealCluster } from "./real-cluster.ts";

/** A migration of a real control plane by its administrator, with a loop that has Karpenter's defaults. */
export function portsOf(
  { admin }: Pick<RealCluster, "admin">,
  plan: () => Promise<ShownPlan> = async () => ({ lines: [], endings: [] }),
  told: string[] = [],
): MigrationPorts {
  const saved: JsonObject[] = [];
  return {
    raw: new RawObjectClient(admin.transport),
    leases: new LeaseStore(admin.transport),
    clock: realClock,
    cluster: new KubernetesCluster(admin.transport),
    deployed: async () => ({ kind: "known", variables: {} }),
    holds: (objects) => objects.every((object) => saved.some((one) => uidOf(one) === uidOf(object))),
    save: (objects) => {
      saved.push(...objects);
      return undefined;
    },
    plan,
    tell: ({ step, state }) => {
      told.push(`${step.name} ${state.kind}`);
    },
    isStopped: () => false,
  };
}

export function optionsOf(given: Partial<MigrationOptions>): MigrationOptions {
  return { crds: ownCrds(), adoptCrds: false, acceptPlan: false, ...given };
}

function uidOf({ metadata }: JsonObject): unknown {
  return (metadata as JsonObject | undefined)?.uid;
}
