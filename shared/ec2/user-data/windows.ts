/**
 * Karpenter counterpart: pkg/providers/amifamily/bootstrap/windows.go. It differs: commands that would end the script
 * block early are refused.
 */
import { clusterDnsAddress } from "./cluster-dns.ts";
import type { UserDataInput } from "./input.ts";
import { kubeletArguments } from "./kubelet-arguments.ts";
import { refused, type UserDataAnswer } from "./problem.ts";

/** The user's commands first, then the script of the EKS images. */
export function windowsUserData({ bootstrap, cluster, kubelet, custom }: UserDataInput): UserDataAnswer {
  const lines = custom.replaceAll("\r\n", "\n").split("\n");
  const tag = lines.findIndex((line) => /<\/?(powershell|script)>/i.test(line));
  if (tag >= 0) return refused("commands stand inside one <powershell> block; leave its tags out", tag + 1);
  const dns = kubelet.clusterDNS?.[0] ?? clusterDnsAddress(cluster.serviceCidr);
  const options = [
    ["-EKSClusterName", bootstrap.clusterName],
    ["-APIServerEndpoint", cluster.endpoint],
    ["-Base64ClusterCA", cluster.certificateAuthority],
    ["-KubeletExtraArgs", kubeletArguments(bootstrap, kubelet).join(" ")],
    ...(dns === undefined ? [] : [["-DNSClusterIP", dns]]),
  ];
  const call = options.map(([name, value = ""]) => `${name} ${quoted(value)}`).join(" ");
  const own = custom.trim() === "" ? "" : `${lines.join("\n").trimEnd()}\n`;
  const script = '& "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"';
  return { kind: "text", text: `<powershell>\n${own}${script} ${call}\n</powershell>\n` };
}

/** For PowerShell: a quote inside is doubled. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
