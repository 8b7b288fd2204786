import { dollars } from "#core/dollars.ts";
import type { LaunchChoice } from "#core/scheduling/solution.ts";
import type { Cost } from "./cost.ts";
import type { PlanDocument, PlannedClaimDocument, PodsWithReason } from "./document.ts";

/** Names that are written out; `--json` has all. */
const namesMax = 8;

/** What `outrigger plan` prints, a line a text. */
export function planLines(document: PlanDocument): readonly string[] {
  const { claims, placements, unschedulable, deferred, ignored, gated, findings, short, notes } = document;
  const waiting = [...unschedulable, ...gated].reduce((total, { pods }) => total + pods.length, 0);
  return withoutDoubleBlanks([
    ...noteLines(notes),
    ...(claims.length + placements.length + waiting === 0 ? ["No pod waits for a node."] : []),
    ...claims.flatMap(claimLines),
    ...placements.flatMap(({ kind, name, pods }) => [
      `${kind === "node" ? "Node" : "NodeClaim"} ${name} has room for ${podsText(pods)}`,
    ]),
    ...section("No place", unschedulable),
    ...section("Waits for reserved capacity", deferred),
    ...section("Ignored", ignored),
    ...section("Not up for scheduling yet", gated),
    ...listed("Workloads without all their pods", short),
    ...listed("Besides", findings),
    "",
    costText(document.cost),
  ]);
}

/** Each part begins with a blank line, also where nothing stands before it. */
function withoutDoubleBlanks(lines: readonly string[]): readonly string[] {
  return lines.filter((line, index) => line !== "" || (lines[index - 1] ?? "") !== "");
}

/** What was assumed or left out, before everything else. */
export function noteLines(notes: readonly string[]): readonly string[] {
  return notes.length === 0 ? [] : [...notes.map((note) => `note: ${note}`), ""];
}

export function costText({ nowPerHour, plannedPerHour, unpriced, prices }: Cost): string {
  const unknown =
    unpriced.length === 0 ? "" : ` (${unpriced.length} nodes of unknown price not counted: ${names(unpriced)})`;
  return `cost per hour: ${dollars(nowPerHour)} now, ${dollars(plannedPerHour)} with the plan${unknown}; ${prices}`;
}

export function choiceText({ instanceType, capacityType, zone, pricePerHour }: LaunchChoice): string {
  return `${instanceType} ${capacityType} in ${zone} at ${dollars(pricePerHour)}`;
}

export function podsText(pods: readonly string[]): string {
  return pods.length === 1 ? `pod ${pods[0]}` : `${pods.length} pods: ${names(pods)}`;
}

/** Why a new claim is what it is, without its name. */
export function claimFacts(claim: PlannedClaimDocument): readonly string[] {
  const { cheapest, runnerUp, considered, capacityTypes, zones, requests, instanceTypes } = claim;
  const next = runnerUp === null ? "there is no other type" : `next ${choiceText(runnerUp)}`;
  const amounts = Object.entries(requests).map(([name, amount]) => `${name} ${amount}`);
  return [
    `cheapest ${choiceText(cheapest)}; ${next}`,
    `types: ${considered.all} in the NodePool, ${considered.launchable} meet the requirements and can be had, ${considered.fitting} have room; ${instanceTypes.length} stay open`,
    `capacity: ${capacityTypes.join(" or ")}; zones: ${zones.length === 0 ? "any of the types'" : zones.join(", ")}`,
    `asks for: ${amounts.join(", ")} (with daemons)`,
  ];
}

function claimLines(claim: PlannedClaimDocument): readonly string[] {
  return [
    `New NodeClaim ${claim.name} of NodePool ${claim.nodePool} for ${podsText(claim.pods)}`,
    ...claimFacts(claim).map((fact) => `  ${fact}`),
  ];
}

function section(title: string, groups: readonly PodsWithReason[]): readonly string[] {
  if (groups.length === 0) return [];
  return ["", `${title}:`, ...groups.map(({ pods, reason }) => `  ${capital(podsText(pods))}: ${reason}`)];
}

function listed(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}

function names(all: readonly string[]): string {
  const shown = all.slice(0, namesMax).join(", ");
  return all.length > namesMax ? `${shown} and ${all.length - namesMax} more` : shown;
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
