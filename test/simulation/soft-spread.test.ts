import { expect, test } from "vitest";
import { simulated } from "./command-line.ts";

const minutes = 20;
const manifests = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
        - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
        - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large, m5.xlarge, m5.2xlarge]}
  disruption:
    consolidationPolicy: WhenEmptyOrUnderutilized
    consolidateAfter: 0s
    budgets: [{nodes: 100%}]
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  role: node
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: x}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: x}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: soft}
spec:
  replicas: 10
  selector: {matchLabels: {app: soft}}
  template:
    metadata: {labels: {app: soft}}
    spec:
      containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector: {matchLabels: {app: soft}}
`;

test("row 22: ten pods softly spread over hosts ask for ten nodes, and of those consolidation takes the empty ones only", async () => {
  const { result } = await simulated(manifests, "--minutes", String(minutes));
  const asked = result.timeline.filter(({ message }) => message.startsWith("Launched ")).length;
  const { empty = 0, ...others } = result.ended;
  // kube-scheduler binds to the nodes that are ready first, two pods to some; the last to come have none.
  expect([asked, others, result.claims.length]).toEqual([10, {}, 10 - empty]);
  expect(result.claims.length).toBeGreaterThanOrEqual(6);
});
