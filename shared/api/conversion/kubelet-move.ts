/**
 * The kubelet's settings of pools, moved to their node classes. Karpenter 1.0 asked people to do it by hand before 1.1.
 * Two pools with other settings on one class: the class is split, and each part keeps one of the settings.
 */
import type { Json } from "../core-v1/meta.ts";
import { sameJson } from "../same-json.ts";
import { type Finding, toDecide, toKnow } from "./finding.ts";
import { type FieldSteps, fieldAt, type JsonObject, textOr, withField } from "./json-fields.ts";
import { betaKubeletAnnotation } from "./node-slots.ts";

/** An object on its way, and the findings about it so far. */
export interface Moving {
  object: JsonObject;
  findings: Finding[];
  /** Objects that come right after this one. */
  readonly added: JsonObject[];
}

const kubeletNote: FieldSteps = ["metadata", "annotations", betaKubeletAnnotation];
const classRef: FieldSteps = ["spec", "template", "spec", "nodeClassRef", "name"];
const classKubelet: FieldSteps = ["spec", "kubelet"];
const kubeletPlace = "spec.template.spec.kubelet";

/** Pools that agree about the kubelet; undefined is the kubelet's own defaults. */
interface Group {
  readonly kubelet: Json | undefined;
  readonly pools: Moving[];
}

export function moveKubelets(all: readonly Moving[]): void {
  const classes = new Map(all.filter(({ object }) => object.kind === "EC2NodeClass").map((one) => [nameOf(one), one]));
  const pools = all.filter(({ object }) => object.kind === "NodePool");
  for (const className of new Set(pools.map(classOf))) {
    const users = pools.filter((pool) => classOf(pool) === className);
    if (users.some((pool) => noteOf(pool) !== undefined)) moveTo(className, classes, users);
  }
}

function moveTo(className: string, classes: ReadonlyMap<string, Moving>, users: readonly Moving[]): void {
  const nodeClass = classes.get(className);
  if (nodeClass === undefined) {
    for (const pool of users.filter((one) => noteOf(one) !== undefined)) {
      const way = `EC2NodeClass ${className} is not among the files; write the settings to its spec.kubelet`;
      pool.findings.push(toDecide(kubeletPlace, `${way} (they ride in the annotation ${betaKubeletAnnotation})`));
    }
    return;
  }
  const own = fieldAt(nodeClass.object, classKubelet);
  const [first, ...others] = groupsOf(users, own);
  if (first === undefined) return;
  const original = nodeClass.object;
  place(first, nodeClass, original, className);
  for (const group of others) splitOff(group, nodeClass, original, className, classes);
}

/** Groups in the order of the pools' names; the one that agrees with what the class says already comes first. */
function groupsOf(users: readonly Moving[], own: Json | undefined): readonly Group[] {
  const groups: Group[] = [];
  for (const pool of [...users].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    const kubelet = kubeletOf(pool) ?? own;
    const group = groups.find((one) => sameJson(one.kubelet, kubelet));
    if (group === undefined) groups.push({ kubelet, pools: [pool] });
    else group.pools.push(pool);
  }
  return groups.sort((a, b) => Number(sameJson(b.kubelet, own)) - Number(sameJson(a.kubelet, own)));
}

function place({ kubelet, pools }: Group, nodeClass: Moving, original: JsonObject, className: string): void {
  nodeClass.object = withField(original, classKubelet, kubelet);
  for (const pool of pools.filter((one) => noteOf(one) !== undefined)) {
    pool.object = withoutNote(pool.object);
    pool.findings.push(toKnow(kubeletPlace, `moved to EC2NodeClass ${className}, spec.kubelet`));
  }
}

function splitOff(
  { kubelet, pools }: Group,
  nodeClass: Moving,
  original: JsonObject,
  className: string,
  classes: ReadonlyMap<string, Moving>,
): void {
  const [first] = pools;
  if (first === undefined) return;
  const name = freeName(`${className}-${nameOf(first)}`, classes);
  const labels = fieldAt(original, ["metadata", "labels"]);
  const metadata = labels === undefined ? { name } : { name, labels };
  nodeClass.added.push(withField({ ...original, metadata }, classKubelet, kubelet));
  const names = pools.map(nameOf).join(", ");
  nodeClass.findings.push(
    toDecide(
      "spec.kubelet",
      `pools of this class set the kubelet differently: ${name} is split off for NodePool ${names}`,
    ),
  );
  for (const pool of pools) {
    pool.object = withField(withoutNote(pool.object), classRef, name);
    const drift = "its nodes drift to it unless `outrigger migrate` stamps them";
    pool.findings.push(toDecide(kubeletPlace, `now in EC2NodeClass ${name}, split off ${className}; ${drift}`));
  }
}

/** Bounded: one more than there are classes is always free. */
function freeName(wanted: string, classes: ReadonlyMap<string, Moving>): string {
  let name = wanted;
  for (let i = 2; i <= classes.size + 2 && classes.has(name); i++) name = `${wanted}-${i}`;
  return name;
}

function withoutNote(object: JsonObject): JsonObject {
  const without = withField(object, kubeletNote, undefined);
  const left = fieldAt(without, ["metadata", "annotations"]);
  return sameJson(left, {}) ? withField(without, ["metadata", "annotations"], undefined) : without;
}

function noteOf({ object }: Moving): string | undefined {
  return textOr(fieldAt(object, kubeletNote), undefined);
}

function kubeletOf(pool: Moving): Json | undefined {
  try {
    return JSON.parse(noteOf(pool) ?? "null") ?? undefined;
  } catch {
    pool.findings.push(toDecide(kubeletPlace, `the annotation ${betaKubeletAnnotation} is not readable as JSON`));
    return undefined;
  }
}

function nameOf({ object }: Moving): string {
  return textOr(fieldAt(object, ["metadata", "name"]), "");
}

function classOf({ object }: Moving): string {
  return textOr(fieldAt(object, classRef), "");
}
