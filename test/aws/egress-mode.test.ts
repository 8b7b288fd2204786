import { CreateClusterCommand } from "@aws-sdk/client-eks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { egressAdvice } from "../../cli/doctor/egress-advice.ts";
import { describeEksCluster } from "../../shared/adapters/kubernetes/eks-endpoint.ts";
import { clientsOf } from "../support/aws/clients.ts";
import { StandIn } from "../support/aws/stand-in.ts";
import { crdsOf } from "../support/karpenter-crds.ts";

let standIn: StandIn;
beforeAll(async () => {
  standIn = await StandIn.start();
});
afterAll(() => standIn.stop());

test.each([
  ["AWS_MANAGED", []],
  ["CUSTOMER_ROUTED", [expect.stringMatching(/^CUSTOMER_ROUTED, and .* still stores v1beta1/)]],
  ["CUSTOMER_ISOLATED", [expect.stringMatching(/^CUSTOMER_ISOLATED, and .* still stores v1beta1/)]],
] as const)("of a cluster that EKS says is %s, doctor says what it means for conversion", async (mode, found) => {
  const { eks } = clientsOf(standIn);
  const name = mode.toLowerCase().replace("_", "-");
  const roleArn = "arn:aws:iam::123456789012:role/cluster";
  const resourcesVpcConfig = { controlPlaneEgressMode: mode };
  await eks.send(new CreateClusterCommand({ name, roleArn, version: "1.32", resourcesVpcConfig }));
  const described = await describeEksCluster(eks, name);
  const egressMode = described.kind === "known" ? described.cluster.egressMode : undefined;
  expect(egressMode).toBe(mode);
  const advice = egressAdvice({ crds: crdsOf("1.0"), ...(egressMode === undefined ? {} : { egressMode }) });
  expect(advice.map((one) => one.found)).toEqual(found);
});
