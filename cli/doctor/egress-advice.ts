import type { ClusterFacts } from "../plan/cluster-source.ts";
import type { Advice } from "./advice.ts";

/** An API server must reach who converts for it; only clusters that still convert by a URL are concerned. */
export function egressAdvice({
  egressMode = "AWS_MANAGED",
  crds,
}: Pick<ClusterFacts, "crds" | "egressMode">): readonly Advice[] {
  const url = crds.find(({ spec }) => spec.conversion?.webhook?.clientConfig.url !== undefined)?.metadata.name;
  const stored = crds.find(({ status }) => status?.storedVersions?.some((version) => version !== "v1"))?.metadata.name;
  const concerned = url ?? stored;
  const found = modes[egressMode];
  if (concerned === undefined || found === undefined) return [];
  const about = { object: "EKS cluster", field: "resourcesVpcConfig.controlPlaneEgressMode" };
  return [
    {
      ...about,
      found: `${egressMode}, and ${concerned} ${url === undefined ? "still stores v1beta1" : "is converted at a URL"}: ${found.found}`,
      fix: found.fix,
    },
  ];
}

/** EKS: AWS_MANAGED reaches the internet by itself. */
const modes: Readonly<Record<string, { readonly found: string; readonly fix: string }>> = {
  CUSTOMER_ROUTED: {
    found: "the API server reaches the conversion function only by the routes of its subnets",
    fix: "give the cluster's subnets a route to a NAT gateway, or rewrite the objects while Karpenter's own webhook runs",
  },
  CUSTOMER_ISOLATED: {
    found: "the API server reaches no conversion function outside the VPC",
    fix: "rewrite the objects while Karpenter's own webhook runs (outrigger migrate)",
  },
};
