/** What the upgrade guide has people check by hand, one check a line. */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { capacityTypeLabel, instanceTypeLabel, nodePoolLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { conditionOf } from "#core/condition.ts";
import { isManagedClaim, isManagedPool } from "#core/nodeclaim/managed.ts";
import { isOwnedByDaemonSet } from "#core/pod/pod-predicates.ts";
import { requirementsOf } from "#core/scheduling/requirements/requirements.ts";
import type { ClusterView } from "#core/snapshot.ts";
import { ec2NodeClassesOf } from "#ec2/node-class/node-class.ts";
import { ec2Provider } from "#ec2/provider.ts";
import { nodeStartUps, podStartUps, type StartUpTimes } from "./start-up-times.ts";
import type { TestOutcome } from "./test-pod.ts";

export interface Check {
  readonly name: string;
  readonly passed: boolean;
  /** What is so. */
  readonly found: string;
  /** How it passes; "" when it does. */
  readonly fix: string;
}

/** Whether EC2's warnings reach a function; a text says why that cannot be seen. */
export type Interruptions = "on" | "off" | { readonly unknown: string };

type Answer = Omit<Check, "name">;

const namedMax = 3;
const testWorkload = "--yes, with --kubeconfig, starts a pod on a new node and looks while it runs";

/** The workload that the command itself started, by `namespace/name`; none: why not. */
export type TestedWorkload =
  | ({ readonly name: string; readonly pool: string; readonly nodesBefore: readonly string[] } & TestOutcome)
  | { readonly kind: "none"; readonly isLive: boolean; readonly pool: string | undefined };

export function afterUpgrade(
  cluster: ClusterView,
  interruptions: Interruptions,
  tested: TestedWorkload = { kind: "none", isLive: false, pool: undefined },
): readonly Check[] {
  const claims = cluster.nodeClaims.filter((claim) => isManagedClaim(claim, ec2Provider.nodeClass));
  const classes = ec2NodeClassesOf(cluster);
  const checks: Readonly<Record<string, Answer>> = {
    "test workload": workload(cluster, claims, tested),
    nodeclaims: ready(claims),
    IMDSv2: tokens(classes),
    "pinned alias": aliases(classes),
    "interruption handling": handling(interruptions),
    spot: spot(cluster, claims),
    "tags for cost allocation": tags(classes),
    "start-up of nodes": startUp(nodeStartUps(claims), "nodes"),
    "start-up of pods": startUp(podStartUps(cluster.pods, claims), "pods that waited for a node"),
  };
  return Object.entries(checks).map(([name, answer]) => ({ name, ...answer }));
}

function passed(found: string): Answer {
  return { passed: true, found, fix: "" };
}

function failed(found: string, fix: string): Answer {
  return { passed: false, found, fix };
}

function named(names: readonly string[]): string {
  const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : "";
  return `${names.slice(0, namedMax).join(", ")}${more}`;
}

function workload({ pods }: ClusterView, claims: readonly NodeClaim[], tested: TestedWorkload): Answer {
  if (tested.kind === "ran") {
    const { name, node, pool, seconds, nodesBefore } = tested;
    const which = nodesBefore.includes(node) ? `node ${node}, which was there and empty,` : `the new node ${node}`;
    return passed(`pod ${name} ran on ${which} of NodePool ${pool} after ${seconds} s, and is removed`);
  }
  if (tested.kind === "failed") {
    return failed(
      `${tested.name} on NodePool ${tested.pool}: ${tested.found}; it is removed`,
      `kubectl get events -n default; outrigger explain nodepool ${tested.pool} says what stands in the way`,
    );
  }
  const nodes = new Set(claims.map(({ status }) => status?.nodeName));
  const running = pods.filter(
    (pod) => nodes.has(pod.spec.nodeName) && !isOwnedByDaemonSet(pod) && pod.status?.phase === "Running",
  );
  if (running.length > 0) return passed(`pods on nodes of NodeClaims: ${running.length} run`);
  const found = "no pod but those of DaemonSets runs on a node of a NodeClaim";
  if (!tested.isLive) return failed(found, testWorkload);
  return tested.pool === undefined
    ? failed(`${found}, and no NodePool is Ready`, "kubectl describe nodepools says what they wait for")
    : failed(found, `--yes starts one on a new node of NodePool ${tested.pool}, looks while it runs, and removes it`);
}

function ready(claims: readonly NodeClaim[]): Answer {
  if (claims.length === 0) return failed("there is no NodeClaim", testWorkload);
  const unready = claims.flatMap((claim) => {
    const condition = conditionOf(claim, "Ready");
    return condition?.status === "True" ? [] : [`${claim.metadata.name} (${condition?.message || "not Ready"})`];
  });
  if (unready.length > 0) return failed(`not Ready: ${named(unready)}`, "outrigger explain nodeclaim NAME says why");
  const bare = claims.filter(
    ({ metadata, status }) =>
      status?.nodeName === undefined ||
      [instanceTypeLabel, capacityTypeLabel, zoneLabel].some((label) => metadata.labels?.[label] === undefined),
  );
  if (bare.length === 0)
    return passed(`NodeClaims: ${claims.length}, all Ready, each with type, capacity, zone and node`);
  const names = named(bare.map(({ metadata }) => metadata.name));
  return failed(
    `without type, capacity, zone or node: ${names}`,
    "kubectl get nodeclaims -o wide; outrigger explain nodeclaim NAME",
  );
}

function tokens(classes: readonly EC2NodeClass[]): Answer {
  const open = classes.filter(({ spec }) => (spec.metadataOptions?.httpTokens ?? "required") !== "required");
  if (open.length === 0) return passed("every node class takes IMDSv2 alone");
  return failed(
    `IMDSv1 is open: ${nameAll(open)}`,
    "spec.metadataOptions.httpTokens: required; nodes drift and are replaced",
  );
}

function aliases(classes: readonly EC2NodeClass[]): Answer {
  const moving = classes.filter(({ spec }) =>
    spec.amiSelectorTerms.some(({ alias }) => alias?.endsWith("@latest") === true),
  );
  if (moving.length === 0) return passed("no alias moves by itself");
  return failed(
    `@latest: ${nameAll(moving)}`,
    "write the version that its nodes run, as al2023@v20250101, before the next image comes out",
  );
}

function nameAll(classes: readonly EC2NodeClass[]): string {
  return named(classes.map(({ metadata }) => `EC2NodeClass/${metadata.name}`));
}

function handling(interruptions: Interruptions): Answer {
  if (interruptions === "on") return passed("EC2's warnings reach the function");
  const fix = "npx cdk deploy makes the queue, its rules and its function; switch the event source mapping on again";
  if (interruptions === "off") return failed("nothing takes EC2's warnings from the queue", fix);
  return failed(interruptions.unknown, "run this with --kubeconfig and credentials of the account");
}

function spot({ nodePools }: ClusterView, claims: readonly NodeClaim[]): Answer {
  const count = claims.filter(({ metadata }) => metadata.labels?.[capacityTypeLabel] === "spot").length;
  if (count > 0) return passed(`${count} of ${claims.length} NodeClaims are spot`);
  const pools = nodePools
    .filter((pool) => isManagedPool(pool, ec2Provider.nodeClass))
    .filter(({ spec }) => {
      const allowed = requirementsOf(spec.template.spec.requirements).get(capacityTypeLabel);
      return (
        allowed === undefined ||
        (allowed.complement ? !allowed.values.includes("spot") : allowed.values.includes("spot"))
      );
    });
  const names = named(pools.map(({ metadata }) => metadata.name));
  if (pools.length > 0) return failed(`NodePool ${names} may launch spot, and no NodeClaim is`, testWorkload);
  return failed(
    "no NodePool may launch spot",
    `add spot to ${capacityTypeLabel} of one, for workloads that bear an interruption`,
  );
}

function tags(classes: readonly EC2NodeClass[]): Answer {
  const bare = classes.filter(({ spec }) => Object.keys(spec.tags ?? {}).length === 0);
  if (bare.length === 0) return passed("every node class has tags of its own");
  return failed(
    `no tags: ${nameAll(bare)}`,
    "spec.tags with those by which costs are told apart (team, environment), and activate them in Billing, beside " +
      nodePoolLabel,
  );
}

function startUp(times: StartUpTimes | undefined, what: string): Answer {
  if (times === undefined) return failed(`no start-up of ${what} can be seen`, testWorkload);
  const { count, medianSeconds, longestSeconds } = times;
  return passed(
    `${what}: ${count}, ${medianSeconds} s in the middle, ${longestSeconds} s at the longest; allow workloads that much`,
  );
}

export function checkText({ name, passed: isPassed, found, fix }: Check): string {
  return isPassed ? `pass  ${name}: ${found}` : `todo  ${name}: ${found}; ${fix}`;
}
