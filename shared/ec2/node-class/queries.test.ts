import { describe, expect, test } from "vitest";
import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { nodeClassOf, settings, snapshotOf } from "../../../test/support/ec2-world.ts";
import { ec2Query } from "../query.ts";
import { imageParameters, imageQueries, withParameters } from "./image-query.ts";
import { securityGroupQueries, subnetQueries } from "./network-queries.ts";

function spec(changes: Partial<EC2NodeClassSpec>): EC2NodeClassSpec {
  return nodeClassOf(changes).spec;
}

const filters = (queries: readonly { readonly filters: unknown }[]) => queries.map((query) => query.filters);

describe("subnets and security groups", () => {
  test("all ids share one query, each tag term has its own, a value * asks for the key", () => {
    const subnetSelectorTerms = [
      { id: "subnet-2" },
      { tags: { team: "a", env: "*" } },
      { id: "subnet-1" },
      { tags: { team: "b*" } },
    ];
    expect(filters(subnetQueries(spec({ subnetSelectorTerms })))).toEqual([
      [{ name: "subnet-id", values: ["subnet-1", "subnet-2"] }],
      [
        { name: "tag-key", values: ["env"] },
        { name: "tag:team", values: ["a"] },
      ],
      [{ name: "tag:team", values: ["b*"] }],
    ]);
  });

  test("security groups also by name", () => {
    const securityGroupSelectorTerms = [{ name: "node*" }, { id: "sg-1" }, { name: "db" }, { tags: { a: "b" } }];
    expect(filters(securityGroupQueries(spec({ securityGroupSelectorTerms })))).toEqual([
      [{ name: "group-id", values: ["sg-1"] }],
      [{ name: "group-name", values: ["db", "node*"] }],
      [{ name: "tag:a", values: ["b"] }],
    ]);
  });

  test("two classes that ask the same share one query, in any order of terms", () => {
    const one = nodeClassOf({ subnetSelectorTerms: [{ id: "subnet-1" }, { id: "subnet-2" }] }, "one");
    const two = nodeClassOf({ subnetSelectorTerms: [{ id: "subnet-2" }, { id: "subnet-1" }] }, "two");
    const query = ec2Query(snapshotOf({ nodeClasses: [one, two] }).cluster, settings);
    expect(query.subnets).toHaveLength(1);
    expect(query.roles).toEqual(["node-role"]);
  });
});

describe("image parameters of an alias", () => {
  const parameters = (alias: string, version = "1.32") =>
    imageParameters(spec({ amiSelectorTerms: [{ alias }] }), version);

  test("al2023, pinned and latest", () => {
    const folder = "/aws/service/eks/optimized-ami/1.32/amazon-linux-2023";
    expect(parameters("al2023@v20240807")).toEqual([
      `${folder}/x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.32-v20240807/image_id`,
      `${folder}/x86_64/nvidia/amazon-eks-node-al2023-x86_64-nvidia-1.32-v20240807/image_id`,
      `${folder}/x86_64/neuron/amazon-eks-node-al2023-x86_64-neuron-1.32-v20240807/image_id`,
      `${folder}/arm64/standard/amazon-eks-node-al2023-arm64-standard-1.32-v20240807/image_id`,
      `${folder}/arm64/nvidia/amazon-eks-node-al2023-arm64-nvidia-1.32-v20240807/image_id`,
    ]);
    expect(parameters("al2023@latest", "1.31.4")[0]).toBe(
      "/aws/service/eks/optimized-ami/1.31/amazon-linux-2023/x86_64/standard/recommended/image_id",
    );
  });

  test("al2 names its architectures in the folder, and ends with Kubernetes 1.32", () => {
    const folder = "/aws/service/eks/optimized-ami/1.32";
    expect(parameters("al2@v20240807")).toEqual([
      `${folder}/amazon-linux-2/amazon-eks-node-1.32-v20240807/image_id`,
      `${folder}/amazon-linux-2-arm64/amazon-eks-arm64-node-1.32-v20240807/image_id`,
      `${folder}/amazon-linux-2-gpu/amazon-eks-gpu-node-1.32-v20240807/image_id`,
    ]);
    expect(parameters("al2@latest")[2]).toBe(`${folder}/amazon-linux-2-gpu/recommended/image_id`);
    expect(parameters("al2@latest", "1.33")).toEqual([]);
  });

  test("bottlerocket loses the v of its version", () => {
    expect(parameters("bottlerocket@v1.20.4")).toEqual([
      "/aws/service/bottlerocket/aws-k8s-1.32/x86_64/1.20.4/image_id",
      "/aws/service/bottlerocket/aws-k8s-1.32/arm64/1.20.4/image_id",
      "/aws/service/bottlerocket/aws-k8s-1.32-nvidia/x86_64/1.20.4/image_id",
      "/aws/service/bottlerocket/aws-k8s-1.32-nvidia/arm64/1.20.4/image_id",
    ]);
    expect(parameters("bottlerocket@latest")[0]).toBe("/aws/service/bottlerocket/aws-k8s-1.32/x86_64/latest/image_id");
  });

  test("windows has one image a year, 2025 from Kubernetes 1.35 on", () => {
    const path = (year: string, version: string) =>
      `/aws/service/ami-windows-latest/Windows_Server-${year}-English-Core-EKS_Optimized-${version}/image_id`;
    expect(parameters("windows2019@latest")).toEqual([path("2019", "1.32")]);
    expect(parameters("windows2025@latest")).toEqual([]);
    expect(parameters("windows2025@latest", "1.35")).toEqual([path("2025", "1.35")]);
  });

  test("a word that is no family of ours asks for nothing", () => {
    expect(parameters("constructor@latest")).toEqual([]);
  });
});

describe("image queries", () => {
  test("ids and parameters share one query; parameters are asked for by reference", () => {
    const amiSelectorTerms = [{ id: "ami-2" }, { ssmParameter: "/own/image" }, { id: "ami-1" }];
    const [query, ...others] = imageQueries(spec({ amiSelectorTerms }), "1.32");
    expect(others).toEqual([]);
    expect(query?.filters).toEqual([
      { name: "image-id", values: ["ami-1", "ami-2", "resolve:ssm:/own/image"] },
      { name: "state", values: ["available"] },
    ]);
    expect(query?.owners).toBeUndefined();
  });

  test("names are looked for among own and Amazon's images unless the term names an owner; tags anywhere", () => {
    const amiSelectorTerms = [{ name: "my-*" }, { name: "x", owner: "123456789012" }, { tags: { a: "b" } }];
    const queries = imageQueries(spec({ amiSelectorTerms }), "1.32");
    const owners = Object.fromEntries(queries.map((query) => [query.filters[0]?.values[0], query.owners]));
    expect(owners).toEqual({ "my-*": ["amazon", "self"], x: ["123456789012"], available: undefined });
  });

  test("references become the parameters' image ids; missing ones and other values are left out", () => {
    const amiSelectorTerms = [{ ssmParameter: "/a" }, { ssmParameter: "/b" }, { ssmParameter: "/c" }, { id: "ami-0" }];
    const [query] = imageQueries(spec({ amiSelectorTerms }), "1.32");
    if (query === undefined) throw new Error("no query");
    const ready = withParameters(query, { "/a": "ami-9", "/b": "not an image" });
    expect(ready.filters[0]).toEqual({ name: "image-id", values: ["ami-0", "ami-9"] });
    expect(ready.key).toBe(query.key);
  });
});
