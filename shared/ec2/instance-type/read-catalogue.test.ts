import { describe, expect, test } from "vitest";
import { catalogue } from "../../../test/support/ec2-world.ts";
import { readCatalogue } from "./read-catalogue.ts";

const type = catalogue.types[0];
const plain = { ...catalogue, types: [type] };

function problemsOf(raw: unknown): readonly string[] {
  const answer = readCatalogue(raw);
  return answer.kind === "problems" ? answer.problems : [];
}

describe("the catalogue file", () => {
  test("the simulated region has at least 150 types, each priced and in at least one of the zones a, b, c", () => {
    expect(catalogue.types.length).toBeGreaterThanOrEqual(150);
    for (const { name, zones, onDemandPerHour, spotPerHour, usageClasses } of catalogue.types) {
      expect(onDemandPerHour, name).toBeGreaterThan(0);
      expect(zones.length, name).toBeGreaterThan(0);
      for (const zone of zones) expect(["us-east-1a", "us-east-1b", "us-east-1c"]).toContain(zone);
      expect(Object.keys(spotPerHour), name).toEqual(usageClasses.includes("spot") ? zones : []);
    }
  });

  test("spot costs 30 to 45 percent of on-demand, and the file says that it is synthesised", () => {
    for (const { name, onDemandPerHour = 0, spotPerHour } of catalogue.types) {
      for (const price of Object.values(spotPerHour)) {
        expect(price / onDemandPerHour, name).toBeGreaterThan(0.295);
        expect(price / onDemandPerHour, name).toBeLessThan(0.455);
      }
    }
    expect(catalogue.source).toMatch(/synthesised/);
    expect(catalogue.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  test.each([
    ["m5.large", 0.096],
    ["m5.24xlarge", 4.608],
    ["c6g.medium", 0.034],
    ["t3.micro", 0.0104],
    ["r7i.2xlarge", 0.5292],
    ["g4dn.xlarge", 0.526],
  ])("%s has its list price", (name, price) =>
    expect(catalogue.types.find((candidate) => candidate.name === name)?.onDemandPerHour).toBeCloseTo(price, 5),
  );

  test("types come out by name, and unknown fields do no harm", () => {
    const raw = { ...catalogue, types: [...catalogue.types].reverse(), notice: "x" };
    const answer = readCatalogue(raw);
    expect(answer.kind === "catalogue" && answer.catalogue.types.map(({ name }) => name)).toEqual(
      catalogue.types.map(({ name }) => name),
    );
  });
});

describe("a bad catalogue is problems in words", () => {
  test.each([
    [null, "the catalogue must be an object"],
    ["x", "the catalogue must be an object"],
    [{}, "version must be 1, the one this release reads; got nothing"],
    [{ ...plain, version: 2 }, "version must be 1, the one this release reads; got 2"],
    [{ ...plain, types: [] }, "types must be a list of at least one instance type"],
    [{ ...plain, types: [7] }, "types[0] must be an object"],
    [{ ...plain, types: [{ ...type, vcpus: "2" }] }, 'types[0].vcpus must be a positive whole number; got "2"'],
    [{ ...plain, types: [{ ...type, arch: "x86_64" }] }, 'types[0].arch must be amd64 or arm64; got "x86_64"'],
    [
      { ...plain, types: [{ ...type, spotPerHour: { a: -1 } }] },
      'types[0].spotPerHour must be prices by zone; got {"a":-1}',
    ],
    [
      { ...plain, types: [{ ...type, gpu: {} }] },
      "types[0].gpu must be an object with name, manufacturer, count, memoryMiB; got {}",
    ],
    [{ ...plain, types: [type, type] }, `types[1].name: "${type?.name}" is there twice`],
  ])("%j", (raw, problem) => expect(problemsOf(raw)).toContain(problem));

  test("no more than twenty are named", () => {
    expect(problemsOf({ ...plain, types: Array.from({ length: 500 }, () => ({})) })).toHaveLength(20);
  });
});
