import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { userData } from "#ec2/user-data/user-data.ts";
import { ensureEnvironment } from "../support/aws/environment.ts";
import { userDataCases } from "../support/user-data-cases.ts";

interface Found {
  readonly parts?: readonly { readonly type: string; readonly body: string }[];
  readonly toml?: { readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
}

const mime = userDataCases.filter(({ input }) => input.family === "AL2" || input.family === "AL2023");
const toml = userDataCases.filter(({ input }) => input.family === "Bottlerocket");
let found: Readonly<Record<string, Found>> = {};

/** What readers that are not ours find in the user data: Python's of MIME and TOML. */
beforeAll(() => {
  const environment = ensureEnvironment();
  if (environment.kind === "missing") throw new Error(environment.why);
  const texts = [...mime, ...toml].map(({ name, input }) => {
    const answer = userData(input);
    return [name, answer.kind === "text" ? answer.text : ""];
  });
  const script = join(import.meta.dirname, "../support/aws/second-readers.py");
  const input = JSON.stringify(Object.fromEntries(texts));
  const { stdout, stderr, status } = spawnSync(environment.python, [script], { input, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  found = JSON.parse(stdout);
});

describe("MIME", () => {
  test.each(mime)("$name: what joins the node is the last part", ({ name, input }) => {
    const parts = found[name]?.parts ?? [];
    const last = parts.at(-1);
    expect(last?.type).toBe(input.family === "AL2" ? "text/x-shellscript" : "application/node.eks.aws");
    expect(last?.body).toContain(input.cluster.endpoint);
  });

  test("a user's script stays as it was, byte for byte but for carriage returns", () => {
    expect(found["al2023-script"]?.parts?.map(({ body }) => body.trimEnd())[0]).toBe("#!/bin/bash\necho hello");
    expect(found["al2023-mime"]?.parts?.map(({ type }) => type)).toEqual([
      "text/x-shellscript",
      "application/node.eks.aws",
      "application/node.eks.aws",
    ]);
  });
});

describe("TOML", () => {
  test.each(toml)("$name: the settings that join the node", ({ name, input }) => {
    const { bootstrap, cluster } = input;
    expect(found[name]?.toml?.settings.kubernetes).toMatchObject({
      "cluster-name": bootstrap.clusterName,
      "api-server": cluster.endpoint,
      "cluster-certificate": cluster.certificateAuthority,
      "max-pods": bootstrap.maxPods,
      "node-labels": bootstrap.labels,
      "node-taints": { dedicated: ["gpu:NoSchedule"], "karpenter.sh/unregistered": [":NoExecute"] },
    });
  });

  test("the user's own settings stay", () => {
    expect(found["bottlerocket-merged"]?.toml?.settings).toMatchObject({
      motd: { text: 'hello "you"\n' },
      "container-registry": { mirrors: [{ registry: "docker.io", endpoint: ["https://a", "https://b"] }] },
      kubernetes: { "kube-api-qps": 30, "node-labels": { own: "yes", team: "a" } },
    });
  });
});
