import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AwsCloud } from "./aws-cloud.ts";

const minuteMs = 60_000;
const filtered = (key: string) => ({ key, filters: [{ name: "tag:team", values: ["a"] }] });
const query = {
  subnets: [filtered("subnets")],
  images: [{ ...filtered("images"), owners: [] }],
  securityGroups: [],
  parameters: [],
  roles: [],
};

/** EC2 with nothing in it; whatever else is asked is refused. Which actions were asked, in their order. */
let asked: string[] = [];
let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const action = new URLSearchParams(body).get("Action") ?? "";
      asked.push(action);
      const isKnown = action === "DescribeSubnets" || action === "DescribeImages";
      response.writeHead(isKnown ? 200 : 400, { "content-type": "text/xml" });
      response.end(
        isKnown ? `<${action}Response/>` : "<Response><Errors><Error><Code>No</Code></Error></Errors></Response>",
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** How often each was asked by looks at these minutes. */
async function askedAt(
  minutes: readonly number[],
  refresh?: { readonly imagesMs: number; readonly subnetsMs: number },
) {
  asked = [];
  let nowMs = 0;
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const options = { region: "us-east-1", endpoint, credentials, clusterName: "demo" };
  const clock = { nowMs: () => nowMs, sleepUntil: async () => {} };
  const cloud = new AwsCloud(refresh === undefined ? options : { ...options, refresh }, clock);
  for (const minute of minutes) {
    nowMs = minute * minuteMs;
    await cloud.observe(query);
  }
  const count = (action: string) => asked.filter((one) => one === action).length;
  return { subnets: count("DescribeSubnets"), images: count("DescribeImages") };
}

test("what selectors stand for is asked again after a minute, or after as long as the settings say", async () => {
  const minutes = [0, 0.5, 1, 5, 10];
  expect(await askedAt(minutes)).toEqual({ subnets: 4, images: 4 });
  expect(await askedAt(minutes, { imagesMs: 5 * minuteMs, subnetsMs: 10 * minuteMs })).toEqual({
    subnets: 2,
    images: 3,
  });
});
