import type { KubeObject } from "#api/core-v1/meta.ts";
import { itemsOf, type ParsedUnknown, parseObject } from "#api/parse.ts";
import type { Problem } from "#api/problem.ts";
import type { FieldPath } from "#api/yaml/field-line.ts";
import { documentsOf, type ManifestDocument } from "./document.ts";
import { type ManifestProblem, sortedProblems } from "./problem.ts";
import { type Input, processInput, readSources } from "./source.ts";

export interface LoadedObject {
  /** Parsed, every default filled in. */
  readonly object: KubeObject;
  readonly file: string;
  /** Looked up when it is asked for: a dump holds thousands of objects, and hardly one of them is told of. */
  readonly lineOf: (path?: FieldPath) => number;
}

/** A kind that is not read, and how often it came. */
export interface UnknownKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly count: number;
}

export interface Manifests {
  readonly kind: "manifests";
  /** In the order of the files and documents. */
  readonly objects: readonly LoadedObject[];
  readonly unknownKinds: readonly UnknownKind[];
  /** Fields without effect, told but not refused. */
  readonly warnings: readonly ManifestProblem[];
}

export interface BadManifests {
  readonly kind: "problems";
  /** All of them, at least one. */
  readonly problems: readonly ManifestProblem[];
}

/**
 * Kinds that the core answers with "not supported yet": they go to the cluster as they are, so that it is the core that
 * says so.
 */
const toldByTheCore: readonly { readonly group: string; readonly kind: string }[] = [
  { group: "karpenter.sh", kind: "NodeOverlay" },
  { group: "autoscaling.x-k8s.io", kind: "CapacityBuffer" },
];

/** Reads every manifest below the paths. All problems come at once, and with one problem nothing is used. */
export function loadManifests(paths: readonly string[], input: Input = processInput): Manifests | BadManifests {
  const { sources, problems: unreadable } = readSources(paths, input);
  const reading: Reading = { objects: [], unknown: [], warnings: [], problems: [...unreadable], places: new Map() };
  for (const source of sources) {
    const { documents, problems } = documentsOf(source);
    reading.problems.push(...problems);
    for (const document of documents) readDocument(document, reading);
  }
  const { objects, unknown, warnings, problems } = reading;
  if (problems.length > 0) return { kind: "problems", problems: sortedProblems(problems) };
  if (objects.length === 0 && unknown.length === 0) {
    return { kind: "problems", problems: [{ file: paths.join(" "), message: "no manifests found" }] };
  }
  return { kind: "manifests", objects, unknownKinds: counted(unknown), warnings };
}

interface Reading {
  readonly objects: LoadedObject[];
  readonly unknown: ParsedUnknown[];
  readonly warnings: ManifestProblem[];
  readonly problems: ManifestProblem[];
  /** Where each object was first met, by kind, namespace and name. */
  readonly places: Map<string, () => string>;
}

function readDocument(document: ManifestDocument, reading: Reading): void {
  for (const { path, value } of itemsOf(document.value)) {
    const place: Place = {
      file: document.file,
      lineOf: (field = []) => document.lineOf([...path, ...field]),
    };
    readItem(value, place, reading);
  }
}

type Place = Pick<LoadedObject, "file" | "lineOf">;

function readItem(value: unknown, place: Place, reading: Reading): void {
  const parsed = parseObject(value);
  if (parsed.kind === "problems") {
    const name = objectText(parsed.objectKind, parsed.objectName);
    const found = [...parsed.problems.map((problem) => withConverter(problem, value)), ...parsed.warnings];
    reading.problems.push(...found.map((problem) => told(problem, name, place)));
    return;
  }
  if (parsed.kind === "unknown") {
    const object = unsupported(parsed, value);
    if (object === undefined) leaveOut(parsed, place, reading);
    else keep(object, place, reading);
    return;
  }
  const name = objectText(parsed.object.kind, parsed.object.metadata.name);
  reading.warnings.push(...parsed.warnings.map((problem) => told(problem, name, place)));
  keep(parsed.object, place, reading);
}

/** Who brings a beta manifest is told what rewrites it. */
function withConverter(problem: Problem, value: unknown): Problem {
  const { apiVersion } = isObject(value) ? value : {};
  const isOld = typeof apiVersion === "string" && /^karpenter\.(sh|k8s\.aws)\/v1(alpha|beta)\d+$/.test(apiVersion);
  if (problem.field !== "apiVersion" || !isOld) return problem;
  return { ...problem, message: `${problem.message}; outrigger convert rewrites it` };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function told(problem: Problem, object: string, { file, lineOf }: Place): ManifestProblem {
  const field = problem.field === "" ? {} : { field: problem.field };
  return { file, line: lineOf(problem.path), object, ...field, message: problem.message };
}

function keep(object: KubeObject, place: Place, reading: Reading): void {
  const { file, lineOf } = place;
  const twice = metBefore(object, () => `${file}:${lineOf()}`, reading.places);
  if (twice !== undefined) reading.problems.push({ file, line: lineOf(), ...twice });
  else reading.objects.push({ object, file, lineOf });
}

/** Of a kind that is not read; Karpenter's own old kinds are refused, since without them nothing is as it was meant. */
function leaveOut(parsed: ParsedUnknown, place: Place, reading: Reading): void {
  const successor = successorOf(parsed);
  if (successor === undefined) {
    reading.unknown.push(parsed);
    return;
  }
  const message = `${parsed.apiVersion} is of the time before Karpenter 1.0 and not read any more; write it as ${successor}; outrigger convert rewrites it`;
  const problem: Problem = { field: "apiVersion", path: ["apiVersion"], message };
  reading.problems.push(told(problem, objectText(parsed.objectKind, parsed.objectName), place));
}

/** What took the place of a kind of Karpenter's alpha and beta times. */
const successors: Readonly<Record<string, string>> = {
  "karpenter.sh/Provisioner": "a NodePool of karpenter.sh/v1",
  "karpenter.sh/Machine": "a NodeClaim of karpenter.sh/v1",
  "karpenter.k8s.aws/AWSNodeTemplate": "an EC2NodeClass of karpenter.k8s.aws/v1",
};

function successorOf({ apiVersion, objectKind }: ParsedUnknown): string | undefined {
  return successors[`${apiVersion.split("/")[0]}/${objectKind}`];
}

function unsupported({ apiVersion, objectKind, objectName }: ParsedUnknown, value: unknown): KubeObject | undefined {
  const group = apiVersion.split("/")[0];
  const told = toldByTheCore.some((one) => one.group === group && one.kind === objectKind);
  return told && objectName !== "" ? (value as KubeObject) : undefined;
}

/** Two documents of one object would apply one after the other; which one is meant is not ours to guess. */
function metBefore(
  { kind, apiVersion, metadata }: KubeObject,
  place: () => string,
  places: Map<string, () => string>,
): { readonly object: string; readonly message: string } | undefined {
  // Objects with generateName alone are another one each time.
  if (metadata.name === "" || metadata.name === undefined) return undefined;
  const key = `${apiVersion} ${kind} ${metadata.namespace ?? ""} ${metadata.name}`;
  const before = places.get(key);
  if (before === undefined) places.set(key, place);
  else return { object: objectText(kind, metadata.name), message: `is in ${before()} already (keep one of the two)` };
  return undefined;
}

function objectText(kind: string, name: string): string {
  if (kind === "") return name;
  return name === "" ? kind : `${kind}/${name}`;
}

function counted(unknown: readonly ParsedUnknown[]): readonly UnknownKind[] {
  const counts = new Map<string, UnknownKind>();
  for (const { apiVersion, objectKind: kind } of unknown) {
    const key = `${apiVersion} ${kind}`;
    counts.set(key, { apiVersion, kind, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.keys()].sort().flatMap((key) => counts.get(key) ?? []);
}
