import { expect, test } from "vitest";
import { digestOf, isLeftOut, leftOutText } from "./left-out-text.ts";
import { redacted } from "./redaction.ts";

const secret = "hunter2";
const metadata = {
  name: "x",
  managedFields: [secret],
  annotations: { "example.com/key": secret, "karpenter.sh/a": "b" },
};
const bare = { name: "x", annotations: { "karpenter.sh/a": "b" } };
const container = { name: "c", image: "i", resources: { requests: { cpu: "1" } } };

test.each([
  ["environment", { ...container, env: [{ name: "A", value: secret }], envFrom: [secret] }],
  ["command and arguments", { ...container, command: [secret], args: [secret] }],
  ["probes", { ...container, livenessProbe: { httpGet: { httpHeaders: [{ name: "Authorization", value: secret }] } } }],
])("of a container its %s is not kept", (_, given) => {
  const pod = (one: object) => ({ kind: "Pod", metadata: bare, spec: { containers: [one], initContainers: [one] } });
  expect(redacted(pod(given))).toEqual(pod(container));
});

test("of a DaemonSet's pods the same is kept as of a Pod", () => {
  const daemonSet = {
    kind: "DaemonSet",
    metadata,
    spec: { template: { metadata, spec: { containers: [{ ...container, env: [secret] }] } } },
  };
  expect(redacted(daemonSet)).toEqual({
    kind: "DaemonSet",
    metadata: bare,
    spec: { template: { metadata: bare, spec: { containers: [container] } } },
  });
});

test("volumes keep what places them", () => {
  const volumes = [
    { name: "a", persistentVolumeClaim: { claimName: "data" } },
    { name: "b", csi: { driver: "d", volumeAttributes: { password: secret } } },
    { name: "c", secret: { secretName: secret } },
  ];
  expect(redacted({ volumes })).toEqual({
    volumes: [volumes[0], { name: "b", csi: { driver: "d" } }, { name: "c" }],
  });
  expect(redacted({ kind: "StorageClass", metadata, parameters: { key: secret } })).toEqual({
    kind: "StorageClass",
    metadata: bare,
  });
});

test("annotations of nodes, their claims and pools stay, since the pool's hash is made of them; applied manifests go", () => {
  const applied = { "kubectl.kubernetes.io/last-applied-configuration": secret };
  const own = { "example.com/team": "blue" };
  for (const kind of ["Node", "NodeClaim", "NodePool"]) {
    expect(redacted({ kind, metadata: { name: "x", annotations: { ...own, ...applied } } })).toEqual({
      kind,
      metadata: { name: "x", annotations: own },
    });
  }
});

test("labels and tags are the user's words, whatever they are called", () => {
  const words = { labels: { env: "prod", userData: "yes" }, tags: { containers: "none" } };
  expect(redacted(words)).toEqual(words);
});

test("a problem of a field that may be secret does not quote it", () => {
  const problem = { ref: { kind: "NodeClass", name: "c" }, field: "spec.userData", message: `got "${secret}"` };
  expect(redacted(problem)).toEqual({ ...problem, message: "left out of the recording" });
});

test("done twice it is the same, and what stands for user data has its digest", () => {
  const nodeClass = { kind: "EC2NodeClass", metadata, spec: { userData: secret, role: "r" } };
  const once = redacted(nodeClass);
  expect(JSON.stringify(once)).not.toContain(secret);
  expect(redacted(once)).toEqual(once);
  expect(once).toMatchObject({ spec: { userData: leftOutText(secret), role: "r" } });
  expect(digestOf(leftOutText(secret))).toBe(digestOf(secret));
  expect([isLeftOut(leftOutText(secret)), isLeftOut(secret)]).toEqual([true, false]);
});
