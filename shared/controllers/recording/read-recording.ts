import type { KubeObject } from "#api/core-v1/meta.ts";
import { isJsonObject } from "#api/problem.ts";
import type { Command } from "#core/command.ts";
import type { Step } from "#core/outcome.ts";
import { type Recording, recordingVersion } from "#core/recording/recording.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { Checks } from "./checks.ts";
import { readCluster, readKubeObject } from "./read-cluster-view.ts";
import { readInstance, readOutcome } from "./read-outcome.ts";
import { readSettings } from "./read-settings.ts";

export type RecordingAnswer<View> =
  | { readonly kind: "recording"; readonly recording: Recording<View> }
  /** At most 20, each with its field. */
  | { readonly kind: "problems"; readonly problems: readonly string[] };

export type ViewAnswer<View> =
  | { readonly kind: "view"; readonly view: View }
  | { readonly kind: "problems"; readonly problems: readonly string[] };

/** The door of recordings: parsed JSON comes out checked, or with what is wrong. `readView` reads the provider's part. */
export function readRecording<View>(raw: unknown, readView: (raw: unknown) => ViewAnswer<View>): RecordingAnswer<View> {
  if (!isJsonObject(raw)) return { kind: "problems", problems: ["a recording must be an object"] };
  if (raw.version !== recordingVersion) {
    const got = JSON.stringify(raw.version) ?? "nothing";
    return {
      kind: "problems",
      problems: [`version must be ${recordingVersion}, the one this release reads; got ${got}`],
    };
  }
  const checks = new Checks();
  const { steps, cutShort, release } = raw;
  const view = readView(
    isJsonObject(raw.snapshot) && isJsonObject(raw.snapshot.cloud) ? raw.snapshot.cloud.view : undefined,
  );
  if (view.kind === "problems") for (const problem of view.problems) checks.tell(`snapshot.cloud.view: ${problem}`);
  const snapshot = readSnapshot(checks, raw.snapshot);
  const read: Omit<Recording, "snapshot"> = {
    version: recordingVersion,
    release: release === undefined ? "unknown" : checks.text("release", release),
    ...(steps === undefined ? {} : { steps: checks.list("steps", steps).map((one, at) => readStep(checks, one, at)) }),
    ...(cutShort === undefined ? {} : { cutShort: readCutShort(checks, cutShort) }),
  };
  if (checks.problems.length > 0 || view.kind === "problems") return { kind: "problems", problems: checks.problems };
  return {
    kind: "recording",
    recording: { ...read, snapshot: { ...snapshot, cloud: { ...snapshot.cloud, view: view.view } } },
  };
}

function readSnapshot(checks: Checks, raw: unknown): Snapshot<undefined> {
  const { nowMs, seed, decisionId, settings, cluster, cloud } = checks.record("snapshot", raw);
  const { instances, incomplete } = checks.record("snapshot.cloud", cloud);
  return {
    nowMs: checks.time("snapshot.nowMs", nowMs),
    seed: checks.time("snapshot.seed", seed),
    decisionId: checks.text("snapshot.decisionId", decisionId),
    settings: readSettings(checks, settings),
    cluster: readCluster(checks, cluster),
    cloud: {
      instances: checks
        .list("snapshot.cloud.instances", instances)
        .map((one, at) => readInstance(checks, `snapshot.cloud.instances[${at}]`, one)),
      incomplete: checks.texts("snapshot.cloud.incomplete", incomplete),
      view: undefined,
    },
    steps: [],
  };
}

/** A command is compared and not carried out: of it only the kind is asked for. */
function readStep(checks: Checks, raw: unknown, index: number): Step {
  const at = `steps[${index}]`;
  const { stage, command, outcome } = checks.record(at, raw);
  const { kind } = checks.record(`${at}.command`, command);
  checks.text(`${at}.command.kind`, kind);
  return {
    stage: checks.text(`${at}.stage`, stage),
    command: command as Command,
    outcome: readOutcome(checks, `${at}.outcome`, outcome, (field, object): KubeObject | undefined =>
      readKubeObject(checks, field, object),
    ),
  };
}

function readCutShort(checks: Checks, raw: unknown): NonNullable<Recording["cutShort"]> {
  const { stage, cause, message } = checks.record("cutShort", raw);
  return {
    stage: checks.text("cutShort.stage", stage),
    cause: checks.oneOf("cutShort.cause", cause, ["time", "defect"]),
    message: checks.text("cutShort.message", message),
  };
}
