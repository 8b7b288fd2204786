import { given, type JsonObject, objectOr } from "./json-fields.ts";

/** What only the old object's kind, its controller or the last `kubectl apply` had to do with. */
const left: ReadonlySet<string> = new Set([
  "karpenter.sh/provisioner-hash",
  "karpenter.k8s.aws/nodetemplate-hash",
  "kubectl.kubernetes.io/last-applied-configuration",
]);

/** Metadata for an object of another kind: name, labels and annotations, nothing that a server filled in. */
export function freshMetadata(metadata: JsonObject): JsonObject {
  const annotations = Object.entries(objectOr(metadata.annotations)).filter(([key]) => !left.has(key));
  return {
    ...given("name", metadata.name),
    ...given("labels", metadata.labels),
    ...given("annotations", annotations.length === 0 ? undefined : Object.fromEntries(annotations)),
  };
}
