import { expect, test } from "vitest";
import type { Reason } from "#core/reason.ts";
import { News } from "./news.ts";

const reason = (code: Reason["code"], message: string, kind: "Pod" | "Node" | "NodePool" = "Pod"): Reason => ({
  about: { kind, name: "a" },
  code,
  message,
});
const heard = (news: News, atMs: number, ...reasons: readonly Reason[]): readonly string[] =>
  news.hear(reasons, atMs).map(({ message }) => message);

test("what holds on is told once, however many ticks say it, and whatever its figures do", () => {
  const news = new News();
  const refused = (healthy: number) => reason("node-draining", `Not evicted: the budget has ${healthy} healthy pods`);
  expect(heard(news, 0, refused(3))).toHaveLength(1);
  expect(heard(news, 60_000, refused(4))).toEqual([]);
  expect(heard(news, 61_000)).toEqual([]);
  expect(heard(news, 300_000, refused(3))).toEqual([]);
  expect(heard(news, 301_000, reason("node-draining", "Evicted"))).toEqual(["Evicted"]);
  expect(heard(news, 302_000, refused(3))).toHaveLength(1);
});

test("two things that hold together do not make each other news", () => {
  const news = new News();
  const both = [
    reason("pool-not-ready", "There is no EC2NodeClass x", "NodePool"),
    reason("pool-not-ready", "Ready is False", "NodePool"),
  ];
  expect(heard(news, 0, ...both)).toHaveLength(2);
  expect(heard(news, 1_000, ...both)).toEqual([]);
});

test("what was not said for long has ended, and is news when it begins again", () => {
  const news = new News();
  const unready = reason("pool-not-ready", "Ready is False", "NodePool");
  heard(news, 0, unready);
  expect(heard(news, 600_001, unready)).toHaveLength(1);
});

test("a drain is told when it begins, not each time that one pod fewer is there", () => {
  const news = new News();
  const draining = (message: string) => reason("node-draining", message, "Node");
  expect(heard(news, 0, draining("3 pods are still on the node: a, b, c"))).toHaveLength(1);
  expect(heard(news, 1_000, draining("2 pods are still on the node: b, c"))).toEqual([]);
});

test("what happens is told each time", () => {
  const news = new News();
  const launched = reason("claim-launched", "Launched i-1");
  expect([...heard(news, 0, launched), ...heard(news, 1, launched)]).toHaveLength(2);
});
