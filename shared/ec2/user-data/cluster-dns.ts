/**
 * Karpenter counterpart: pkg/operator, kubeDNSIP. It differs: the address is not read from the Service kube-dns but worked
 * out, since EKS always gives it the tenth address of the service range.
 */

/** "10.100.0.0/16" → "10.100.0.10", "fd00:1::/108" → "fd00:1::a"; undefined for what is no range. */
export function clusterDnsAddress(serviceCidr: string): string | undefined {
  const [network = ""] = serviceCidr.split("/");
  const v4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(network);
  if (v4 !== null) {
    const bytes = v4.slice(1).map(Number);
    if (bytes.some((byte) => byte > 255)) return undefined;
    // No carry: a service range is at least a /24.
    return [...bytes.slice(0, 3), (bytes[3] ?? 0) + 10].join(".");
  }
  return /^[0-9a-f:]+::$/i.test(network) ? `${network}a` : undefined;
}

export function isIpv6(address: string): boolean {
  return address.includes(":");
}
