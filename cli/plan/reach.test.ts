import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { Transport } from "../../shared/adapters/kubernetes/transport.ts";
import { unreachable } from "./reach.ts";

const credentials = { authorization: async () => undefined, remedy: "" };
const sockets: Socket[] = [];
let server: Server | undefined;
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
});

/** Takes connections and says nothing. */
function silentPort(): Promise<number> {
  const silent = createServer((socket) => sockets.push(socket));
  server = silent;
  return new Promise((resolve) => {
    silent.listen(0, "127.0.0.1", () => resolve((silent.address() as { readonly port: number }).port));
  });
}

test("of a server that takes the connection and says nothing it tells what was waited for, and how long", async () => {
  const url = `https://127.0.0.1:${await silentPort()}`;
  const transport = new Transport({ url }, credentials);
  expect(await unreachable(transport, url, 100)).toMatch(
    /^the API server https:\/\/127.0.0.1:\d+ does not answer within 0.1 s/,
  );
  transport.close();
});

test("where nobody listens it says so at once", async () => {
  const url = `https://127.0.0.1:${await silentPort()}`;
  await new Promise((resolve) => server?.close(resolve));
  const transport = new Transport({ url }, credentials);
  expect(await unreachable(transport, url)).toMatch(/cannot be reached: .*ECONNREFUSED/);
  transport.close();
});

test("where the credentials are missing, that is another's to say", async () => {
  const refusing = { authorization: () => Promise.reject(new Error("none")), remedy: "" };
  const transport = new Transport({ url: "https://127.0.0.1:1" }, refusing);
  expect(await unreachable(transport, "https://127.0.0.1:1")).toBeUndefined();
  transport.close();
});
