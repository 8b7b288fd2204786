import type { Pod } from "#api/core-v1/pod.ts";
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { isTerminal } from "#core/pod/pod-predicates.ts";
import type { Advice } from "./advice.ts";
import { workloadOf } from "./workload-advice.ts";

export function nodeClassAdvice(nodeClass: EC2NodeClass, pods: readonly Pod[]): readonly Advice[] {
  return [...aliasAdvice(nodeClass), ...hopLimitAdvice(nodeClass, pods)];
}

function aliasAdvice({ metadata, spec }: EC2NodeClass): readonly Advice[] {
  return spec.amiSelectorTerms.flatMap(({ alias }, index) =>
    alias?.endsWith("@latest") === true
      ? [
          {
            object: `EC2NodeClass/${metadata.name}`,
            field: `spec.amiSelectorTerms[${index}].alias`,
            found: `${alias} moves by itself, and every node drifts when it does`,
            fix: `pin a version that you have tried (${alias.replace("@latest", "@v…")})`,
          },
        ]
      : [],
  );
}

/** Images that ask the instance metadata for the node's role or region, by their usual names. */
const readersOfMetadata =
  /(aws-load-balancer-controller|aws-ebs-csi-driver|aws-efs-csi-driver|cloudwatch-agent|aws-for-fluent-bit|external-dns|cluster-autoscaler)/;

/** At hop limit 1 a container in a network namespace of its own does not reach the metadata service. */
function hopLimitAdvice({ metadata, spec }: EC2NodeClass, pods: readonly Pod[]): readonly Advice[] {
  if ((spec.metadataOptions?.httpPutResponseHopLimit ?? 1) > 1) return [];
  const readers = pods.filter((pod) => pod.spec.hostNetwork !== true && !isTerminal(pod) && readsMetadata(pod));
  const names = [...new Set(readers.map(workloadOf))].sort();
  const [first] = names;
  if (first === undefined) return [];
  const others = names.length === 1 ? "" : ` and ${names.length - 1} more`;
  return [
    {
      object: `EC2NodeClass/${metadata.name}`,
      field: "spec.metadataOptions.httpPutResponseHopLimit",
      found: `is 1, and pods of ${first}${others} usually read the instance metadata from their own network`,
      fix: "give them EKS Pod Identity or IRSA and their region, or hostNetwork, or set it to 2",
    },
  ];
}

function readsMetadata({ spec }: Pod): boolean {
  return spec.containers.some(({ image }) => readersOfMetadata.test(image ?? ""));
}
