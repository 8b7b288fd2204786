import { capacityTypeLabel, instanceTypeLabel, nodePoolLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { parseTime } from "#api/time.ts";
import { conditionOf } from "#core/condition.ts";
import { ageText } from "./age.ts";
import { kubectlTable } from "./kubectl-table.ts";

interface Column {
  readonly heading: string;
  readonly cell: (claim: NodeClaim, nowMs: number) => string | undefined;
}

const label =
  (key: string) =>
  (claim: NodeClaim): string | undefined =>
    claim.metadata.labels?.[key];

/** The printer columns of the NodeClaim CRD; those from IMAGEID on show with `-o wide` only. */
const columns: readonly Column[] = [
  { heading: "NAME", cell: (claim) => claim.metadata.name },
  { heading: "TYPE", cell: label(instanceTypeLabel) },
  { heading: "CAPACITY", cell: label(capacityTypeLabel) },
  { heading: "ZONE", cell: label(zoneLabel) },
  { heading: "NODE", cell: (claim) => claim.status?.nodeName },
  { heading: "READY", cell: (claim) => conditionOf(claim, "Ready")?.status },
  { heading: "AGE", cell: age },
  { heading: "IMAGEID", cell: (claim) => claim.status?.imageID },
  { heading: "ID", cell: (claim) => claim.status?.providerID },
  { heading: "NODEPOOL", cell: label(nodePoolLabel) },
  { heading: "NODECLASS", cell: (claim) => claim.spec.nodeClassRef.name },
  { heading: "DRIFTED", cell: (claim) => conditionOf(claim, "Drifted")?.status },
];

function age(claim: NodeClaim, nowMs: number): string {
  const createdMs = parseTime(claim.metadata.creationTimestamp);
  return createdMs === undefined ? "<unknown>" : ageText(nowMs - createdMs);
}

/** What `kubectl get nodeclaims -o wide` prints, a text a line. */
export function nodeClaimsTable(claims: readonly NodeClaim[], nowMs: number): readonly string[] {
  return tableOf(claims, nowMs, columns);
}

const narrowest: ReadonlySet<string> = new Set(["NAME", "TYPE", "CAPACITY", "READY", "AGE"]);
/** From the widest on: with the command that prints the same, as far as there is one. */
const forms: readonly { readonly command: string; readonly columns: readonly Column[] }[] = [
  { command: "kubectl get nodeclaims -o wide", columns },
  {
    command: "kubectl get nodeclaims",
    columns: columns.slice(
      0,
      columns.findIndex(({ heading }) => heading === "IMAGEID"),
    ),
  },
  { command: "kubectl get nodeclaims", columns: columns.filter(({ heading }) => narrowest.has(heading)) },
];

/** The widest form whose lines have at most `width` characters, below its command; the narrowest when none has. */
export function fittingNodeClaimsTable(claims: readonly NodeClaim[], nowMs: number, width: number): readonly string[] {
  const tables = forms.map((form) => [`$ ${form.command}`, ...tableOf(claims, nowMs, form.columns)]);
  return tables.find((lines) => lines.every((line) => line.length <= width)) ?? tables.at(-1) ?? [];
}

function tableOf(claims: readonly NodeClaim[], nowMs: number, shown: readonly Column[]): readonly string[] {
  if (claims.length === 0) return ["No resources found"];
  const sorted = [...claims].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return kubectlTable(
    shown.map(({ heading }) => heading),
    sorted.map((claim) => shown.map(({ cell }) => cell(claim, nowMs) ?? "")),
  );
}
