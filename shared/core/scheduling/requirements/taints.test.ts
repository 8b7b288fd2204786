import { describe, expect, test } from "vitest";
import type { Taint, Toleration } from "#api/core-v1/pod.ts";
import { describeTaint, firstUntolerated, isEphemeral, sameTaint, tolerates } from "./taints.ts";

const gpu: Taint = { key: "gpu", value: "true", effect: "NoSchedule" };
const sla: Taint = { key: "sla", value: "95", effect: "NoExecute" };

describe("a toleration", () => {
  test.each<[string, Toleration, Taint, boolean]>([
    ["Exists without a key tolerates everything", { operator: "Exists" }, gpu, true],
    ["Exists with the key tolerates every value", { key: "gpu", operator: "Exists" }, gpu, true],
    ["of another key does not", { key: "cpu", operator: "Exists" }, gpu, false],
    ["Equal wants the same value", { key: "gpu", operator: "Equal", value: "true" }, gpu, true],
    ["Equal is the default", { key: "gpu", value: "true" }, gpu, true],
    ["Equal with another value does not", { key: "gpu", value: "false" }, gpu, false],
    ["of another effect does not", { key: "gpu", operator: "Exists", effect: "NoExecute" }, gpu, false],
    ["without an effect covers all", { key: "sla", operator: "Exists" }, sla, true],
    ["Gt: the taint's number is greater", { key: "sla", operator: "Gt", value: "90" }, sla, true],
    ["Gt: an equal number is not greater", { key: "sla", operator: "Gt", value: "95" }, sla, false],
    ["Lt: the taint's number is smaller", { key: "sla", operator: "Lt", value: "99" }, sla, true],
    ["Lt: numbers are compared as numbers", { key: "sla", operator: "Lt", value: "100" }, sla, true],
    ["a word is never greater", { key: "gpu", operator: "Gt", value: "1" }, gpu, false],
    ["leading zeros make no number", { key: "sla", operator: "Gt", value: "090" }, sla, false],
  ])("%s", (_, toleration, taint, answer) => {
    expect(tolerates(toleration, taint)).toBe(answer);
  });

  test("PreferNoSchedule counts until it is relaxed", () => {
    const soft: Taint = { key: "soft", effect: "PreferNoSchedule" };
    expect(firstUntolerated([soft], [])).toBe(soft);
    expect(firstUntolerated([gpu, soft], [{ key: "gpu", operator: "Exists" }])).toBe(soft);
    expect(firstUntolerated([], undefined)).toBeUndefined();
  });
});

test("taints that a starting node sheds are known by key and effect", () => {
  expect(isEphemeral({ key: "node.kubernetes.io/not-ready", effect: "NoExecute", value: "x" })).toBe(true);
  expect(isEphemeral({ key: "readiness.k8s.io/network", effect: "NoSchedule" })).toBe(true);
  expect(isEphemeral({ key: "karpenter.sh/unregistered", effect: "NoExecute" })).toBe(true);
  expect(isEphemeral({ key: "node.kubernetes.io/unreachable", effect: "NoExecute" })).toBe(false);
  expect(isEphemeral(gpu)).toBe(false);
});

test("two taints are the same one whatever their values", () => {
  expect(sameTaint(gpu, { ...gpu, value: "other" })).toBe(true);
  expect(sameTaint(gpu, { ...gpu, effect: "NoExecute" })).toBe(false);
});

test("a taint reads as kubectl shows it", () => {
  expect(describeTaint(gpu)).toBe("gpu=true:NoSchedule");
  expect(describeTaint({ key: "soft", effect: "PreferNoSchedule" })).toBe("soft:PreferNoSchedule");
});
