import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LaunchInstance } from "#core/command.ts";
import { AwsCloud } from "./aws-cloud.ts";

const xml = { "content-type": "text/xml" };
/** What a service, a proxy or a broken line may send in place of an answer. */
const replies: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "XML that breaks off": (response) => {
    response
      .writeHead(200, xml)
      .end("<CreateFleetResponse><fleetId>fleet-1</fleetId><fleetInstanceSet><item><instanceIds>");
  },
  "a page of a proxy": (response) => {
    response.writeHead(200).end("<html>proxy</html>");
  },
  "nothing, with status 200": (response) => {
    response.writeHead(200).end("");
  },
  "half of what was announced": (response) => {
    response.writeHead(200, { ...xml, "content-length": "9999" }).write("<CreateFleetResponse>");
    setTimeout(() => response.destroy(), 20);
  },
  "a gateway's page of error": (response) => {
    response.writeHead(504).end("<html>gateway</html>");
  },
  "an end of the connection": (response) => {
    response.destroy();
  },
};

const command: LaunchInstance = {
  ...{
    kind: "launch-instance",
    nodeClaim: "c",
    nodeClaimUid: "u",
    attempt: 1,
    token: "u-1",
    capacityType: "on-demand",
  },
  options: [
    { instanceType: "m5.large", zone: "us-east-1a", subnetId: "subnet-1", launchTemplate: "t", pricePerHour: 1 },
  ],
  tags: {},
};

let server: Server;
let reply: (response: ServerResponse) => void = () => {};

beforeAll(async () => {
  server = createServer((request, response) => request.resume().on("end", () => reply(response)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function cloudOf(): AwsCloud {
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  return new AwsCloud(
    { region: "us-east-1", endpoint, credentials, clusterName: "demo" },
    { nowMs: () => 1_000, sleepUntil: async () => {} },
  );
}

describe("an answer that cannot be read leaves open whether an instance was launched", () => {
  test.each(Object.keys(replies))("%s", async (name) => {
    reply = replies[name] ?? reply;
    expect(await cloudOf().apply(command)).toMatchObject({ kind: "failed", fault: { kind: "unavailable" } });
  });
});
