import { expect, test } from "vitest";
import { Gaps } from "./gaps.ts";
import { imagesOf } from "./image-answers.ts";
import { ReadCache } from "./read-cache.ts";
import type { Reader } from "./reader.ts";

const good = "/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/recommended/image_id";
const deep = `/aws/service/${"a/".repeat(16)}image`;

/** SSM in a few lines: refuses a whole question for one name that it will not have. */
function readerOf(asked: string[][], failure?: Error): Reader {
  const ssm = {
    send: async ({ input }: { readonly input: { readonly Names: string[] } }) => {
      asked.push(input.Names);
      if (failure !== undefined) throw failure;
      if (input.Names.some((name) => !/^[\w./:-]+$/.test(name) || name.split("/").length > 16))
        throw Object.assign(new Error("a bad name"), {
          name: "ValidationException",
          $metadata: { httpStatusCode: 400 },
        });
      return { Parameters: input.Names.map((Name) => ({ Name, Value: "ami-1" })) };
    },
  };
  const cache = new ReadCache({ nowMs: () => 0, sleepUntil: async () => {} });
  return { clients: { ssm }, cache } as unknown as Reader;
}

async function answersFor(parameters: readonly string[], asked: string[][] = [], failure?: Error) {
  const gaps = new Gaps();
  const query = { subnets: [], securityGroups: [], images: [], roles: [], parameters };
  const answers = await imagesOf(query, readerOf(asked, failure), gaps);
  return { found: Object.keys(answers.parameters), refused: Object.keys(gaps.refusals), gaps };
}

test("a text that is no parameter's name is refused by itself, and not asked", async () => {
  const asked: string[][] = [];
  const bad = ["/aws/service/bottlerocket/v2024 0807!/image_id", "/aws/service/my ami", "my ami"];
  expect(await answersFor([...bad, good], asked)).toMatchObject({ found: [good], refused: bad });
  expect(asked).toEqual([[good]]);
});

test("a name that only SSM knows to be bad spoils no other", async () => {
  expect(await answersFor([deep, good])).toMatchObject({ found: [good], refused: [deep] });
});

test("a limit of rates is a gap, and is not asked name by name", async () => {
  const asked: string[][] = [];
  const { gaps } = await answersFor(
    [deep, good],
    asked,
    Object.assign(new Error("m"), { name: "ThrottlingException" }),
  );
  expect([...gaps.incomplete]).toEqual(["parameters"]);
  expect(gaps.refusals).toEqual({});
  expect(asked).toHaveLength(1);
});
