import type { KubeObject } from "#api/core-v1/meta.ts";
import { parseObject } from "#api/parse.ts";
import { formatProblem } from "#api/problem.ts";
import type { ObjectProblem } from "#core/object-problem.ts";
import { objectKinds } from "#core/object-ref.ts";
import { type ClusterView, emptyCluster, type NodeClass } from "#core/snapshot.ts";
import { viewKinds } from "#ports/view-kinds.ts";
import type { Checks } from "./checks.ts";

/** The cluster's part of a recording. Lists that it lacks are empty. */
export function readCluster(checks: Checks, raw: unknown): ClusterView {
  const at = "snapshot.cluster";
  const cluster = { ...emptyCluster, ...checks.record(at, raw) };
  const lists = Object.entries(viewKinds).map(([name, kind]) => [
    name,
    objects(checks, `${at}.${name}`, cluster[name as keyof typeof viewKinds], kind),
  ]);
  return {
    ...emptyCluster,
    // The table of kinds pairs each list with its type; the compiler does not follow that.
    ...(Object.fromEntries(lists) as Pick<ClusterView, keyof typeof viewKinds>),
    nodeClasses: objects(checks, `${at}.nodeClasses`, cluster.nodeClasses).map((object, index) => {
      const nodeClass = object as NodeClass;
      checks.record(`${at}.nodeClasses[${index}].spec`, nodeClass.spec);
      return nodeClass;
    }),
    unsupported: objects(checks, `${at}.unsupported`, cluster.unsupported),
    state: checks.textMap(`${at}.state`, cluster.state),
    problems: checks
      .list(`${at}.problems`, cluster.problems)
      .map((one, index) => objectProblem(checks, `${at}.problems[${index}]`, one)),
  };
}

/** Through the door of `api`; a kind that it does not know is named only. undefined: told to `checks`. */
export function readKubeObject(checks: Checks, field: string, raw: unknown): KubeObject | undefined {
  const parsed = parseObject(raw);
  if (parsed.kind === "object") return parsed.object;
  if (parsed.kind === "problems") {
    for (const problem of parsed.problems) checks.tell(`${field} ${parsed.objectName}: ${formatProblem(problem)}`);
    return undefined;
  }
  const object = checks.record(field, raw);
  const metadata = checks.record(`${field}.metadata`, object.metadata);
  checks.text(`${field}.metadata.name`, metadata.name);
  return object as unknown as KubeObject;
}

function objects(checks: Checks, field: string, raw: unknown, kind?: string): readonly KubeObject[] {
  return checks.list(field, raw).flatMap((one, index) => {
    const at = `${field}[${index}]`;
    const object = readKubeObject(checks, at, one);
    if (object === undefined) return [];
    if (kind !== undefined && object.kind !== kind) checks.wrong(`${at}.kind`, kind, object.kind);
    return [object];
  });
}

function objectProblem(checks: Checks, at: string, raw: unknown): ObjectProblem {
  const { ref, nodeName, field, message } = checks.record(at, raw);
  const named = checks.record(`${at}.ref`, ref);
  const [first, ...others] = objectKinds;
  const optional = (key: "namespace" | "uid" | "apiVersion" | "objectKind") =>
    named[key] === undefined ? {} : { [key]: checks.text(`${at}.ref.${key}`, named[key]) };
  return {
    ref: {
      kind: checks.oneOf(`${at}.ref.kind`, named.kind, [first, ...others]),
      name: checks.text(`${at}.ref.name`, named.name),
      ...optional("namespace"),
      ...optional("uid"),
      ...optional("apiVersion"),
      ...optional("objectKind"),
    },
    ...(nodeName === undefined ? {} : { nodeName: checks.text(`${at}.nodeName`, nodeName) }),
    field: checks.text(`${at}.field`, field),
    message: checks.text(`${at}.message`, message),
  };
}
