/** What users and tools rely on in the CRDs beyond validation: names, columns, subresources. */
import { describe, expect, test } from "vitest";
import { kinds } from "#api/kinds.ts";
import { type Crd, readCrd, type Schema } from "../support/crd-evaluator.ts";

const crdAt = (name: string): Crd => readCrd(new URL(`../../shared/api/crds/${name}.yaml`, import.meta.url));

/** Columns in order; those in brackets only with -o wide. */
const columnsOf = (crd: Crd): readonly string[] =>
  (crd.spec.versions[0]?.additionalPrinterColumns ?? []).map(({ name, priority = 0 }) =>
    priority === 0 ? name : `(${name})`,
  );

const table = [
  {
    file: "karpenter.sh_nodepools",
    kind: "NodePool",
    shortNames: undefined,
    columns: ["NodeClass", "Nodes", "Ready", "Age", "(Weight)", "(CPU)", "(Memory)"],
    subresources: {
      status: {},
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.nodes" },
    },
  },
  {
    file: "karpenter.sh_nodeclaims",
    kind: "NodeClaim",
    shortNames: undefined,
    columns: [
      ...["Type", "Capacity", "Zone", "Node", "Ready", "Age"],
      ...["(ImageID)", "(ID)", "(NodePool)", "(NodeClass)", "(Drifted)"],
    ],
    subresources: { status: {} },
  },
  {
    file: "karpenter.k8s.aws_ec2nodeclasses",
    kind: "EC2NodeClass",
    shortNames: ["ec2nc", "ec2ncs"],
    columns: ["Ready", "Age", "(Role)"],
    subresources: { status: {} },
  },
] as const;

describe.each(table)("$file", ({ file, kind, shortNames, columns, subresources }) => {
  const crd = crdAt(file);

  test("is named by plural and group, as the kinds of shared/api", () => {
    const { apiVersion, plural, namespaced } = kinds[kind];
    expect(`${crd.spec.group}/${crd.spec.versions[0]?.name}`).toBe(apiVersion);
    expect(crd.metadata.name).toBe(`${plural}.${crd.spec.group}`);
    expect(crd.spec.names).toMatchObject({ kind, plural });
    expect(crd.spec.scope).toBe(namespaced ? "Namespaced" : "Cluster");
  });

  test("answers to kubectl get karpenter and to its short names", () => {
    expect(crd.spec.names.categories).toEqual(["karpenter"]);
    expect(crd.spec.names.shortNames).toEqual(shortNames);
  });

  test("prints Karpenter's columns", () => {
    expect(columnsOf(crd)).toEqual(columns);
  });

  test("has Karpenter's subresources", () => {
    expect(crd.spec.versions[0]?.subresources).toEqual(subresources);
  });

  test("explains every field", () => {
    const schema = crd.spec.versions[0]?.schema.openAPIV3Schema ?? {};
    expect(unexplained(schema, "")).toEqual([]);
  });
});

function unexplained(schema: Schema & { readonly description?: string }, at: string): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(
    ([name, field]: [string, Schema & { description?: string }]) => {
      const here = `${at}.${name}`;
      const own = field.description === undefined && here !== ".metadata" ? [here] : [];
      return [...own, ...unexplained(field, here), ...unexplained(field.items ?? {}, `${here}[]`)];
    },
  );
}
