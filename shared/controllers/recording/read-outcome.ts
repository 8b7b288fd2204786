import type { KubeObject } from "#api/core-v1/meta.ts";
import { type Fault, faultKinds } from "#core/fault.ts";
import type { Instance } from "#core/instance.ts";
import type { Outcome } from "#core/outcome.ts";
import type { Checks } from "./checks.ts";

/** What became of a recorded command. */
export function readOutcome(
  checks: Checks,
  at: string,
  raw: unknown,
  readObject: (field: string, raw: unknown) => KubeObject | undefined,
): Outcome {
  const outcome = checks.record(at, raw);
  if (checks.oneOf(`${at}.kind`, outcome.kind, ["done", "failed"]) === "failed") {
    return { kind: "failed", fault: readFault(checks, `${at}.fault`, outcome.fault) };
  }
  const object = outcome.object === undefined ? undefined : readObject(`${at}.object`, outcome.object);
  return {
    kind: "done",
    ...(object === undefined ? {} : { object }),
    ...(outcome.instance === undefined ? {} : { instance: readInstance(checks, `${at}.instance`, outcome.instance) }),
    ...(outcome.refused === undefined ? {} : { refused: readOfferings(checks, `${at}.refused`, outcome.refused) }),
    ...(outcome.fullSubnets === undefined
      ? {}
      : { fullSubnets: checks.texts(`${at}.fullSubnets`, outcome.fullSubnets) }),
  };
}

function readFault(checks: Checks, at: string, raw: unknown): Fault {
  const { kind, code, message, reason, retryAfterMs, offerings, fullSubnets } = checks.record(at, raw);
  const [first, ...others] = faultKinds;
  return {
    kind: checks.oneOf(`${at}.kind`, kind, [first, ...others]),
    code: checks.text(`${at}.code`, code),
    message: checks.text(`${at}.message`, message),
    ...(reason === undefined ? {} : { reason: checks.text(`${at}.reason`, reason) }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs: checks.time(`${at}.retryAfterMs`, retryAfterMs) }),
    ...(offerings === undefined ? {} : { offerings: readOfferings(checks, `${at}.offerings`, offerings) }),
    ...(fullSubnets === undefined ? {} : { fullSubnets: checks.texts(`${at}.fullSubnets`, fullSubnets) }),
  };
}

function readOfferings(checks: Checks, at: string, raw: unknown): NonNullable<Fault["offerings"]> {
  return checks.list(at, raw).map((one, index) => {
    const { instanceType, zone, capacityType } = checks.record(`${at}[${index}]`, one);
    return {
      instanceType: checks.text(`${at}[${index}].instanceType`, instanceType),
      zone: checks.text(`${at}[${index}].zone`, zone),
      capacityType: checks.text(`${at}[${index}].capacityType`, capacityType),
    };
  });
}

export function readInstance(checks: Checks, at: string, raw: unknown): Instance {
  const instance = checks.record(at, raw);
  const text = (key: keyof Instance): string => checks.text(`${at}.${key}`, instance[key]);
  const optional = (key: "imageId" | "subnetId" | "reservationId") =>
    instance[key] === undefined ? {} : { [key]: text(key) };
  const { securityGroupIds: groups, partition } = instance;
  return {
    id: text("id"),
    providerID: text("providerID"),
    state: checks.oneOf(`${at}.state`, instance.state, [
      "pending",
      "running",
      "stopping",
      "stopped",
      "shutting-down",
      "terminated",
    ]),
    instanceType: text("instanceType"),
    zone: text("zone"),
    capacityType: text("capacityType"),
    launchedAtMs: checks.time(`${at}.launchedAtMs`, instance.launchedAtMs),
    tags: checks.textMap(`${at}.tags`, instance.tags),
    ...optional("imageId"),
    ...optional("subnetId"),
    ...optional("reservationId"),
    ...(groups === undefined ? {} : { securityGroupIds: checks.texts(`${at}.securityGroupIds`, groups) }),
    ...(partition === undefined ? {} : { partition: checks.time(`${at}.partition`, partition) }),
  };
}
