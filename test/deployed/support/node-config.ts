import { parse } from "yaml";
import type { Taint } from "#api/core-v1/pod.ts";
import type { Bootstrap } from "#core/command.ts";

interface NodeConfig {
  readonly kind?: string;
  readonly spec?: {
    readonly cluster?: { readonly name?: string; readonly apiServerEndpoint?: string };
    readonly kubelet?: {
      readonly config?: { readonly maxPods?: number; readonly registerWithTaints?: readonly Taint[] };
      readonly flags?: readonly string[];
    };
  };
}

/** What a machine of AL2023 learns from its user data, base64, as nodeadm reads it: the NodeConfig parts, the last one wins. */
export function bootstrapIn(userData: string): Bootstrap & { readonly apiServerEndpoint: string } {
  const text = Buffer.from(userData, "base64").toString("utf8");
  const boundary = /boundary="([^"]+)"/.exec(text)?.[1];
  const parts = boundary === undefined ? [text] : text.split(`--${boundary}`);
  const config = parts
    .filter((part) => part.includes("application/node.eks.aws") || boundary === undefined)
    .map((part) => parse(part.replace(/^[\s\S]*?\n\s*\n/, "")) as NodeConfig)
    .findLast(({ kind }) => kind === "NodeConfig");
  const { cluster = {}, kubelet = {} } = config?.spec ?? {};
  const { maxPods, registerWithTaints = [] } = kubelet.config ?? {};
  return {
    clusterName: cluster.name ?? "",
    apiServerEndpoint: cluster.apiServerEndpoint ?? "",
    labels: Object.fromEntries((kubelet.flags ?? []).flatMap(labelsIn)),
    taints: registerWithTaints,
    ...(maxPods === undefined ? {} : { maxPods }),
  };
}

function labelsIn(flag: string): readonly (readonly [string, string])[] {
  const [, labels = ""] = /^--node-labels=(.*)$/.exec(flag) ?? [];
  return labels
    .split(",")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", value = ""] = pair.split("=", 2);
      return [name, value];
    });
}
