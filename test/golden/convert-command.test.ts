import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { outrigger } from "../simulation/command-line.ts";

const pool = (name: string, more = ""): string => `apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata:
  name: ${name}
spec:
  template:
    spec:
      requirements: []
      nodeClassRef:
        name: shared
${more}`;
const kubelet = "      kubelet:\n        maxPods: 20\n";

const nodeClass = `apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata:
  name: shared
spec:
  amiFamily: AL2023
  role: nodes
  subnetSelectorTerms: [{id: subnet-1}]
  securityGroupSelectorTerms: [{id: sg-1}]
`;

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-convert-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

describe("outrigger convert", () => {
  test("moves a pool's kubelet to its class in another file, and writes both in their places", async () => {
    mkdirSync(join(directory, "classes"));
    const pools = file("pools.yaml", pool("a", kubelet));
    const classes = file("classes/shared.yaml", nodeClass);
    const untouched = file("untouched.yaml", "apiVersion: v1\nkind:   ConfigMap\nmetadata: {name: x}\n");
    expect((await outrigger("convert", "-f", directory, "--write")).code).toBe(0);
    expect(readFileSync(pools, "utf8")).not.toContain("kubelet");
    expect(readFileSync(classes, "utf8")).toContain("  kubelet:\n    maxPods: 20\n");
    expect(readFileSync(untouched, "utf8")).toBe("apiVersion: v1\nkind:   ConfigMap\nmetadata: {name: x}\n");
  });

  test("--check changes nothing, lists what is to be decided, and ends with 1", async () => {
    const text = [pool("a", kubelet), pool("b"), nodeClass].join("---\n");
    const path = file("all.yaml", text);
    const { code, out, error } = await outrigger("convert", "-f", path, "--check");
    expect({ code, error }).toEqual({ code: 1, error: "" });
    expect(out).toContain(`decide: ${path}:11: NodePool/a: spec.template.spec.kubelet: now in EC2NodeClass shared-a`);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("--check ends with 0 when nothing is to be decided", async () => {
    const { code, out } = await outrigger("convert", "-f", file("a.yaml", pool("a")), "--check");
    expect({ code, out }).toEqual({ code: 0, out: "nothing to decide\n" });
  });

  test("--check --json prints one document", async () => {
    const { out } = await outrigger("convert", "-f", file("a.yaml", pool("a", kubelet)), "--check", "--json");
    expect(JSON.parse(out)).toMatchObject({
      findings: [{ object: "NodePool/a", field: "spec.template.spec.kubelet", mustDecide: true, line: 11 }],
    });
  });

  test("JSON stays JSON", async () => {
    const object = {
      apiVersion: "karpenter.sh/v1beta1",
      kind: "NodePool",
      metadata: { name: "a" },
      spec: { template: { spec: { requirements: [], nodeClassRef: { name: "x" } } } },
    };
    const { out } = await outrigger("convert", "-f", file("a.json", JSON.stringify(object)));
    expect(JSON.parse(out)).toMatchObject({
      apiVersion: "karpenter.sh/v1",
      spec: { template: { spec: { nodeClassRef: { group: "karpenter.k8s.aws" } } } },
    });
  });

  test("a typed list becomes a list of objects that name their version", async () => {
    const list = {
      apiVersion: "karpenter.sh/v1beta1",
      kind: "NodePoolList",
      items: [
        { metadata: { name: "a" }, spec: { template: { spec: { requirements: [], nodeClassRef: { name: "x" } } } } },
      ],
    };
    const { out } = await outrigger("convert", "-f", file("a.json", JSON.stringify(list)));
    expect(JSON.parse(out)).toMatchObject({
      ...{ apiVersion: "v1", kind: "List" },
      items: [{ apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name: "a" } }],
    });
  });

  test("what the API server would refuse afterwards is told", async () => {
    const text = pool("a").replace("requirements: []", "requirements: [{key: a, operator: in}]");
    const { code, error } = await outrigger("convert", "-f", file("a.yaml", text));
    expect(code).toBe(1);
    expect(error).toMatch(
      /a\.yaml:8: NodePool\/a: spec\.template\.spec\.requirements\[0\]\.operator: is not valid in karpenter\.sh\/v1/,
    );
  });

  test("of three kubelets on one class the class is split twice, and the names do not collide", async () => {
    const text = [
      pool("a", kubelet),
      pool("b", kubelet.replace("20", "30")),
      pool("c", kubelet),
      nodeClass,
      nodeClass.replace("name: shared", "name: shared-b"),
    ].join("---\n");
    const { out } = await outrigger("convert", "-f", file("all.yaml", text));
    const names = [...out.matchAll(/nodeClassRef:\n +name: (\S+)/g)].map(([, name]) => name);
    expect(names).toEqual(["shared", "shared-b-2", "shared"]);
    expect(out.match(/^ {2}name: shared-b-2$/gm)).toHaveLength(1);
  });
});

describe("what outrigger convert refuses", () => {
  test.each([
    [["--check", "--write"], "leave out --check or --write"],
    [["--json"], "add --check"],
  ])("%s is refused", async (words, message) => {
    const { code, error } = await outrigger("convert", "-f", file("a.yaml", pool("a")), ...words);
    expect(code).toBe(2);
    expect(error).toContain(message);
  });

  test.each([
    ["a file that is not there", "missing.yaml", undefined, "no such file"],
    ["broken YAML", "broken.yaml", "a: [", "not readable as YAML"],
  ])("%s ends with 2 and converts nothing", async (_, name, text, message) => {
    const good = file("good.yaml", pool("a"));
    if (text !== undefined) file(name, text);
    const { code, out, error } = await outrigger("convert", "-f", good, join(directory, name), "--write");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toContain(message);
    expect(readFileSync(good, "utf8")).toBe(pool("a"));
  });
});

describe("what is written as nobody thought of it", () => {
  const texts = async (text: string) => {
    const { code, out, error } = await outrigger("convert", "-f", file("a.yaml", text));
    return { code, out, error };
  };
  const disruption = `  disruption:
    # a month
    expireAfter: 720h # thirty days
    # as before
    consolidationPolicy: WhenUnderutilized
`;

  test("the comments of a field that moved go with it, also where it was the first of its map", async () => {
    const { out } = await texts(`${pool("a")}${disruption}`);
    expect(out).toContain("      # a month\n      expireAfter: 720h # thirty days\n");
    expect(out).toContain("  disruption:\n    # as before\n    consolidationPolicy: WhenEmptyOrUnderutilized\n");
    expect(out.match(/# a month/g)).toHaveLength(1);
  });

  test("the comment of a first field that went nowhere stays", async () => {
    const { out } = await texts(nodeClass.replace("  amiFamily", "  # of us all\n  amiFamily"));
    expect(out).toContain("spec:\n  # of us all\n  role: nodes\n");
  });

  test("a file with the line ends of Windows keeps them", async () => {
    const { out } = await texts(nodeClass.replaceAll("\n", "\r\n"));
    expect(out).toContain("amiSelectorTerms:\r\n");
    expect(out.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  });

  test("a template without quotes is refused: YAML reads it as a map, and it would be written as one", async () => {
    const { code, out, error } = await texts(pool("{{ .Values.name }}"));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toMatch(/a[.]yaml:4: .*this looks like a template: render it first/);
  });

  test("a kind that the group does not have, and old versions inside other objects, are to be decided", async () => {
    const kind = await texts(pool("a").replace("NodePool", "nodepool"));
    expect(kind).toMatchObject({
      code: 1,
      error: expect.stringMatching(/decide: .*karpenter.sh\/v1beta1 has no kind nodepool/),
    });
    const target = "patches: [{target: {group: karpenter.sh, version: v1beta1, kind: NodePool}}]";
    const kustomization = await texts(`apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n${target}\n`);
    expect(kustomization).toMatchObject({
      code: 1,
      error: expect.stringMatching(/Kustomization: patches\[0\][.]target: names an old/),
    });
    const map = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  pool.yaml: |\n    apiVersion: karpenter.sh/v1beta1\n`;
    expect(await texts(map)).toMatchObject({
      code: 1,
      error: expect.stringMatching(/data\[pool[.]yaml\]: names an old/),
    });
    expect((await texts(map.replace("v1beta1", "v1"))).code).toBe(0);
  });

  test("what is wrong with a class is told once, although it is split", async () => {
    const wrong = nodeClass.replace("AL2023", "Custom").replace("  role", "  rolle: x\n  role");
    const { error } = await texts([pool("a", kubelet), pool("b"), wrong].join("---\n"));
    expect(error.match(/spec[.]amiSelectorTerms/g)).toHaveLength(1);
    expect(error.match(/spec[.]rolle/g)).toHaveLength(1);
  });
});
