import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { KubernetesCluster } from "../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { Transport } from "../../shared/adapters/kubernetes/transport.ts";
import { nodeClaim } from "../contract/cluster-objects.ts";
import { freePorts } from "../support/control-plane/free-ports.ts";

let folder: string;
const pem = (name: string): string => readFileSync(join(folder, name), "utf8");
const closers: (() => void)[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "outrigger-pki-"));
  execFileSync(process.env.OUTRIGGER_CONTROL_PLANE ?? "", ["pki", folder]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** An HTTPS server that answers as told, and knows its connections. */
async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  certificate = "webhook",
  port = 0,
) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer(
    { key: pem(`${certificate}.key`), cert: pem(`${certificate}.crt`) },
    (request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString("utf8");
      });
      request.on("end", () => answer(request, response, body));
    },
  );
  server.on("secureConnection", (socket) => {
    connections++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const dropAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  closers.push(() => {
    dropAll();
    server.close();
  });
  return { url: `https://127.0.0.1:${address.port}`, connections: () => connections, dropAll };
}

/** A port of this machine at which nobody listens. */
async function unusedPort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

function connect(url: string, authorization: (renew: boolean) => Promise<string | undefined> = async () => "Bearer t") {
  const transport = new Transport({ url, caPem: pem("ca.crt") }, { authorization, remedy: "make an access entry" });
  closers.push(() => transport.close());
  return transport;
}

const get = { method: "GET", path: "/x", timeoutMs: 5_000 } as const;

describe("connections", () => {
  test("a thousand calls need no more than sixteen", async () => {
    const server = await serve((_, response) => response.end("{}"));
    const transport = connect(server.url);
    await Promise.all(Array.from({ length: 1_000 }, () => transport.call(get)));
    expect(server.connections()).toBeLessThanOrEqual(16);
  });

  test("that died while nobody looked are replaced, and nobody notices", async () => {
    const server = await serve((_, response) => response.end("{}"));
    const transport = connect(server.url);
    expect(await transport.call(get)).toMatchObject({ status: 200 });
    // As a load balancer does during a freeze: our side has not heard of it when it writes.
    const calls = [transport.call(get)];
    server.dropAll();
    expect(await Promise.all(calls)).toMatchObject([{ status: 200 }]);
  });

  test("that die twice under one call are a fault, not a third try", async () => {
    let calls = 0;
    const server = await serve((request) => {
      calls++;
      request.socket.destroy();
    });
    expect(await connect(server.url).call(get)).toMatchObject({ kind: "broken", code: "ECONNRESET" });
    expect(calls).toBe(2);
  });

  test("a server that says nothing is given up after the call's time, and not asked again", async () => {
    let calls = 0;
    const server = await serve(() => {
      calls++;
    });
    const answer = await connect(server.url).call({ ...get, timeoutMs: 300 });
    expect(answer).toMatchObject({ kind: "broken", code: "ETIMEDOUT", message: expect.stringMatching(/ \d{1,3} ms$/) });
    expect(calls).toBe(1);
  });
});

describe("a server that restarts", () => {
  test("is waited for within the call's time, and told of once", async () => {
    const port = await unusedPort();
    const told: string[] = [];
    const credentials = { authorization: async () => "Bearer t", remedy: "" };
    const transport = new Transport(
      { url: `https://127.0.0.1:${port}`, caPem: pem("ca.crt") },
      credentials,
      (message) => told.push(message),
    );
    closers.push(() => transport.close());
    const calls = Array.from({ length: 5 }, () => transport.call({ ...get, timeoutMs: 30_000 }));
    await new Promise((resolve) => setTimeout(resolve, 600));
    const server = await serve((_, response) => response.end("{}"), "webhook", port);
    for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ status: 200 });
    expect(told).toEqual([
      expect.stringMatching(/^the API server cannot be reached, and is waited for: .*ECONNREFUSED/),
    ]);
    server.dropAll();
  });

  test("is not waited for longer than the call may take, nor for a person who waits", async () => {
    const url = `https://127.0.0.1:${await unusedPort()}`;
    expect(await connect(url).call(get)).toMatchObject({ kind: "broken", code: "ECONNREFUSED" });
    const transport = new Transport(
      { url, caPem: pem("ca.crt") },
      { authorization: async () => "", remedy: "" },
      () => {},
    );
    closers.push(() => transport.close());
    const beganMs = Date.now();
    expect(await transport.call({ ...get, timeoutMs: 400 })).toMatchObject({ kind: "broken", code: "ECONNREFUSED" });
    expect(Date.now() - beganMs).toBeGreaterThanOrEqual(150);
  });
});

describe("the server's certificate", () => {
  test("of another authority is refused by name, whatever the environment says", async () => {
    const server = await serve((_, response) => response.end("{}"), "stranger");
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      const answer = await connect(server.url).call(get);
      expect(answer).toMatchObject({ kind: "broken", code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO_VERIFY/) });
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
  });

  test("one of several authorities is enough", async () => {
    const server = await serve((_, response) => response.end("{}"));
    const caPem = pem("front-proxy-ca.crt") + pem("ca.crt");
    const transport = new Transport({ url: server.url, caPem }, { authorization: async () => "Bearer t", remedy: "" });
    closers.push(() => transport.close());
    expect(await transport.call(get)).toMatchObject({ status: 200 });
  });

  test("http is no way to an API server", () => {
    expect(() => connect("http://127.0.0.1:1")).toThrow("https");
  });
});

describe("answers", () => {
  test("401 makes one new token", async () => {
    const asked: boolean[] = [];
    const server = await serve((request, response) => {
      response.statusCode = request.headers.authorization === "Bearer new" ? 200 : 401;
      response.end("{}");
    });
    const transport = connect(server.url, async (renew) => {
      asked.push(renew);
      return renew ? "Bearer new" : "Bearer old";
    });
    expect(await transport.call(get)).toMatchObject({ status: 200 });
    expect(asked).toEqual([false, true]);
  });

  test("401 twice says what to do", async () => {
    let calls = 0;
    const server = await serve((_, response) => {
      calls++;
      response.statusCode = 401;
      response.end("{}");
    });
    const answer = await connect(server.url).call(get);
    expect(answer).toMatchObject({ status: 401, body: expect.stringContaining("make an access entry") });
    expect(calls).toBe(2);
  });

  test("429 is waited for as long as it says, and an eviction's is not", async () => {
    const times: number[] = [];
    const server = await serve((_, response) => {
      times.push(Date.now());
      response.statusCode = times.length % 2 === 1 ? 429 : 200;
      response.setHeader("retry-after", "1");
      response.end("{}");
    });
    const transport = connect(server.url);
    expect(await transport.call(get)).toMatchObject({ status: 200 });
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990);
    expect(await transport.call({ ...get, waitWhenBusy: false })).toMatchObject({ status: 429, retryAfterMs: 1_000 });
  });

  test("403 of a server that has just started is asked about again; one that stays is not, the next time", async () => {
    let calls = 0;
    let refusals = 2;
    const server = await serve((_, response) => {
      calls++;
      response.statusCode = refusals-- > 0 ? 403 : 200;
      response.end("{}");
    });
    const transport = connect(server.url);
    expect(await transport.call(get)).toMatchObject({ status: 200 });
    expect(calls).toBe(3);
    refusals = 1_000;
    expect(await transport.call(get)).toMatchObject({ status: 403 });
    expect(calls).toBe(8);
    expect(await transport.call(get)).toMatchObject({ status: 403 });
    expect(calls).toBe(9);
  });

  test("a claim whose creation was not answered is found again and is no second one", async () => {
    const stored: NodeClaim[] = [];
    const server = await serve((request, response, body) => {
      if (request.method === "POST" && stored.length === 0) {
        stored.push(JSON.parse(body) as NodeClaim);
        request.socket.destroy();
      } else if (request.method === "POST") {
        response.statusCode = 409;
        response.end(JSON.stringify({ kind: "Status", reason: "AlreadyExists", code: 409, message: "already exists" }));
      } else {
        const [claim] = stored;
        response.end(JSON.stringify({ ...claim, metadata: { ...claim?.metadata, uid: "u", resourceVersion: "1" } }));
      }
    });
    const cluster = new KubernetesCluster(connect(server.url));
    const outcome = await cluster.apply({ kind: "create-node-claim", nodeClaim: nodeClaim("a") });
    expect(outcome).toMatchObject({ kind: "done", object: { metadata: { name: "a", uid: "u" } } });
  });
});
