/**
 * Karpenter counterpart: the YAML parse of pkg/providers/amifamily/bootstrap/nodeadm.go. It differs: a NodeConfig that
 * nodeadm could not decode at boot is told with its line; Karpenter passes it on, or takes it for a script. What nodeadm
 * does not know it passes over, and so is it here.
 */
import { isJsonObject, type Notes, problemAt, type Trail } from "../problem.ts";
import { list, map } from "../shape/collection.ts";
import { object, optional, required } from "../shape/object.ts";
import { anything, boolean, int32, oneOf, text } from "../shape/scalar.ts";
import type { Shape } from "../shape/shape.ts";
import { readYaml, type YamlDocument, type YamlProblem } from "../yaml/read-yaml.ts";

const version = "node.eks.aws/v1alpha1";

export interface NodeConfigProblem {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** Objects of no known field are enough here: only types are looked at. */
type Loose = Readonly<Record<string, unknown>>;

const texts = list(text());
const quantities = map(text());
/** Fields of the kubelet whose type users get wrong; ranges are the kubelet's own to judge. */
const kubeletConfig: Shape<Loose> = object<Loose>({
  clusterDNS: optional(texts),
  maxPods: optional(int32),
  podsPerCore: optional(int32),
  systemReserved: optional(quantities),
  kubeReserved: optional(quantities),
  evictionHard: optional(quantities),
  evictionSoft: optional(quantities),
  evictionSoftGracePeriod: optional(quantities),
  evictionMaxPodGracePeriod: optional(int32),
  imageGCHighThresholdPercent: optional(int32),
  imageGCLowThresholdPercent: optional(int32),
  cpuCFSQuota: optional(boolean),
  featureGates: optional(map(boolean)),
  registerWithTaints: optional(list(map(text()))),
});

const nodeConfig: Shape<Loose> = object<Loose>({
  apiVersion: required(anything),
  kind: required(anything),
  metadata: optional(map(anything)),
  spec: optional(
    object<Loose>({
      cluster: optional(
        object<Loose>({
          name: optional(text()),
          apiServerEndpoint: optional(text()),
          certificateAuthority: optional(text({ pattern: /^[A-Za-z0-9+/\s]*={0,2}\s*$/, expects: "base64" })),
          cidr: optional(text()),
          enableOutpost: optional(boolean),
          id: optional(text()),
        }),
      ),
      containerd: optional(object<Loose>({ config: optional(text()), baseRuntimeSpec: optional(map(anything)) })),
      instance: optional(
        object<Loose>({
          localStorage: optional(
            object<Loose>({
              strategy: optional(oneOf(["RAID0", "RAID10", "Mount"])),
              mountPath: optional(text()),
              disabledMounts: optional(texts),
            }),
          ),
        }),
      ),
      kubelet: optional(object<Loose>({ config: optional(kubeletConfig), flags: optional(texts) })),
      featureGates: optional(map(boolean)),
    }),
  ),
});

/** What nodeadm would stumble over at boot; it reads one document a part. */
export function nodeConfigProblems(body: string): readonly NodeConfigProblem[] {
  const [first, second] = readYaml(body);
  if (first === undefined) return [{ line: 1, message: "the NodeConfig is empty" }];
  if (!("value" in first)) return [{ line: first.line ?? 1, message: syntaxMessage(first, body) }];
  const more = second === undefined ? [] : [secondDocument(second)];
  return [...fieldProblems(first), ...more].sort((a, b) => a.line - b.line);
}

/** Karpenter: what reads as a YAML mapping is a NodeConfig, all else a script. */
export function isYamlMapping(text: string): boolean {
  const [first] = readYaml(text);
  return first !== undefined && "value" in first && isJsonObject(first.value);
}

function syntaxMessage({ message, line = 1 }: YamlProblem, body: string): string {
  const text = body.split("\n")[line - 1] ?? "";
  if (/^ *\t/.test(text)) return "YAML is not indented with tabs";
  const key = /^([A-Za-z][\w.-]*)[ \t]*:/.exec(text)?.[1];
  if (message.includes("keys must be unique") && key !== undefined) {
    return `${key} is there twice: a part holds one NodeConfig`;
  }
  return `not readable as YAML: ${message}`;
}

function secondDocument(second: YamlDocument | YamlProblem): NodeConfigProblem {
  const line = "value" in second ? second.lineOf([]) : (second.line ?? 1);
  return { line, message: "a part holds one NodeConfig; put the second one into a part of its own" };
}

function fieldProblems({ value, lineOf }: YamlDocument): readonly NodeConfigProblem[] {
  const { apiVersion, kind } = isJsonObject(value) ? value : {};
  const notes: Notes = { problems: [], warnings: [] };
  const at = (key: string): Trail => ({ parent: undefined, key });
  if (apiVersion !== version)
    notes.problems.push(problemAt(at("apiVersion"), `a NodeConfig has apiVersion: ${version}`));
  if (kind !== "NodeConfig") {
    notes.problems.push(problemAt(at("kind"), "a part of type application/node.eks.aws has kind: NodeConfig"));
  }
  // Of another kind, its fields are not ours to judge.
  if (notes.problems.length === 0) nodeConfig(value, undefined, notes);
  return notes.problems.map(({ path, field, message }) => ({
    line: lineOf(path),
    message: path.length > 1 || field === "spec" ? `${field} ${message}` : message,
  }));
}
