import type { EC2Client } from "@aws-sdk/client-ec2";
import type { Instance } from "#core/instance.ts";
import type { CloudObservation } from "#core/snapshot.ts";
import type { Ec2Query, Ec2View, FilterQuery } from "#ec2/view.ts";
import type { CatalogueStore } from "./catalogue-store.ts";
import type { AwsClients } from "./clients.ts";
import { readClusterFacts, readOwnTemplates } from "./cluster-reads.ts";
import { tryDryRun } from "./dry-runs.ts";
import { faultOf } from "./fault-table.ts";
import { readImages, readParameters } from "./image-reads.ts";
import { readOwnProfiles } from "./instance-profiles.ts";
import { readInstances, readStatuses } from "./instance-reads.ts";
import { readCapacityReservations, readPlacementGroups, readSecurityGroups, readSubnets } from "./network-reads.ts";
import type { ReadCache } from "./read-cache.ts";

/** Karpenter: one minute for what selectors stand for; a day for AWS's parameters, five minutes for a user's own. */
const selectorKeptMs = 60_000;
const publishedParameterKeptMs = 30 * 60_000;
const ownParameterKeptMs = 5 * 60_000;
const statusKeptMs = 60_000;
const inventoryKeptMs = 10 * 60_000;
const dryRunKeptMs = 30 * 60_000;

export interface Reader {
  readonly clients: AwsClients["reading"];
  /** For calls that are tried and not made; never repeated. */
  readonly dryRunner: EC2Client;
  readonly cache: ReadCache;
  readonly catalogue: CatalogueStore | undefined;
  readonly clusterName: string;
  readonly region: string;
}

/** What one look lacks: parts that failed for now, and questions that were refused for good. */
class Gaps {
  readonly incomplete = new Set<string>();
  readonly refusals: Record<string, string> = {};

  /** `ask()`, or undefined with the gap written down. A refusal for good is no gap: it is answered in words. */
  async of<Answer>(part: string, question: string, ask: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await ask();
    } catch (error) {
      const { kind, code, message } = faultOf(error);
      if (kind === "throttled" || kind === "unavailable") this.incomplete.add(part);
      else this.refusals[question] = `${code}: ${message}`;
      return undefined;
    }
  }
}

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
    ]),
  ]);
  const [dryRuns, statuses, ownTemplates, clusterFacts] = extras;
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
      ...(Object.keys(gaps.refusals).length === 0 ? {} : { refusals: gaps.refusals }),
    },
  };
}

const optionalParts: readonly string[] = ["dryRuns", "statuses", "ownTemplates", "clusterFacts", "ownProfiles"];

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

async function networkOf(query: Ec2Query, { clients: { ec2 }, cache }: Reader, gaps: Gaps) {
  const answers = async <Found>(
    part: string,
    queries: readonly FilterQuery[],
    read: (client: typeof ec2, each: FilterQuery) => Promise<readonly Found[]>,
  ): Promise<Readonly<Record<string, readonly Found[]>>> => {
    const rows = await Promise.all(
      queries.map(async (each) => {
        const ask = () => cache.get(`${part} ${each.key}`, selectorKeptMs, () => read(ec2, each));
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
    answers("subnets", query.subnets, readSubnets),
    answers("securityGroups", query.securityGroups, readSecurityGroups),
    answers("capacityReservations", query.capacityReservations ?? [], readCapacityReservations),
    answers("placementGroups", query.placementGroups ?? [], readPlacementGroups),
  ]);
  return { subnets, securityGroups, capacityReservations, placementGroups };
}

async function imagesOf({ parameters: names, images: queries }: Ec2Query, { clients, cache }: Reader, gaps: Gaps) {
  const published = names.filter((name) => name.startsWith("/aws/service/"));
  const own = names.filter((name) => !published.includes(name));
  const ask = (some: readonly string[], keptMs: number) =>
    cache.get(`parameters ${some.join(" ")}`, keptMs, () => readParameters(clients.ssm, some));
  // A parameter of the user's own may be one that we may not read: it is asked for alone.
  const groups = [
    ...(published.length === 0 ? [] : [{ some: published, keptMs: publishedParameterKeptMs }]),
    ...own.map((name) => ({ some: [name], keptMs: ownParameterKeptMs })),
  ];
  const answers = await Promise.all(
    groups.map(({ some, keptMs }) => gaps.of("parameters", some[0] ?? "", () => ask(some, keptMs))),
  );
  const parameters: Readonly<Record<string, string>> = Object.assign({}, ...answers);
  if (gaps.incomplete.has("parameters")) return { parameters, images: {} };
  const rows = await Promise.all(
    queries.map(async (query) => {
      const values = JSON.stringify(parameters);
      const read = () => readImages(clients.ec2, query, parameters);
      const found = await gaps.of("images", query.key, () =>
        cache.get(`images ${query.key} ${values}`, selectorKeptMs, read),
      );
      return found !== undefined
        ? [[query.key, found] as const]
        : gaps.refusals[query.key] !== undefined
          ? [[query.key, []] as const]
          : [];
    }),
  );
  return { parameters, images: Object.fromEntries(rows.flat()) };
}

/** A verdict holds for half an hour, or until what is tried changes. Karpenter: the validation's cache. */
async function dryRunsOf({ dryRuns = [] }: Ec2Query, { cache, dryRunner }: Reader, gaps: Gaps) {
  const rows = await Promise.all(
    dryRuns.map(async (dryRun) => {
      const ask = () => cache.get(`dry run ${dryRun.key}`, dryRunKeptMs, () => tryDryRun(dryRunner, dryRun));
      const answer = await gaps.of("dryRuns", `dry run ${dryRun.key}`, ask);
      return answer === undefined ? [] : [[dryRun.key, answer] as const];
    }),
  );
  return Object.fromEntries(rows.flat());
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
