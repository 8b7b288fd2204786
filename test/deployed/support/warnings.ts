import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { partName } from "#aws/part-name.ts";
import type { AnnouncedKind } from "../../support/aws/stand-in.ts";
import type { DeployedFunctions } from "./deployed-functions.ts";

/** The five kinds of messages that rules let in. */
export const notices = [
  ["spot-interruption"],
  ["rebalance-recommendation"],
  ["state-change", "stopping"],
  ["scheduled-change"],
  ["capacity-reservation-interruption"],
] as const satisfies readonly (readonly [AnnouncedKind, string?])[];
/** What ends a node, and the event that says so. */
export const ends = [
  { kind: "state-change", state: "stopping", reason: "InstanceStopping" },
  { kind: "scheduled-change", state: undefined, reason: "InstanceUnhealthy" },
  { kind: "capacity-reservation-interruption", state: undefined, reason: "CapacityReservationInstanceInterrupted" },
] as const;

/** An event of EventBridge as the function of interruptions got it from its queue. */
interface Delivery {
  readonly "detail-type": string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** The function has acknowledged the whole batch. */
  readonly isTaken: boolean;
}

/** What has been delivered so far about an instance, each as often as it was. */
export function deliveriesAbout(id: string, { told }: DeployedFunctions, cluster: string): readonly Delivery[] {
  return told
    .filter(({ functionName }) => functionName === partName(cluster, "interruption"))
    .flatMap(({ event, ended }) =>
      (event as { readonly Records: readonly { readonly body: string }[] }).Records.map(({ body }) => ({
        ...(JSON.parse(body) as Omit<Delivery, "isTaken">),
        isTaken: ended.kind === "answered" && JSON.stringify(ended.answer) === '{"batchItemFailures":[]}',
      })),
    )
    .filter(({ detail }) => JSON.stringify(detail).includes(id));
}

/** Name, instance and UID of each claim that is to stay, in the order of their names. */
export async function stayingClaims(world: {
  readonly claims: () => Promise<readonly NodeClaim[]>;
}): Promise<readonly (readonly [string, string, string])[]> {
  return (await world.claims())
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata: { name, uid = "" }, status }): readonly [string, string, string] => [
      name,
      status?.providerID?.split("/").at(-1) ?? "",
      uid,
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
