import { expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { fittingNodeClaimsTable, nodeClaimsTable } from "./node-claims.ts";

const bare: NodeClaim = {
  apiVersion: "karpenter.sh/v1",
  kind: "NodeClaim",
  metadata: { name: "zeta", creationTimestamp: "2024-08-14T10:00:00Z", labels: { "karpenter.sh/nodepool": "p" } },
  spec: { requirements: [], nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "c" } },
};
const launched: NodeClaim = {
  ...bare,
  metadata: {
    name: "default-x7k2p",
    creationTimestamp: "2024-08-14T09:55:30Z",
    labels: {
      "node.kubernetes.io/instance-type": "c7a.2xlarge",
      "karpenter.sh/capacity-type": "spot",
      "topology.kubernetes.io/zone": "us-east-1b",
      "karpenter.sh/nodepool": "default",
    },
  },
  status: {
    nodeName: "ip-10-0-1-7.ec2.internal",
    providerID: "aws:///us-east-1b/i-0123456789abcdef0",
    imageID: "ami-0123",
    conditions: [{ type: "Ready", status: "True", reason: "Ready", message: "", lastTransitionTime: "" }],
  },
};

test("the table is laid out as kubectl lays it out: by name, blank where unknown", () => {
  expect(nodeClaimsTable([bare, launched], Date.parse("2024-08-14T10:00:00Z"))).toEqual([
    "NAME            TYPE          CAPACITY   ZONE         NODE                       READY   AGE     IMAGEID    ID                                      NODEPOOL   NODECLASS   DRIFTED",
    "default-x7k2p   c7a.2xlarge   spot       us-east-1b   ip-10-0-1-7.ec2.internal   True    4m30s   ami-0123   aws:///us-east-1b/i-0123456789abcdef0   default    c           ",
    "zeta                                                                                     0s                                                         p          c           ",
  ]);
});

test("no claims", () => {
  expect(nodeClaimsTable([], 0)).toEqual(["No resources found"]);
});

test("where the terminal is narrow, columns go until the lines fit", () => {
  const headings = (width: number) =>
    fittingNodeClaimsTable([launched], 0, width)
      .slice(0, 2)
      .map((line) => line.replace(/ +/g, " ").trim());
  expect(headings(200)[0]).toBe("$ kubectl get nodeclaims -o wide");
  expect(headings(110)).toEqual(["$ kubectl get nodeclaims", "NAME TYPE CAPACITY ZONE NODE READY AGE"]);
  expect(headings(60)).toEqual(["$ kubectl get nodeclaims", "NAME TYPE CAPACITY READY AGE"]);
});
