import type { AmiFamily } from "#api/ec2-v1/ec2nodeclass.ts";
import type { UserDataInput } from "#ec2/user-data/input.ts";

export const usualInput: Omit<UserDataInput, "family"> = {
  bootstrap: {
    clusterName: "demo",
    labels: { team: "a", "karpenter.sh/capacity-type": "spot", "karpenter.sh/nodepool": "default" },
    taints: [
      { key: "dedicated", value: "gpu", effect: "NoSchedule" },
      { key: "karpenter.sh/unregistered", effect: "NoExecute" },
    ],
    maxPods: 29,
  },
  cluster: {
    endpoint: "https://0123456789ABCDEF.gr7.us-east-1.eks.amazonaws.com",
    certificateAuthority: "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==",
    serviceCidr: "10.100.0.0/16",
  },
  kubelet: {},
  custom: "",
};

const kubelet = {
  clusterDNS: ["10.0.0.2"],
  podsPerCore: 4,
  systemReserved: { memory: "100Mi", cpu: "100m" },
  kubeReserved: { memory: "300Mi", cpu: "200m" },
  evictionHard: { "nodefs.available": "10%", "memory.available": "5%" },
  evictionSoft: { "memory.available": "500Mi" },
  evictionSoftGracePeriod: { "memory.available": "1m" },
  evictionMaxPodGracePeriod: 60,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  cpuCFSQuota: false,
};
const raid: UserDataInput["bootstrap"] = { ...usualInput.bootstrap, instanceStorePolicy: "RAID0" };

const customMime = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="BOUNDARY"

--BOUNDARY
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
echo first

--BOUNDARY
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config:
      maxPods: 5
--BOUNDARY--
`;
const toml = `[settings.kubernetes]
kube-api-qps = 30
cluster-name = "not this one"
[settings.kubernetes.node-labels]
own = 'yes'
team = "b"
[settings.kubernetes.eviction-hard]
"memory.available" = "15%"
[settings.motd]
text = """
hello "you"
"""
[[settings.container-registry.mirrors]]
registry = "docker.io"
endpoint = ["https://a", "https://b"]
`;

export interface UserDataCase {
  readonly name: string;
  readonly input: UserDataInput;
}

function of(name: string, family: AmiFamily, change: Partial<UserDataInput> = {}): UserDataCase {
  return { name, input: { ...usualInput, family, ...change } };
}

/** One golden file each, in test/golden/user-data. */
export const userDataCases: readonly UserDataCase[] = [
  of("al2023-plain", "AL2023"),
  of("al2023-kubelet", "AL2023", { kubelet, bootstrap: raid }),
  of("al2023-script", "AL2023", { custom: "#!/bin/bash\necho hello\n" }),
  of("al2023-node-config", "AL2023", { custom: "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {}\n" }),
  of("al2023-mime", "AL2023", { custom: customMime.replaceAll("\n", "\r\n") }),
  of("al2023-ipv6", "AL2023", { cluster: { ...usualInput.cluster, serviceCidr: "fd30:1c53:5f8a::/108" } }),
  of("al2-plain", "AL2"),
  of("al2-kubelet", "AL2", { kubelet, bootstrap: raid, custom: "#!/bin/bash\necho 'it''s'\n" }),
  of("al2-ipv6", "AL2", { cluster: { ...usualInput.cluster, serviceCidr: "fd30:1c53:5f8a::/108" } }),
  of("al2023-fail-closed", "AL2023", { custom: customMime, joinsAfterScripts: true }),
  of("al2-fail-closed", "AL2", { custom: "#!/usr/bin/env python3\nprint('one')\n", joinsAfterScripts: true }),
  of("bottlerocket-plain", "Bottlerocket"),
  of("bottlerocket-merged", "Bottlerocket", { kubelet, custom: toml }),
  of("bottlerocket-raid-old", "Bottlerocket", { bootstrap: raid, imageVersion: "1.30.0" }),
  of("bottlerocket-raid-new", "Bottlerocket", { bootstrap: raid, imageVersion: "1.46.0" }),
  of("windows-plain", "Windows2022"),
  of("windows-commands", "Windows2019", { kubelet, custom: "Write-Host 'hello'\r\n" }),
  of("custom-untouched", "Custom", { custom: "anything\r\nat all" }),
];
