import { describe, expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import { type Plan, planProvisioning } from "#core/provisioning/plan.ts";
import { problemOf } from "../../cli/solve/read-problem.ts";
import { posedProblem } from "../../cli/solve/snapshot.ts";
import { solveProblem } from "../../cli/solve/solve.ts";
import { checkAnswer } from "../differential/checker/check.ts";
import { generate } from "../differential/generator/generate.ts";
import { Random } from "../differential/generator/random.ts";
import type { RawProblem } from "../differential/generator/raw-problem.ts";
import { stored } from "../support/scheduling-objects.ts";

/** Problems with every rule between pods, none of them among the recorded ones. */
const seeds = Array.from({ length: 40 }, (_, i) => 5_000 + i);
const parsed = (raw: RawProblem) => problemOf(JSON.parse(JSON.stringify(raw)));

describe("for random problems", () => {
  test("kube-scheduler would bind every pod where it is placed", () => {
    for (const seed of seeds) {
      const problem = parsed(generate(seed).problem);
      const { violations } = checkAnswer(problem, solveProblem(problem).placement);
      expect({ seed, violations }).toEqual({ seed, violations: [] });
    }
  });

  test("the answer does not depend on the order of the objects", () => {
    for (const seed of seeds.slice(0, 20)) {
      const raw = generate(seed).problem;
      const random = new Random(seed);
      const shuffled: RawProblem = {
        ...raw,
        pods: random.shuffled(raw.pods),
        nodePools: random.shuffled(raw.nodePools),
        instanceTypes: random.shuffled(raw.instanceTypes),
      };
      const [one, other] = [raw, shuffled].map((each) => solveProblem(parsed(each)).placement);
      expect({ seed, placement: other }).toEqual({ seed, placement: one });
    }
  });

  test("pods that are expected on claims in flight cause no second one", () => {
    for (const seed of seeds.slice(0, 20)) {
      const { snapshot, provider } = posedProblem(parsed(generate(seed).problem));
      const first = planProvisioning(snapshot, provider);
      const nodeClaims = [...snapshot.cluster.nodeClaims, ...first.claims.map(({ nodeClaim }) => stored(nodeClaim))];
      const placed = new Set(placedPods(first));
      const waits = ({ spec }: Pod): boolean => spec.nodeName === undefined;
      const pods = snapshot.cluster.pods.filter((pod) => !waits(pod) || placed.has(pod));
      const second = planProvisioning({ ...snapshot, cluster: { ...snapshot.cluster, pods, nodeClaims } }, provider);
      const again = new Set(second.claims.flatMap(({ planned }) => planned.pods));
      const expected = first.claims.flatMap(({ planned }) => planned.pods);
      expect({ seed, again: expected.filter((pod) => again.has(pod)).map(({ metadata }) => metadata.name) }).toEqual({
        seed,
        again: [],
      });
    }
  });
});

function placedPods({ claims, placements }: Plan): readonly Pod[] {
  return [...claims.map(({ planned }) => planned), ...placements].flatMap((one) => one.pods);
}
