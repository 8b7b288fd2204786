import { describe, expect, test } from "vitest";
import type { Answered, Broken } from "./exchange.ts";
import { againAfter, noTries, type Patience, type Tries } from "./repetition.ts";

const patient: Patience = { whenBusy: true, whenRefused: true, whenUnreached: true };
const answered = (status: number, retryAfterMs?: number): Answered => ({
  ...{ kind: "answered", status, body: "{}" },
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
const broken = (code: string): Broken => ({ kind: "broken", code, message: code });

/** The pauses before each repetition while the answer stays the same. */
function pauses(answer: Answered | Broken, patience: Patience = patient, chance = 0.5): readonly number[] {
  const waits: number[] = [];
  let tries: Tries = noTries;
  for (let calls = 0; calls < 20; calls++) {
    const again = againAfter(answer, tries, patience, chance);
    if (again === undefined) return waits;
    waits.push(again.waitMs);
    tries = { ...tries, [again.because]: tries[again.because] + 1 };
  }
  throw new Error("it is repeated for ever");
}

describe("a call is repeated", () => {
  test("after a 403 for some seconds, since a server that has just started knows nobody", () => {
    expect(pauses(answered(403))).toEqual([250, 500, 1_000, 2_000]);
  });

  test("after a 429 as it asks, never longer than 5 s a time", () => {
    expect(pauses(answered(429, 2_000))).toEqual([2_000, 2_000, 2_000]);
    expect(pauses(answered(429, 60_000))).toEqual([5_000, 5_000, 5_000]);
    expect(pauses(answered(429))).toEqual([1_000, 1_000, 1_000]);
  });

  test("once after a 401 and after a connection that died", () => {
    expect(pauses(answered(401))).toEqual([0]);
    for (const code of ["ECONNRESET", "EPIPE", "ECONNABORTED"]) expect(pauses(broken(code))).toEqual([0]);
  });

  test.each(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN"])(
    "for some 20 s after %s, since nothing was sent and a restart takes as long",
    (code) => {
      const waits = [250, 500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000];
      expect(pauses(broken(code))).toEqual(waits);
      expect(pauses(broken(code), patient, 0)).toEqual(waits.map((ms) => Math.round(ms * 0.75)));
      expect(pauses(broken(code), patient, 1)).toEqual(waits.map((ms) => Math.round(ms * 1.25)));
      expect(pauses(broken(code), { ...patient, whenUnreached: false })).toEqual([]);
    },
  );

  test("not after a 403 that is known to stay, nor after a 429 that means something else", () => {
    expect(pauses(answered(403), { ...patient, whenRefused: false })).toEqual([]);
    expect(pauses(answered(429, 1_000), { ...patient, whenBusy: false })).toEqual([]);
  });

  test.each([answered(200), answered(404), answered(409), answered(500), broken("ETIMEDOUT"), broken("ENOTFOUND")])(
    "not after $status$code",
    (answer) => expect(pauses(answer)).toEqual([]),
  );
});
