/**
 * Karpenter counterpart: pkg/providers/amifamily/bootstrap/eksbootstrap.go. No difference in what the script asks of
 * bootstrap.sh; where the class asks for it, it runs only after the user's scripts have succeeded.
 */
import { clusterDnsAddress, isIpv6 } from "./cluster-dns.ts";
import { customParts } from "./custom-parts.ts";
import type { UserDataInput } from "./input.ts";
import { gatedParts, markCheck, shellPart } from "./join-gate.ts";
import { kubeletArguments } from "./kubelet-arguments.ts";
import { composeMime } from "./mime.ts";
import type { UserDataAnswer } from "./problem.ts";

/** The user's parts first, the script that joins last. */
export function al2UserData(input: UserDataInput): UserDataAnswer {
  const custom = customParts(input.custom, "AL2");
  if (custom.kind === "problems") return custom;
  if (input.joinsAfterScripts !== true) {
    return { kind: "text", text: composeMime([...custom.parts, shellPart(scriptOf(input, ""))]) };
  }
  const gated = gatedParts(custom.parts);
  if (gated.kind === "problems") return gated;
  const check = gated.scripts === 0 ? "" : markCheck(gated.scripts);
  return { kind: "text", text: composeMime([...gated.parts, shellPart(scriptOf(input, check))]) };
}

function scriptOf({ bootstrap, cluster, kubelet }: UserDataInput, check: string): string {
  const dns = kubelet.clusterDNS?.[0] ?? clusterDnsAddress(cluster.serviceCidr);
  const options = [
    ["--apiserver-endpoint", cluster.endpoint],
    ["--b64-cluster-ca", cluster.certificateAuthority],
    ...(dns !== undefined && isIpv6(dns) ? [["--ip-family", "ipv6"]] : []),
    ...(dns === undefined ? [] : [["--dns-cluster-ip", dns]]),
    ...(bootstrap.maxPods === undefined ? [] : [["--use-max-pods", "false"]]),
    ["--kubelet-extra-args", kubeletArguments(bootstrap, kubelet).join(" ")],
    ...(bootstrap.instanceStorePolicy === "RAID0" ? [["--local-disks", "raid0"]] : []),
  ];
  const text = options.map(([name, value = ""]) => `${name} ${quoted(value)}`).join(" \\\n  ");
  return `#!/bin/bash -xe
exec > >(tee -a /var/log/user-data.log | logger -t user-data) 2>&1
${check}/etc/eks/bootstrap.sh ${quoted(bootstrap.clusterName)} \\
  ${text}
`;
}

/** For a shell: a quote inside is closed, escaped and opened again. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}
