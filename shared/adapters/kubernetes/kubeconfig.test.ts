import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { readKubeconfig } from "./kubeconfig.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "outrigger-kubeconfig-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pem = "-----BEGIN CERTIFICATE-----\nMAo=\n-----END CERTIFICATE-----\n";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

function fileWith(cluster: object, user: object): string {
  const file = join(folder, "config");
  const config = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": "x" },
    clusters: [
      {
        name: "c",
        cluster: { server: "https://api.example.com", "certificate-authority-data": base64(pem), ...cluster },
      },
    ],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  };
  writeFileSync(file, stringify(config));
  return file;
}

async function usable(user: object, cluster: object = {}) {
  const answer = await readKubeconfig(fileWith(cluster, user));
  if (answer.kind !== "usable") throw new Error(answer.message);
  return answer;
}

describe("a kubeconfig that leads nowhere", () => {
  test("is named when it is not there", async () => {
    const file = join(folder, "nowhere");
    const message = `${file}: no such file or directory: ${file}`;
    expect(await readKubeconfig(file)).toEqual({ kind: "unusable", message });
  });

  test("names the plug-in that is not installed", async () => {
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "aws-not-here", interactiveMode: "Never" };
    const answer = await readKubeconfig(fileWith({}, { exec }));
    expect(answer).toMatchObject({
      kind: "unusable",
      message: expect.stringMatching(/: the user's exec plug-in runs aws-not-here, which is not installed/),
    });
  });
});

describe("a kubeconfig", () => {
  test("gives the endpoint with its authority, and a token", async () => {
    const { endpoint, credentials } = await usable({ token: "abc" });
    expect(endpoint).toEqual({ url: "https://api.example.com", caPem: pem });
    expect(await credentials.authorization(false)).toBe("Bearer abc");
  });

  test("gives a client certificate", async () => {
    const { credentials } = await usable({
      "client-certificate-data": base64("cert"),
      "client-key-data": base64("key"),
    });
    expect(credentials.certificate).toEqual({ certPem: "cert", keyPem: "key" });
    expect(await credentials.authorization(false)).toBeUndefined();
  });

  test("asks an exec plug-in, as EKS's own kubeconfigs do", async () => {
    const credential = {
      apiVersion: "client.authentication.k8s.io/v1beta1",
      kind: "ExecCredential",
      status: { token: "from-exec" },
    };
    const args = ["-e", `process.stdout.write(${JSON.stringify(JSON.stringify(credential))})`];
    const exec = { apiVersion: credential.apiVersion, command: process.execPath, args, interactiveMode: "Never" };
    const { credentials } = await usable({ exec });
    expect(await credentials.authorization(false)).toBe("Bearer from-exec");
  });

  test("says which EKS cluster it is, in the words of aws, of eksctl, and of the address", async () => {
    const aws = ["eks", "get-token", "--cluster-name", "blue", "--region", "eu-west-1"];
    const apiVersion = "client.authentication.k8s.io/v1";
    const credential = { apiVersion, kind: "ExecCredential", status: { token: "from-exec" } };
    const script = `process.stdout.write(${JSON.stringify(JSON.stringify(credential))})`;
    const exec = (args: readonly string[]) => ({
      ...{ apiVersion, command: process.execPath, interactiveMode: "Never" },
      args: ["-e", script, "--", ...args],
    });
    const read = async (args: readonly string[], server: string): Promise<unknown> => {
      const answer = await readKubeconfig(fileWith({ server }, { exec: exec(args) }));
      return answer.kind === "usable" ? answer.eks : answer;
    };
    expect(await read(aws, "https://api.example.com")).toEqual({ name: "blue", region: "eu-west-1" });
    const server = "https://ABC.gr7.us-east-2.eks.amazonaws.com";
    expect(await read(["token", "-i", "green"], server)).toEqual({ name: "green", region: "us-east-2" });
    expect(await read([], "https://api.example.com")).toEqual({});
  });

  test("lists its contexts when it has none of the name", async () => {
    const answer = await readKubeconfig(fileWith({}, { token: "abc" }), "y");
    expect(answer).toMatchObject({ kind: "unusable", message: expect.stringMatching(/context y .*contexts: x$/) });
    expect(await readKubeconfig(fileWith({}, { token: "abc" }), "x")).toMatchObject({ kind: "usable" });
  });

  test.each([
    ["that switches verification off", { "insecure-skip-tls-verify": true }, "always verifies"],
    ["of an http address", { server: "http://127.0.0.1:8001" }, "https"],
    ["with a proxy", { "proxy-url": "http://proxy:3128" }, "proxy-url"],
  ])("%s is refused and says why", async (_, cluster, why) => {
    const answer = await readKubeconfig(fileWith(cluster, { token: "abc" }));
    expect(answer).toMatchObject({ kind: "unusable", message: expect.stringContaining(why) });
  });

  test("that is not there is an answer, not a crash", async () => {
    expect(await readKubeconfig(join(folder, "nothing"))).toMatchObject({ kind: "unusable" });
  });
});
