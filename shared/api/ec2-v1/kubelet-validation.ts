/** Karpenter counterpart: spec.kubelet of the EC2NodeClass CRD in 1.14, where its fields have types. */
import { quantityPattern } from "../karpenter-v1/resource-validation.ts";
import { list, map } from "../shape/collection.ts";
import { object, optional } from "../shape/object.ts";
import { boolean, int32, integer, maxInt32, text } from "../shape/scalar.ts";
import type { Rule, Shape } from "../shape/shape.ts";
import type { KubeletConfiguration } from "./ec2nodeclass.ts";

const reservable = ["cpu", "memory", "ephemeral-storage", "pid"];
const signals = [
  "memory.available",
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "pid.available",
];
const percentOrQuantity = new RegExp(
  `^(([0-9]{1,2}(\\.[0-9]{1,2})?|100(\\.0{1,2})?)%|${quantityPattern.source.slice(1, -1)})$`,
);

function knownKey(known: readonly string[]): (key: string) => string | undefined {
  return (key) => (known.includes(key) ? undefined : `must be one of ${known.join(", ")}; got ${JSON.stringify(key)}`);
}

const reserved = map(
  text({
    pattern: quantityPattern,
    expects: 'a quantity such as "100m" or "500Mi"',
    wrong: (value) => (value.startsWith("-") ? "must not be negative" : undefined),
  }),
  { wrongKey: knownKey(reservable) },
);
const thresholds = map(
  text({ pattern: percentOrQuantity, expects: 'a share such as "5%" or a quantity such as "500Mi"' }),
  {
    wrongKey: knownKey(signals),
  },
);
const percent = integer(0, 100);

const collectionThresholds: Rule<KubeletConfiguration> = (kubelet, note) => {
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = kubelet;
  if (high === undefined || low === undefined || high > low) return;
  note(`must be greater than imageGCLowThresholdPercent (${low}); got ${high}`, "imageGCHighThresholdPercent");
};

const softHasGrace: Rule<KubeletConfiguration> = ({ evictionSoft = {}, evictionSoftGracePeriod = {} }, note) => {
  for (const signal of Object.keys(evictionSoft)) {
    if (!Object.hasOwn(evictionSoftGracePeriod, signal))
      note(`must have ${signal} too, as evictionSoft`, "evictionSoftGracePeriod");
  }
  for (const signal of Object.keys(evictionSoftGracePeriod)) {
    if (!Object.hasOwn(evictionSoft, signal))
      note(`must have ${signal} too, as evictionSoftGracePeriod`, "evictionSoft");
  }
};

export const kubelet: Shape<KubeletConfiguration> = object<KubeletConfiguration>(
  {
    clusterDNS: optional(list(text())),
    maxPods: optional(integer(0, maxInt32)),
    podsPerCore: optional(integer(0, maxInt32)),
    systemReserved: optional(reserved),
    kubeReserved: optional(reserved),
    evictionHard: optional(thresholds),
    evictionSoft: optional(thresholds),
    evictionSoftGracePeriod: optional(map(text(), { wrongKey: knownKey(signals) })),
    evictionMaxPodGracePeriod: optional(int32),
    imageGCHighThresholdPercent: optional(percent),
    imageGCLowThresholdPercent: optional(percent),
    cpuCFSQuota: optional(boolean),
  },
  { complete: true, rules: [collectionThresholds, softHasGrace] },
);
