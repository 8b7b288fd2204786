/**
 * The kubelet's settings of pools, moved to their node classes. Karpenter 1.0 asked people to do it by hand before 1.1.
 * Two pools with other settings on one class: the class is split, and each part keeps one of the settings.
 */
import type { Json } from "../core-v1/meta.ts";
import { sameJson } from "../same-json.ts";
import { annotationOf, withoutAnnotation } from "./annotations.ts";
import { type Finding, toDecide, toKnow } from "./finding.ts";
import { type FieldSteps, fieldAt, given, type JsonObject, textOr, withField } from "./json-fields.ts";
import { betaKubeletAnnotation } from "./node-slots.ts";

/** An object on its way, and the findings about it so far. */
export interface Moving {
  object: JsonObject;
  findings: Finding[];
  /** Objects that come right after this one. */
  readonly added: JsonObject[];
}

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
  const names = new Set(classes.keys());
  const pools = all.filter((one) => one.object.kind === "NodePool" && isReadable(one));
  for (const className of new Set(pools.map(classOf))) {
    const users = pools.filter((pool) => classOf(pool) === className);
    if (users.some((pool) => noteOf(pool) !== undefined)) moveTo(className, classes.get(className), users, names);
  }
}

/** `names`: of the classes that there are, those that are split off with them. */
function moveTo(className: string, nodeClass: Moving | undefined, users: readonly Moving[], names: Set<string>): void {
  if (nodeClass === undefined) {
    for (const pool of users.filter((one) => noteOf(one) !== undefined)) {
      const way = `EC2NodeClass ${className} is not among the files, or cannot be converted; write the settings to its spec.kubelet`;
      pool.findings.push(toDecide(kubeletPlace, `${way} (they ride in the annotation ${betaKubeletAnnotation})`));
    }
    return;
  }
  const own = fieldAt(nodeClass.object, classKubelet);
  const [first, ...others] = groupsOf(users, own);
  if (first === undefined) return;
  const original = nodeClass.object;
  place(first, nodeClass, original, className);
  for (const group of others) splitOff(group, nodeClass, original, freeName(className, group, names));
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
    pool.object = withoutAnnotation(pool.object, betaKubeletAnnotation);
    pool.findings.push(toKnow(kubeletPlace, `moved to EC2NodeClass ${className}, spec.kubelet`));
  }
}

function splitOff({ kubelet, pools }: Group, nodeClass: Moving, original: JsonObject, name: string): void {
  const metadata = { name, ...given("labels", fieldAt(original, ["metadata", "labels"])) };
  nodeClass.added.push(withField({ ...original, metadata }, classKubelet, kubelet));
  const users = pools.map(nameOf).join(", ");
  nodeClass.findings.push(
    toDecide(
      "spec.kubelet",
      `pools of this class set the kubelet differently: ${name} is split off for NodePool ${users}`,
    ),
  );
  const drift = "its nodes drift to it unless `outrigger migrate` stamps them";
  for (const pool of pools) {
    pool.object = withField(withoutAnnotation(pool.object, betaKubeletAnnotation), classRef, name);
    const message = `now in EC2NodeClass ${name}, split off ${nameOf(nodeClass)}; ${drift}`;
    pool.findings.push(toDecide(kubeletPlace, message));
  }
}

/** The class's name with that of the first pool, and a number where that is taken. Takes it. */
function freeName(className: string, { pools }: Group, names: Set<string>): string {
  const wanted = [className, ...pools.slice(0, 1).map(nameOf)].join("-");
  let name = wanted;
  // Bounded: one more number than there are names is always free.
  for (let i = 2; names.has(name); i++) name = `${wanted}-${i}`;
  names.add(name);
  return name;
}

function noteOf({ object }: Moving): string | undefined {
  return annotationOf(object, betaKubeletAnnotation);
}

/** What is no JSON is left where it is, for a person. */
function isReadable(pool: Moving): boolean {
  try {
    JSON.parse(noteOf(pool) ?? "null");
    return true;
  } catch {
    pool.findings.push(toDecide(kubeletPlace, `the annotation ${betaKubeletAnnotation} is not readable as JSON`));
    return false;
  }
}

function kubeletOf(pool: Moving): Json | undefined {
  return (JSON.parse(noteOf(pool) ?? "null") as Json) ?? undefined;
}

function nameOf({ object }: Moving): string {
  return textOr(fieldAt(object, ["metadata", "name"]), "");
}

function classOf({ object }: Moving): string {
  return textOr(fieldAt(object, classRef), "");
}
