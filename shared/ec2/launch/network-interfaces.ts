/**
 * Karpenter counterpart: pkg/providers/launchtemplate, generateNetworkInterfaces. It differs: a cluster is of IPv6 where
 * its service range is, not where the address of kube-dns is; the one lies in the other.
 */
import type { Json } from "#api/core-v1/meta.ts";
import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { defined } from "./block-devices.ts";

/** NetworkInterfaces of a launch template; `efaCount` interfaces of type efa when the claim asks for EFA. */
export function networkInterfaces(
  spec: EC2NodeClassSpec,
  securityGroupIds: readonly string[],
  efaCount: number,
  isIpv6 = false,
): readonly Json[] {
  const addresses = isIpv6
    ? { Ipv6AddressCount: 1, Ipv6PrefixCount: spec.ipPrefixCount, PrimaryIpv6: true }
    : { Ipv4PrefixCount: spec.ipPrefixCount };
  const primary = defined({
    Groups: [...securityGroupIds],
    AssociatePublicIpAddress: spec.associatePublicIPAddress,
    ...addresses,
    ConnectionTrackingSpecification: connectionTracking(spec),
  });
  const own = spec.networkInterfaces ?? [];
  if (own.length > 0) {
    return own.map(({ networkCardIndex, deviceIndex, interfaceType }) => ({
      NetworkCardIndex: networkCardIndex,
      DeviceIndex: deviceIndex,
      InterfaceType: interfaceType,
      // An efa-only interface has no address, hence nothing that concerns addresses.
      ...(interfaceType === "efa-only" ? { Groups: [...securityGroupIds] } : primary),
    }));
  }
  if (efaCount === 0) return [{ DeviceIndex: 0, ...primary }];
  return Array.from({ length: efaCount }, (_, card) => ({
    NetworkCardIndex: card,
    DeviceIndex: card === 0 ? 0 : 1,
    InterfaceType: "efa",
    ...primary,
  }));
}

function connectionTracking({ connectionTracking: seconds }: EC2NodeClassSpec): Json | undefined {
  if (seconds === undefined) return undefined;
  return defined({
    TcpEstablishedTimeout: seconds.tcpEstablishedTimeout,
    UdpStreamTimeout: seconds.udpStreamTimeout,
    UdpTimeout: seconds.udpTimeout,
  });
}
