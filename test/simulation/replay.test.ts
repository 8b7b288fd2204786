import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "#api/core-v1/meta.ts";
import { recordingOf } from "#core/recording/recording.ts";
import type { Ec2View } from "#ec2/view.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { recordedRun } from "../support/recorded-run.ts";
import { outrigger } from "./command-line.ts";

const password = "correct-horse";
const applied = "kubectl.kubernetes.io/last-applied-configuration";
const manifests = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    metadata: {annotations: {example.com/team: blue}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default, annotations: {${applied}: "${password}"}}
spec:
  role: node
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: x}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: x}}]
  userData: |
    #!/bin/sh
    echo ${password} > /etc/key
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, env: prod}, annotations: {vault.example.com/token: ${password}}}
    spec:
      containers:
        - name: c
          image: i
          args: ["--key=${password}"]
          env: [{name: KEY, value: ${password}}]
          resources: {requests: {cpu: "1"}}
`;

let directory = "";
let reports: readonly TickReport<Ec2View>[] = [];
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-replay-"));
  writeFileSync(join(directory, "my.yaml"), manifests);
  reports = await recordedRun([join(directory, "my.yaml")], 5);
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

type Written = Readonly<Record<string, Json>>;

function written(content: unknown, name = "r.json"): string {
  const file = join(directory, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/** The recording of the tick in which the first claim is launched. */
function launching(): { readonly recording: Written; readonly steps: readonly { stage: string; command: Written }[] } {
  const report = reports.find(({ steps }) => steps.some(({ command }) => command.kind === "launch-instance"));
  if (report === undefined) throw new Error("nothing was launched");
  const recording = JSON.parse(JSON.stringify(recordingOf(report, "0.0.1"))) as Written;
  return { recording, steps: recording.steps as unknown as readonly { stage: string; command: Written }[] };
}

describe("outrigger replay", () => {
  test("decides on every recorded tick what was decided: launches, registration, idleness", async () => {
    const kinds = new Set(reports.flatMap(({ steps }) => steps.map(({ command }) => command.kind)));
    expect([...kinds]).toEqual(expect.arrayContaining(["create-node-claim", "launch-instance", "taint-node"]));
    for (const report of reports) {
      const { code, out, error } = await outrigger("replay", written(recordingOf(report, "0.1.0")));
      expect(error).toBe("");
      expect(out).toMatch(/^the same is decided: /);
      expect(code).toBe(0);
    }
  });

  test("prints the first difference, with the field, and ends with 1", async () => {
    const { recording, steps } = launching();
    const changed = steps.map((step) =>
      step.command.kind === "launch-instance" ? { ...step, command: { ...step.command, capacityType: "spot" } } : step,
    );
    const { code, out } = await outrigger("replay", written({ ...recording, steps: changed }));
    expect(code).toBe(1);
    expect(out).toMatch(
      /^something else is decided: stage launch, launch-instance launch \S+, capacityType\n {2}recorded: "spot"\n {2}decided: {2}"on-demand"\nthe recording is of release 0[.]0[.]1/,
    );
  });

  test("a command that is missing on either side is a difference", async () => {
    const { recording, steps } = launching();
    const without = steps.filter(({ command }) => command.kind !== "launch-instance");
    const fewer = await outrigger("replay", written({ ...recording, steps: without }), "--json");
    expect([fewer.code, JSON.parse(fewer.out)]).toEqual([
      1,
      expect.objectContaining({ kind: "different", stage: "launch", field: "", decided: expect.anything() }),
    ]);
    const more = [...steps, { stage: "no-stage", command: { kind: "evict-pod" }, outcome: { kind: "done" } }];
    const stray = await outrigger("replay", written({ ...recording, steps: more }), "--json");
    expect([stray.code, JSON.parse(stray.out)]).toEqual([
      1,
      { kind: "different", stage: "no-stage", command: "evict-pod", field: "", recorded: { kind: "evict-pod" } },
    ]);
  });

  test("takes gzip, and says of a tick that was cut short where", async () => {
    const { recording, steps } = launching();
    const cutShort = { stage: "attempt", cause: "time", message: "too late" };
    const file = join(directory, "r.json.gz");
    const kept = steps.slice(
      0,
      steps.findIndex(({ stage }) => stage === "attempt"),
    );
    writeFileSync(file, gzipSync(JSON.stringify({ ...recording, steps: kept, cutShort })));
    const { code, out } = await outrigger("replay", file);
    expect([code, out]).toEqual([0, expect.stringContaining("the tick ended before attempt: too late\n")]);
  });
});

describe("a file that cannot be replayed", () => {
  test.each([
    ["[]", "a recording must be an object"],
    ["{", "is not JSON"],
    ['{"version": 2}', "version must be 1, the one this release reads; got 2"],
    ['{"version": 1}', "snapshot must be an object; got nothing"],
    ["\u001f\u008b", "is not JSON"],
  ])("%j is bad input", async (text, problem) => {
    const file = join(directory, "bad.json");
    writeFileSync(file, text);
    const { code, out, error } = await outrigger("replay", file);
    expect([code, out]).toEqual([2, ""]);
    expect(error).toContain(`${file}: ${problem}`);
  });

  test("names the field of what is wrong inside, and a damaged archive", async () => {
    const { recording } = launching();
    const snapshot = recording.snapshot as Written;
    const cluster = snapshot.cluster as Written;
    const cloud = snapshot.cloud as Written;
    const wrong = {
      ...snapshot,
      nowMs: "noon",
      cluster: { ...cluster, pods: [{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "n" } }] },
      cloud: { ...cloud, instances: [{}], view: { ...(cloud.view as Written), subnets: 3 } },
    };
    const { code, error } = await outrigger("replay", written({ ...recording, snapshot: wrong }));
    expect(code).toBe(2);
    for (const text of [
      "snapshot.nowMs must be a whole number",
      "snapshot.cluster.pods[0] n/p: spec",
      "snapshot.cloud.instances[0].id must be a text",
      "snapshot.cloud.view: subnets does not have the form of this release",
    ]) {
      expect(error).toContain(text);
    }
    const file = join(directory, "damaged.gz");
    writeFileSync(file, gzipSync("{}").subarray(0, 12));
    expect((await outrigger("replay", file)).error).toBe(`${file}: is compressed and damaged\n`);
  });

  test("of a snapshot there is nothing to replay", async () => {
    const { recording } = launching();
    const { steps: _, ...look } = recording;
    const { code, error } = await outrigger("replay", written(look));
    expect([code, error]).toEqual([2, expect.stringContaining("outrigger plan --snapshot")]);
  });
});

describe("what is recorded", () => {
  test("holds no user data, environment, arguments or applied manifests, and the labels as they are", () => {
    for (const report of reports) {
      const text = JSON.stringify(recordingOf(report, "0.1.0"));
      expect(JSON.stringify(report)).toContain(password);
      expect(text).not.toContain(password);
      expect(text).toContain("# left out of the recording: ");
      expect(text).toContain('"env":"prod"');
      expect(text).toContain('"example.com/team":"blue"');
    }
  });
});

describe("outrigger snapshot", () => {
  test("prints what plan sees, and plan and explain decide the same on it", async () => {
    const source = ["-f", join(directory, "my.yaml")];
    const { code, out, error } = await outrigger("snapshot", ...source);
    expect([code, error]).toEqual([0, ""]);
    expect(out).not.toContain(password);
    expect(JSON.parse(out)).toMatchObject({ version: 1, snapshot: { settings: { clusterName: "plan" } } });
    const file = join(directory, "seen.json");
    writeFileSync(file, out);
    const planOf = async (...words: readonly string[]) => JSON.parse((await outrigger("plan", "--json", ...words)).out);
    const { claims, cost } = await planOf("--snapshot", file);
    expect(cost.prices).toBe("list prices, spot prices as they were seen");
    expect(claims).toEqual((await planOf(...source)).claims);
    expect(claims).not.toEqual([]);
    const { code: explained } = await outrigger("explain", "nodepool", "default", "--snapshot", file);
    expect(explained).toBe(0);
  });

  test("says beside the file what it took for granted", async () => {
    const file = join(directory, "pod.yaml");
    writeFileSync(file, "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n");
    const { out, error } = await outrigger("snapshot", "-f", file);
    expect(error).toMatch(/^note: no NodePool among the manifests: /);
    expect(JSON.parse(out)).toMatchObject({ version: 1 });
  });

  test("two sources are one too many", async () => {
    const { code, error } = await outrigger("plan", "-f", "x", "--snapshot", "y");
    expect([code, error]).toEqual([2, "-f and --snapshot name two sources: give one\n"]);
  });
});
