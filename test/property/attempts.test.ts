import { describe, expect, test } from "vitest";
import { provisioningProblem } from "#core/provisioning/scheduling-problem.ts";
import { type Attempt, attempt } from "#core/scheduling/attempt.ts";
import { prepared } from "#core/scheduling/prepared-problem.ts";
import { karpentersDraws, variations } from "#core/scheduling/strategy.ts";
import { problemOf } from "../../cli/solve/read-problem.ts";
import { posedProblem } from "../../cli/solve/snapshot.ts";
import { generate } from "../differential/generator/generate.ts";

const podsOf = ({ claims, nodes }: Attempt): readonly (readonly string[])[] =>
  [...claims, ...nodes].map(({ pods }) => pods.map(({ metadata }) => metadata.name));

describe("an attempt", () => {
  // In the first three some strategies meet domains late that others do not meet at all.
  test.each([172, 957, 2_162, 6_000, 6_001, 6_002])("is the same whatever was tried before: problem %i", (seed) => {
    const { snapshot, provider } = posedProblem(problemOf(JSON.parse(JSON.stringify(generate(seed).problem))));
    const { problem } = provisioningProblem(snapshot, provider, "strict");
    const ways = [...karpentersDraws, ...variations];
    const alone = ways.map((strategy) => podsOf(attempt(prepared(problem), strategy)));
    const shared = prepared(problem);
    for (const strategy of [...ways].reverse()) attempt(shared, strategy);
    expect(ways.map((strategy) => podsOf(attempt(shared, strategy)))).toEqual(alone);
  });
});
