import { list, map } from "../shape/collection.ts";
import { defaulted, object, optional, orEmpty, required } from "../shape/object.ts";
import { boolean, int32, integer, isInt64, oneOf, text } from "../shape/scalar.ts";
import { mustBe, type Shape } from "../shape/shape.ts";
import { nodeSelector } from "./affinity-validation.ts";
import type {
  ConfigMap,
  CSINode,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  PriorityClass,
  StorageClass,
  VolumeAttachment,
} from "./cluster-objects.ts";
import { claimSpecFields, persistentVolumeSpecFields, storageClassFields } from "./field-names.ts";
import { clusterObject, labelSelector, namespacedObject } from "./meta-validation.ts";
import { resourceList } from "./resource-validation.ts";

const nonEmpty = text({ min: 1 });

/** A count of pods, or a share of them. */
const countOrPercent: Shape<number | string> = (value, at, notes) => {
  if (isInt64(value) && value >= 0) return value;
  if (typeof value === "string" && /^(100|[0-9]{1,2})%$/.test(value)) return value;
  return mustBe(notes, at, 'a number of pods such as 1, or "0%" to "100%"', value);
};

type Budget = PodDisruptionBudget["spec"];

const budget: Shape<Budget> = object<Budget>(
  {
    selector: optional(labelSelector),
    minAvailable: optional(countOrPercent),
    maxUnavailable: optional(countOrPercent),
    unhealthyPodEvictionPolicy: orEmpty(oneOf(["IfHealthyBudget", "AlwaysAllow"])),
  },
  {
    rules: [
      ({ minAvailable, maxUnavailable }, note) => {
        if (minAvailable !== undefined && maxUnavailable !== undefined) {
          note("must not be set together with minAvailable", "maxUnavailable");
        }
      },
    ],
    others: [],
  },
);

export const podDisruptionBudget: Shape<PodDisruptionBudget> = object<PodDisruptionBudget>(
  {
    ...namespacedObject,
    spec: defaulted(budget, {}),
    status: optional(
      object<NonNullable<PodDisruptionBudget["status"]>>({
        disruptionsAllowed: optional(integer()),
        currentHealthy: optional(integer()),
        desiredHealthy: optional(integer()),
        expectedPods: optional(integer()),
      }),
    ),
  },
  { others: [] },
);

export const persistentVolumeClaim: Shape<PersistentVolumeClaim> = object<PersistentVolumeClaim>(
  {
    ...namespacedObject,
    spec: required(
      // An empty class is not an absent one: it asks for a volume without class.
      object<PersistentVolumeClaim["spec"]>(
        {
          storageClassName: optional(text()),
          volumeName: orEmpty(text()),
          accessModes: optional(list(text())),
          volumeMode: orEmpty(text()),
          selector: optional(labelSelector),
          resources: optional(
            object<NonNullable<PersistentVolumeClaim["spec"]["resources"]>>(
              { requests: optional(resourceList) },
              { others: ["limits"] },
            ),
          ),
        },
        { others: claimSpecFields },
      ),
    ),
    status: optional(
      object<NonNullable<PersistentVolumeClaim["status"]>>({ phase: orEmpty(oneOf(["Pending", "Bound", "Lost"])) }),
    ),
  },
  { others: [] },
);

type VolumeSpec = PersistentVolume["spec"];

export const persistentVolume: Shape<PersistentVolume> = object<PersistentVolume>(
  {
    ...clusterObject,
    spec: required(
      object<VolumeSpec>(
        {
          storageClassName: optional(text()),
          nodeAffinity: optional(object<NonNullable<VolumeSpec["nodeAffinity"]>>({ required: optional(nodeSelector) })),
          csi: optional(object({ driver: required(nonEmpty) })),
          awsElasticBlockStore: optional(object({ volumeID: required(nonEmpty) })),
          local: optional(object({ path: required(nonEmpty) })),
          hostPath: optional(object({ path: required(nonEmpty) })),
          capacity: optional(resourceList),
          accessModes: optional(list(text())),
          volumeMode: orEmpty(text()),
          claimRef: optional(
            object<NonNullable<VolumeSpec["claimRef"]>>(
              { name: required(nonEmpty), namespace: orEmpty(text()) },
              { others: ["apiVersion", "kind", "uid", "resourceVersion", "fieldPath"] },
            ),
          ),
        },
        { others: persistentVolumeSpecFields },
      ),
    ),
  },
  { others: ["status"] },
);

type AllowedTopology = NonNullable<StorageClass["allowedTopologies"]>[number];

export const storageClass: Shape<StorageClass> = object<StorageClass>(
  {
    ...clusterObject,
    provisioner: required(nonEmpty),
    volumeBindingMode: defaulted(oneOf(["Immediate", "WaitForFirstConsumer"]), "Immediate"),
    allowedTopologies: optional(
      list(
        object<AllowedTopology>({
          matchLabelExpressions: optional(
            list(object({ key: required(nonEmpty), values: required(list(text(), { min: 1 })) })),
          ),
        }),
      ),
    ),
  },
  { others: storageClassFields },
);

type Driver = CSINode["spec"]["drivers"][number];

const driver: Shape<Driver> = object<Driver>({
  name: required(nonEmpty),
  allocatable: optional(object<NonNullable<Driver["allocatable"]>>({ count: optional(integer(0)) })),
});

export const csiNode: Shape<CSINode> = object<CSINode>({
  ...clusterObject,
  // A node without drivers comes from the API as `drivers: null`.
  spec: required(object<CSINode["spec"]>({ drivers: defaulted(list(driver, { key: ({ name }) => name }), []) })),
});

type Attachment = VolumeAttachment["spec"];

export const volumeAttachment: Shape<VolumeAttachment> = object<VolumeAttachment>({
  ...clusterObject,
  spec: required(
    object<Attachment>({
      attacher: required(nonEmpty),
      nodeName: required(nonEmpty),
      source: required(object<Attachment["source"]>({ persistentVolumeName: optional(text()) })),
    }),
  ),
});

export const namespace: Shape<Namespace> = object<Namespace>(clusterObject, { others: ["spec", "status"] });

export const priorityClass: Shape<PriorityClass> = object<PriorityClass>(
  {
    ...clusterObject,
    value: required(int32),
    globalDefault: optional(boolean),
    preemptionPolicy: defaulted(oneOf(["PreemptLowerPriority", "Never"]), "PreemptLowerPriority"),
  },
  { others: ["description"] },
);

export const configMap: Shape<ConfigMap> = object<ConfigMap>(
  { ...namespacedObject, data: optional(map(text())) },
  { others: ["binaryData", "immutable"] },
);
