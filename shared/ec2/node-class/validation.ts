/**
 * Karpenter counterpart: pkg/controllers/nodeclass/validation.go, the part that calls nothing. It differs: block device
 * mappings that Karpenter's code would crash on are refused here. The dry runs belong to the adapter.
 */
import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { ec2NodeClassLabel } from "#api/ec2-v1/ec2nodeclass.ts";
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import { nodeClaimTag } from "#api/outrigger-names.ts";

export interface ValidationProblem {
  readonly reason: "TagValidationFailed" | "UserDataSizeLimitExceeded" | "BlockDeviceMappingInvalid";
  readonly message: string;
}

const ownedTags: readonly string[] = ["eks:eks-cluster-name", nodePoolLabel, nodeClaimTag, ec2NodeClassLabel];
const ownedTagPrefixes: readonly string[] = ["kubernetes.io/cluster", "outrigger.dev/"];
/** EC2: raw user data. */
const userDataBytesMax = 16_384;

/** The first thing that would make every launch of this class fail. */
export function validationProblem(spec: EC2NodeClassSpec): ValidationProblem | undefined {
  const tag = Object.keys(spec.tags ?? {}).find(isOwned);
  if (tag !== undefined) {
    return { reason: "TagValidationFailed", message: `spec.tags: "${tag}" is set by the controller; remove it` };
  }
  const bytes = utf8Bytes(spec.userData ?? "");
  if (bytes > userDataBytesMax) {
    return {
      reason: "UserDataSizeLimitExceeded",
      message: `spec.userData has ${bytes} bytes; EC2 takes ${userDataBytesMax}`,
    };
  }
  const nameless = (spec.blockDeviceMappings ?? []).findIndex(({ deviceName }) => !deviceName);
  if (nameless >= 0) {
    return {
      reason: "BlockDeviceMappingInvalid",
      message: `spec.blockDeviceMappings[${nameless}] has no deviceName; name the device, such as /dev/xvda`,
    };
  }
  return undefined;
}

function isOwned(key: string): boolean {
  return ownedTags.includes(key) || ownedTagPrefixes.some((prefix) => key.startsWith(prefix));
}

function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
