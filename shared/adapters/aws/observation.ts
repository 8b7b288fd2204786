import type { Instance } from "#core/instance.ts";
import type { CloudObservation } from "#core/snapshot.ts";
import type { DryRun, Ec2Query, Ec2View, FilterQuery } from "#ec2/view.ts";
import { readClusterFacts, readNodeRoles, readOwnTemplates } from "./cluster-reads.ts";
import { tryDryRun, tryFleetDryRun } from "./dry-runs.ts";
import { Gaps } from "./gaps.ts";
import { imagesOf } from "./image-answers.ts";
import { readOwnProfiles } from "./instance-profiles.ts";
import { readInstances, readStatuses } from "./instance-reads.ts";
import { readCapacityReservations, readPlacementGroups, readSecurityGroups, readSubnets } from "./network-reads.ts";
import { type Reader, selectorKeptMs } from "./reader.ts";

const statusKeptMs = 60_000;
const inventoryKeptMs = 10 * 60_000;
/** Who mends an access entry waits for it. */
const nodeRolesKeptMs = 2 * 60_000;
const dryRunKeptMs = 30 * 60_000;

/** All reads of a tick, side by side; images wait for the parameters that name them. */
export async function observeAws(query: Ec2Query, reader: Reader): Promise<CloudObservation<Ec2View>> {
  const gaps = new Gaps();
  const { clients, clusterName } = reader;
  const [instances, catalogue, network, images, profiles, extras] = await Promise.all([
    instancesOf(reader, gaps),
    reader.catalogue === undefined ? undefined : gaps.of("catalogue", "catalogue", reader.catalogue.read),
    networkOf(query, reader, gaps),
    imagesOf(query, reader, gaps),
    profilesOf(query, reader, gaps),
    Promise.all([
      dryRunsOf(query, reader, gaps),
      kept(reader, gaps, "statuses", statusKeptMs, () => readStatuses(clients.ec2)),
      kept(reader, gaps, "ownTemplates", inventoryKeptMs, () => readOwnTemplates(clients.ec2, clusterName)),
      kept(reader, gaps, "clusterFacts", inventoryKeptMs, () => readClusterFacts(clients.eks, clusterName)),
      nodeRolesOf(query, reader, gaps),
    ]),
  ]);
  const [dryRuns, statuses, ownTemplates, clusterFacts, nodeRoles] = extras;
  return {
    instances,
    // What only adds to a decision is no reason to stop others.
    incomplete: [...gaps.incomplete].filter((part) => !optionalParts.includes(part)).sort(),
    view: {
      ...(catalogue === undefined ? {} : { catalogue }),
      ...network,
      ...images,
      ...profiles,
      dryRuns,
      ...(statuses === undefined ? {} : { statuses }),
      ...(ownTemplates === undefined ? {} : { ownTemplates }),
      ...(clusterFacts === undefined ? {} : { clusterFacts }),
      ...(nodeRoles === undefined ? {} : { nodeRoles }),
      ...(Object.keys(gaps.refusals).length === 0 ? {} : { refusals: gaps.refusals }),
    },
  };
}

const optionalParts: readonly string[] = [
  "dryRuns",
  "statuses",
  "ownTemplates",
  "clusterFacts",
  "nodeRoles",
  "ownProfiles",
];

/** Never from memory: adoption and collection judge by it. A refusal is a gap too, since nothing may follow from it. */
async function instancesOf({ clients, clusterName }: Reader, gaps: Gaps): Promise<readonly Instance[]> {
  const found = await gaps.of("instances", "instances", () => readInstances(clients.ec2, clusterName));
  if (found === undefined) gaps.incomplete.add("instances");
  return found ?? [];
}

function kept<Answer>(
  { cache }: Reader,
  gaps: Gaps,
  part: string,
  keptMs: number,
  ask: () => Promise<Answer>,
): Promise<Answer | undefined> {
  return gaps.of(part, part, () => cache.get(part, keptMs, ask));
}

async function networkOf(query: Ec2Query, { clients: { ec2 }, cache, refresh }: Reader, gaps: Gaps) {
  const answers = async <Found>(
    part: string,
    queries: readonly FilterQuery[],
    read: (client: typeof ec2, each: FilterQuery) => Promise<readonly Found[]>,
    keptMs = selectorKeptMs,
  ): Promise<Readonly<Record<string, readonly Found[]>>> => {
    const rows = await Promise.all(
      queries.map(async (each) => {
        const ask = () => cache.get(`${part} ${each.key}`, keptMs, () => read(ec2, each));
        const found = await gaps.of(part, each.key, ask);
        // What EC2 refuses for good (an id that is none) stands for nothing.
        return found !== undefined
          ? [[each.key, found] as const]
          : gaps.refusals[each.key] !== undefined
            ? [[each.key, []] as const]
            : [];
      }),
    );
    return Object.fromEntries(rows.flat());
  };
  const [subnets, securityGroups, capacityReservations, placementGroups] = await Promise.all([
    answers("subnets", query.subnets, readSubnets, refresh.subnetsMs),
    answers("securityGroups", query.securityGroups, readSecurityGroups),
    answers("capacityReservations", query.capacityReservations ?? [], readCapacityReservations),
    answers("placementGroups", query.placementGroups ?? [], readPlacementGroups),
  ]);
  return { subnets, securityGroups, capacityReservations, placementGroups };
}

/** A verdict holds for half an hour, or until what is tried changes. Karpenter: the validation's cache. */
async function dryRunsOf({ dryRuns = [] }: Ec2Query, { cache, dryRunner }: Reader, gaps: Gaps) {
  const rows = await Promise.all(
    dryRuns.map(async (dryRun) => {
      const ask = () => cache.get(`dry run ${dryRun.key}`, dryRunKeptMs, () => tryDryRun(dryRunner, dryRun));
      const answer = await gaps.of("dryRuns", `dry run ${dryRun.key}`, ask);
      if (answer?.kind !== "allowed") return answer === undefined ? [] : [[dryRun.key, answer] as const];
      const fleet = await gaps.of("dryRuns", `fleet ${dryRun.key}`, () => fleetDryRunOf(dryRun, cache, dryRunner));
      return [[dryRun.key, fleet ?? answer] as const];
    }),
  );
  return Object.fromEntries(rows.flat());
}

/** Kept like the others, once its template was there. */
async function fleetDryRunOf(dryRun: DryRun, cache: Reader["cache"], dryRunner: Reader["dryRunner"]) {
  const question = `fleet dry run ${dryRun.key}`;
  const answer = await cache.get(question, dryRunKeptMs, () => tryFleetDryRun(dryRunner, dryRun));
  if (answer === undefined) cache.forget(question);
  return answer;
}

/** A cluster whose access entries may not be read is taken to know its roles. */
async function nodeRolesOf({ roles }: Ec2Query, { clients, cache, clusterName }: Reader, gaps: Gaps) {
  if (roles.length === 0) return undefined;
  const read = () => readNodeRoles(clients.eks, clusterName, roles);
  return gaps.of("nodeRoles", "nodeRoles", () => cache.get(`node roles ${roles.join(" ")}`, nodeRolesKeptMs, read));
}

/** IAM is asked only where a class names a role: a VPC without a way to it needs `instanceProfile`, and is told so. */
async function profilesOf({ roles }: Ec2Query, { clients, cache, clusterName, region }: Reader, gaps: Gaps) {
  if (roles.length === 0) return { instanceProfiles: {}, ownProfiles: [] };
  const read = () => readOwnProfiles(clients.iam, profilePath(region, clusterName));
  const ownProfiles = await gaps.of("ownProfiles", "instanceProfiles", () =>
    cache.get("profiles", inventoryKeptMs, read),
  );
  if (ownProfiles === undefined) {
    gaps.refusals.instanceProfiles ??= "IAM could not be reached";
    return { instanceProfiles: {} };
  }
  const instanceProfiles: Record<string, string> = {};
  for (const { role, name } of ownProfiles)
    if (role !== undefined && roles.includes(role)) instanceProfiles[role] ??= name;
  return { instanceProfiles, ownProfiles };
}

/** Karpenter's path since 1.7, so that either product finds and collects the profiles of a handed-over cluster. */
export function profilePath(region: string, clusterName: string): string {
  return `/karpenter/${region}/${clusterName}/`;
}
