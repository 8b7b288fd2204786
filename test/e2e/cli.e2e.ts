/** The commands that look at a running cluster, as a person runs them. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { type RealCluster, startRealCluster } from "./support/real-cluster.ts";

const program = fileURLToPath(new URL("../../cli/outrigger.mjs", import.meta.url));

let real: RealCluster;
let folder: string;
beforeAll(async () => {
  real = await startRealCluster();
  folder = mkdtempSync(join(tmpdir(), "outrigger-cli-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await real.stop();
});

/** Nobody's credentials, wherever the SDK looks. */
function stranger(): NodeJS.ProcessEnv {
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith("AWS_"));
  return { ...Object.fromEntries(env), HOME: folder, AWS_EC2_METADATA_DISABLED: "true" };
}

function outrigger(...words: readonly string[]): Promise<{ code: number | null; out: string; error: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...words], { env: stranger(), stdio: ["ignore", "pipe", "pipe"] });
    const texts = { out: "", error: "" };
    child.stdout.on("data", (chunk: Buffer) => {
      texts.out += chunk.toString("utf8");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      texts.error += chunk.toString("utf8");
    });
    child.once("close", (code) => resolve({ code, ...texts }));
  });
}

describe.each([["plan"], ["explain", "nodepool", "default"]])("%s of a running cluster", (...command) => {
  test("asks which EKS cluster it is, where the kubeconfig does not say so", async () => {
    const answer = await outrigger(...command, "--kubeconfig", real.controlPlane.kubeconfig);
    expect(answer).toMatchObject({ code: 2, out: "", error: expect.stringMatching(/--eks-cluster NAME and --region/) });
  });

  test("without AWS credentials ends with 3 and one sentence", async () => {
    const eks = ["--eks-cluster", "blue", "--region", "us-east-1"];
    const answer = await outrigger(...command, "--kubeconfig", real.controlPlane.kubeconfig, ...eks);
    expect(answer).toMatchObject({ code: 3, out: "" });
    expect(answer.error).toMatch(/^there are no AWS credentials; sign in .*\n$/);
  });

  test("whom the API server does not know ends with 3 and what to do", async () => {
    const config = parse(readFileSync(real.controlPlane.kubeconfig, "utf8")) as Record<string, unknown>;
    const file = join(folder, "stranger.kubeconfig");
    const [{ name }] = config.users as [{ name: string }];
    writeFileSync(file, stringify({ ...config, users: [{ name, user: { token: "nobody" } }] }));
    const answer = await outrigger(...command, "--kubeconfig", file);
    expect(answer).toMatchObject({ code: 3, error: expect.stringMatching(/^cannot read .*sign in again.*\n$/) });
  });

  test("a context that is not there ends with 2 and the names of those that are", async () => {
    const words = ["--kubeconfig", real.controlPlane.kubeconfig, "--context", "blue"];
    expect(await outrigger(...command, ...words)).toMatchObject({
      code: 2,
      error: expect.stringMatching(/contexts: test\n$/),
    });
  });
});
