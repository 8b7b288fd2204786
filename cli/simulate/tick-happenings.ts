import type { Fault, FaultKind } from "#core/fault.ts";
import { type ObjectRef, objectName } from "#core/object-ref.ts";
import type { Step } from "#core/outcome.ts";
import type { Reason, ReasonCode } from "#core/reason.ts";
import type { EntryKind, Happening } from "./timeline-entry.ts";

/** Which reasons a timeline tells. `undefined`: they say that nothing happened, or another line says it better. */
const kindOfCode: Readonly<Record<ReasonCode, EntryKind | undefined>> = {
  "pod-placed-on-node": "placed",
  "pod-placed-on-claim": "placed",
  // The claim's own reason tells of its pods.
  "pod-placed-on-new-claim": undefined,
  "pod-unschedulable": "waiting",
  "pod-deferred": "waiting",
  "pod-ignored": undefined,
  "claim-created": "decision",
  "claim-launching": "launch",
  "claim-launched": "launch",
  "claim-launch-failed": "trouble",
  "claim-adopted": "launch",
  "claim-registered": "registered",
  "claim-initialized": "ready",
  "claim-consistent": undefined,
  "claim-inconsistent": "trouble",
  "claim-waiting": undefined,
  "claim-drifted": "disruption",
  "claim-deleted": "disruption",
  "claim-terminated": "terminated",
  "claim-interrupted": "interruption",
  "node-draining": "drain",
  "node-disrupted": "disruption",
  "node-kept": undefined,
  "instance-collected": "terminated",
  "instance-kept": "kept",
  "pool-not-ready": "trouble",
  "pool-budget": undefined,
  "pool-limit": "trouble",
  "pool-resting": undefined,
  "node-class-not-ready": "trouble",
  "not-supported": "unsupported",
  "object-unreadable": "trouble",
  "read-refused": "trouble",
  "write-failed": "trouble",
  brake: "trouble",
  paused: "trouble",
};

/** Faults that belong to a healthy run: the object went meanwhile, another writer was first, a budget asks to wait. */
const quietFaults: ReadonlySet<FaultKind> = new Set(["conflict", "not-found", "already-exists", "eviction-refused"]);

/** What a tick, or a batch of interruption messages, decided and what became of it: one happening for what belongs together. */
export function happeningsOf(reasons: readonly Reason[], steps: readonly Step[]): readonly Happening[] {
  return [...grouped(reasons), ...failures(steps)];
}

/** Reasons that say the same of several objects become one happening, at the first one's place. */
function grouped(reasons: readonly Reason[]): readonly Happening[] {
  const groups = new Map<string, { readonly kind: EntryKind; readonly reason: Reason; readonly about: ObjectRef[] }>();
  const saidOfClaims = new Set(reasons.filter(({ about }) => about.kind === "NodeClaim").map(({ message }) => message));
  for (const reason of reasons) {
    const kind = kindOf(reason);
    // Events go to claim and node alike; a reader needs one of them.
    if (kind === undefined || (reason.about.kind === "Node" && saidOfClaims.has(reason.message))) continue;
    const key = `${reason.about.kind} ${reason.code} ${reason.message}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { kind, reason, about: [reason.about] });
    else group.about.push(reason.about);
  }
  return [...groups.values()].map(({ kind, reason, about }) => told(kind, about, reason.message));
}

/** Undefined: the timeline does not tell it. */
export function kindOf({ code, about }: Reason): EntryKind | undefined {
  return code === "node-draining" && about.kind === "Pod" ? "eviction" : kindOfCode[code];
}

function told(kind: EntryKind, about: readonly ObjectRef[], message: string): Happening {
  const [first] = about;
  if (first === undefined || first.name === "*") return { kind, message };
  const name = objectName(first);
  if (about.length > 1) {
    return { kind, message: `${about.length} ${first.kind}s (${name} and ${about.length - 1} more): ${message}` };
  }
  const kindName = first.kind === "NodeClass" ? (first.objectKind ?? "NodeClass") : first.kind;
  return { kind, object: `${kindName}/${name}`, message };
}

function failures(steps: readonly Step[]): readonly Happening[] {
  const faults = new Map<string, Fault>();
  for (const { command, outcome } of steps) {
    if (outcome.kind !== "failed" || quietFaults.has(outcome.fault.kind)) continue;
    // The core tells what it makes of a refused launch.
    if (command.kind === "launch-instance") continue;
    faults.set(`${command.kind} ${outcome.fault.code}`, outcome.fault);
  }
  return [...faults].map(([what, { message }]) => ({
    kind: "trouble",
    message: `${what.split(" ")[0]} failed: ${message}`,
  }));
}
