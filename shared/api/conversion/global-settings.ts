/**
 * Karpenter counterpart: pkg/apis/settings of v0.2x and v0.3x, the ConfigMap karpenter-global-settings. Its values as
 * the settings of an Outrigger deployment, and as defaults of node templates.
 */
import { parseDuration } from "../duration.ts";
import { type Finding, toDecide, toKnow } from "./finding.ts";
import { type JsonObject, objectOr, textOr } from "./json-fields.ts";
import type { GlobalDefaults } from "./node-template.ts";

export function isGlobalSettings({ kind, metadata }: JsonObject): boolean {
  return kind === "ConfigMap" && objectOr(metadata).name === "karpenter-global-settings";
}

export interface GlobalSettings {
  readonly defaults: GlobalDefaults;
  readonly findings: readonly Finding[];
}

type Rule = (value: string) => Pick<Finding, "message" | "mustDecide">;

const becomes =
  (setting: string, read: (value: string) => string | undefined = (value) => value): Rule =>
  (value) => {
    const converted = read(value);
    return converted === undefined
      ? { message: `${JSON.stringify(value)} cannot be read; set ${setting} by hand`, mustDecide: true }
      : { message: `is the setting ${setting}: ${converted}`, mustDecide: false };
  };
const dropped =
  (why: string): Rule =>
  () => ({ message: why, mustDecide: false });

const rules: Readonly<Record<string, Rule>> = {
  batchMaxDuration: becomes("batchMaxMs", milliseconds),
  batchIdleDuration: becomes("batchIdleMs", milliseconds),
  "featureGates.driftEnabled": (value) =>
    value === "true"
      ? { message: "drift is always on since v1.0", mustDecide: false }
      : {
          message: 'drift cannot be switched off since v1.0; a budget of nodes "0" for reason Drifted holds it',
          mustDecide: true,
        },
  "aws.clusterName": becomes("clusterName"),
  "aws.clusterEndpoint": dropped("is read from EKS"),
  "aws.clusterCABundle": dropped("is read from EKS"),
  "aws.defaultInstanceProfile": dropped("is written to each node template that names no profile"),
  "aws.tags": dropped("are written to each node template"),
  "aws.interruptionQueueName": dropped("a deployment brings its own queue; delete this one after the migration"),
  "aws.vmMemoryOverheadPercent": becomes("vmMemoryOverheadPercent", number),
  "aws.reservedENIs": becomes("reservedEnis", number),
  "aws.isolatedVPC": dropped("follows from the deployment's VPC settings"),
  "aws.enablePodENI": dropped("nothing needs it since v0.32: branch interfaces are counted where the type has them"),
  "aws.enableENILimitedPodDensity": (value) =>
    value === "false"
      ? {
          message: "was removed at v0.32; set spec.kubelet.maxPods: 110 of the node classes to keep it",
          mustDecide: true,
        }
      : { message: "is the default", mustDecide: false },
  "aws.nodeNameConvention": dropped("was removed at v0.32"),
  "aws.assumeRoleARN": () => ({ message: "was removed at v1.0; deploy in the account itself", mustDecide: true }),
  "aws.assumeRoleDuration": dropped("was removed at v1.0"),
};

export function readGlobalSettings({ data }: JsonObject): GlobalSettings {
  const entries = Object.entries(objectOr(data)).map(([key, value]) => [key, textOr(value, String(value))] as const);
  const findings = entries.map(([key, value]): Finding => {
    const field = `data[${key}]`;
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    return rule === undefined
      ? toDecide(field, "is no setting that is known; nothing takes its place")
      : { field, ...rule(value) };
  });
  const found = Object.fromEntries(entries);
  const tags = tagsOf(found["aws.tags"]);
  const profile = found["aws.defaultInstanceProfile"] ?? "";
  return {
    defaults: { ...(profile === "" ? {} : { instanceProfile: profile }), ...(tags === undefined ? {} : { tags }) },
    findings: [toKnow("", "is read no more, and is left out; each of its values follows"), ...findings],
  };
}

function tagsOf(text: string | undefined): JsonObject | undefined {
  try {
    const tags = objectOr(JSON.parse(text ?? "null"));
    return Object.keys(tags).length === 0 ? undefined : tags;
  } catch {
    return undefined;
  }
}

function milliseconds(text: string): string | undefined {
  const ms = parseDuration(text);
  return ms === undefined ? undefined : String(ms);
}

function number(text: string): string | undefined {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? text.trim() : undefined;
}
