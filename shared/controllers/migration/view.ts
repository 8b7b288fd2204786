/**
 * Karpenter counterpart: none; its upgrade guide is done by hand. Here each step of a migration is decided from what is
 * seen of the cluster now, and nothing else remembers how far it has come.
 */
import { type FieldSteps, fieldAt, type JsonObject } from "#api/conversion/json-fields.ts";
import type { Json } from "#api/core-v1/meta.ts";
import { ec2Group } from "#api/ec2-v1/ec2nodeclass.ts";
import { isJsonObject } from "#api/problem.ts";
import type { Crd } from "#core/crd/crd-policy.ts";
import { pauseKey } from "#core/state/pause.ts";

/** A Lease's holder, judged by the API server's clock. */
export interface Holder {
  readonly name: string;
  readonly isAlive: boolean;
  /** How long ago it was renewed or let go, ms. */
  readonly idleMs: number;
}

/** Karpenter's controller as it is deployed. */
export interface KarpenterDeployment {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** "1.14.1"; undefined where neither label nor image says so. */
  readonly version: string | undefined;
  /** What is asked for, and how many pods there are. */
  readonly replicas: number;
  readonly pods: number;
  readonly annotations: Readonly<Record<string, string>>;
  /** Its settings, from variables and flags. */
  readonly settings: Readonly<Record<string, string>>;
  /** Variables whose value is neither in the Deployment nor in a ConfigMap. */
  readonly elsewhere: readonly string[];
  /** Secrets all of whose keys are variables; they are not read. */
  readonly secrets: readonly string[];
  /** Who wrote the number of replicas last; absent: the API server does not say. */
  readonly replicasBy?: string;
}

/** All that a step may know. */
export interface MigrationView {
  readonly nowMs: number;
  /** Karpenter's three, those that are installed. */
  readonly crds: readonly Crd[];
  /** Names of CRDs of v1alpha5. */
  readonly relics: readonly string[];
  readonly deployments: readonly KarpenterDeployment[];
  readonly karpenter: readonly Holder[];
  /** The loop's own Lease; absent: it never ran. */
  readonly outrigger?: Holder;
  /** NodePools, NodeClaims and EC2NodeClasses in v1, as the API server answers them. */
  readonly objects: readonly JsonObject[];
  /** Why they cannot be read in v1; undefined: they can. */
  readonly unreadable?: string;
  readonly state: Readonly<Record<string, string>>;
  /** Of the state's ConfigMap; absent: there is none yet. */
  readonly stateVersion?: string;
  /** Nodes that are marked to be ended, where somebody acts. */
  readonly disrupted: readonly string[];
  /** Admission webhooks of Karpenter's own, which nobody answers once it is gone: `kind/name`. */
  readonly webhooks: readonly string[];
  /** Rights that the steps need and that are not given; those besides that only the way forth needs. */
  readonly missingRights: readonly string[];
  readonly missingForth: readonly string[];
  /** Variables of the deployed loop, under Karpenter's names. */
  readonly deployed:
    | { readonly kind: "known"; readonly variables: Readonly<Record<string, string>> }
    | { readonly kind: "unknown"; readonly message: string };
  /** Every object is in the file of the export. */
  readonly isExported: boolean;
  /** In this run the loop's first tick was seen on a copy, and ends nothing. */
  readonly isRehearsed: boolean;
}

/** How far it has come, where no object shows it. Value of the state's key: `<phase> <at ms>`. */
export type Phase = "none" | "held" | "shown" | "on" | "back";
export const phaseKey = "migration";
const phases: readonly Phase[] = ["held", "shown", "on", "back"];

export function phaseOf({ state }: Pick<MigrationView, "state">): Phase {
  const word = (state[phaseKey] ?? "").split(" ")[0];
  return phases.find((phase) => phase === word) ?? "none";
}

/** Karpenter has pods or is to have some, or somebody holds its lease: what is in flight is its own. */
export function isKarpenterThere({
  deployments,
  karpenter,
}: Pick<MigrationView, "deployments" | "karpenter">): boolean {
  return karpenter.some(({ isAlive }) => isAlive) || deployments.some(({ replicas, pods }) => replicas + pods > 0);
}

/** A person's own pause while a migration holds the loop. */
export const pauseBeforeKey = "migration-pause";

/** The state's keys of a phase: the loop is held until it is on, and then as a person had paused it before. */
export function phaseData(
  phase: Phase,
  { nowMs, state }: Pick<MigrationView, "nowMs" | "state">,
): Readonly<Record<string, string | null>> {
  const before = phaseOf({ state });
  const isHeld = before !== "none" && before !== "on";
  const pause = (isHeld ? state[pauseBeforeKey] : state[pauseKey]) ?? null;
  const isOn = phase === "on";
  return {
    [phaseKey]: `${phase} ${nowMs}`,
    [pauseKey]: isOn ? pause : "all",
    ...(pause === null ? {} : { [pauseBeforeKey]: isOn ? null : pause }),
  };
}

/** The Deployment that says how many replicas it had before. */
export const replicasAnnotation = "outrigger.dev/replicas";

export function metadataOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}

/** Of a ConfigMap. */
export function dataOf({ data }: JsonObject): Readonly<Record<string, string>> {
  return textsOf(data);
}

export function annotationsOf(object: JsonObject): Readonly<Record<string, string>> {
  return textsOf(metadataOf(object).annotations);
}

function textsOf(map: Json | undefined): Readonly<Record<string, string>> {
  const entries = isJsonObject(map) ? Object.entries(map) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** Of our provider: EKS Auto Mode has pools and claims of its own in the same kinds, which nobody else writes. */
export function isOurs(object: JsonObject): boolean {
  if (object.kind === "EC2NodeClass") return true;
  const spec: FieldSteps = object.kind === "NodePool" ? ["spec", "template", "spec"] : ["spec"];
  // One without a group is a mistake of a pool of ours, and is told as one.
  return (fieldAt(object, [...spec, "nodeClassRef", "group"]) ?? ec2Group) === ec2Group;
}

/** `NodePool/default`. */
export function titleOf(object: JsonObject): string {
  return `${String(object.kind)}/${String(metadataOf(object).name)}`;
}

/** Versions of the CRD in which objects may be stored, other than v1. */
export function oldVersionsOf({ spec, status }: Crd): readonly string[] {
  const storing = spec.versions.filter(({ storage }) => storage === true).map(({ name }) => name);
  return [...new Set([...storing, ...(status?.storedVersions ?? [])])].filter((name) => name !== "v1").sort();
}

/** The API server reads v1 and writes v1: what is rewritten is v1. */
export function storesV1({ spec }: Crd): boolean {
  return spec.versions.some(({ name, storage }) => name === "v1" && storage === true);
}
