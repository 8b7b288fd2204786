import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { isJsonObject } from "#api/problem.ts";

/** One call of a function as the API server saw it, in the words of RBAC. */
export interface AuditedCall {
  readonly verb: string;
  readonly apiGroup: string;
  /** With its subresource, as `nodeclaims/status`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: number;
}

const logFile = "audit.log";

/** Lets an API server write down every call of members of `group`, and nobody else's. */
export function auditFlags(root: string, groups: readonly string[]): readonly string[] {
  const policy = join(root, "audit-policy.yaml");
  const rule = { level: "Metadata", userGroups: groups, omitStages: ["RequestReceived", "ResponseStarted"] };
  const rules = [rule, { level: "None" }];
  writeFileSync(policy, stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules }));
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${join(root, logFile)}`, "--audit-log-mode=blocking"];
}

/** The calls of `group`'s members until now. */
export function auditedCalls(root: string, group: string): readonly AuditedCall[] {
  // The last line may be half written.
  return readFileSync(join(root, logFile), "utf8")
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => callOf(JSON.parse(line), group) ?? []);
}

function callOf(event: unknown, group: string): AuditedCall | undefined {
  if (!isJsonObject(event) || !isJsonObject(event.user) || !isJsonObject(event.objectRef)) return undefined;
  if (!Array.isArray(event.user.groups) || !event.user.groups.includes(group)) return undefined;
  const { resource, subresource, apiGroup, namespace, name } = event.objectRef;
  const status = isJsonObject(event.responseStatus) ? event.responseStatus.code : undefined;
  return {
    verb: String(event.verb),
    apiGroup: text(apiGroup),
    resource: subresource === undefined ? text(resource) : `${text(resource)}/${text(subresource)}`,
    namespace: text(namespace),
    name: text(name),
    status: typeof status === "number" ? status : 0,
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
