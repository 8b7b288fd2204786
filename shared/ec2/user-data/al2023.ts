/**
 * Karpenter counterpart: pkg/providers/amifamily/bootstrap/nodeadm.go of 1.14 (typed kubelet). No difference in the
 * NodeConfig.
 */
import type { Json } from "#api/core-v1/meta.ts";
import type { KubeletConfiguration } from "#api/ec2-v1/ec2nodeclass.ts";
import { clusterDnsAddress } from "./cluster-dns.ts";
import { customParts, nodeConfigType } from "./custom-parts.ts";
import type { UserDataInput } from "./input.ts";
import { gatedParts, kubeletGate, openKubeletGate } from "./join-gate.ts";
import { pairs } from "./kubelet-arguments.ts";
import { composeMime } from "./mime.ts";
import type { UserDataAnswer } from "./problem.ts";
import { yamlText } from "./yaml-text.ts";

/** The user's parts first: nodeadm lets the last NodeConfig win, and that is the one that joins. */
export function al2023UserData(input: UserDataInput): UserDataAnswer {
  const custom = customParts(input.custom, "AL2023");
  if (custom.kind === "problems") return custom;
  const headers = [{ name: "Content-Type", value: nodeConfigType }];
  const body = `# Written by Outrigger\n${yamlText(nodeConfig(input))}`;
  if (input.joinsAfterScripts !== true) {
    return { kind: "text", text: composeMime([...custom.parts, { headers, body }]) };
  }
  const gated = gatedParts(custom.parts);
  if (gated.kind === "problems") return gated;
  const parts = gated.scripts === 0 ? gated.parts : [kubeletGate, ...gated.parts, openKubeletGate(gated.scripts)];
  return { kind: "text", text: composeMime([...parts, { headers, body }]) };
}

function nodeConfig({ bootstrap, cluster, kubelet }: UserDataInput): Readonly<Record<string, Json>> {
  const labels = pairs(bootstrap.labels, "=");
  const storage = bootstrap.instanceStorePolicy;
  return {
    apiVersion: "node.eks.aws/v1alpha1",
    kind: "NodeConfig",
    spec: {
      cluster: {
        name: bootstrap.clusterName,
        apiServerEndpoint: cluster.endpoint,
        certificateAuthority: cluster.certificateAuthority,
        cidr: cluster.serviceCidr,
      },
      ...(storage === undefined ? {} : { instance: { localStorage: { strategy: storage } } }),
      kubelet: {
        config: kubeletConfig(kubelet, bootstrap, clusterDnsAddress(cluster.serviceCidr)),
        ...(labels === "" ? {} : { flags: [`--node-labels=${labels}`] }),
      },
    },
  };
}

function kubeletConfig(
  kubelet: KubeletConfiguration,
  { maxPods, taints }: UserDataInput["bootstrap"],
  dns: string | undefined,
): Readonly<Record<string, Json>> {
  const { clusterDNS = dns === undefined ? [] : [dns], maxPods: _, ...others } = kubelet;
  const fields: Readonly<Record<string, Json | undefined>> = {
    ...(others as Readonly<Record<string, Json>>),
    clusterDNS: clusterDNS.length === 0 ? undefined : [...clusterDNS],
    maxPods,
    registerWithTaints: taints.map(({ key, value, effect }) => ({
      effect,
      key,
      ...(value === undefined ? {} : { value }),
    })),
  };
  const kept: Record<string, Json> = {};
  for (const [name, value] of Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (value !== undefined) kept[name] = sorted(value);
  }
  return kept;
}

function sorted(value: Json): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
