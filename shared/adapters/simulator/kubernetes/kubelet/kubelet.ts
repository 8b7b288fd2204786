import type { Node } from "#api/core-v1/node.ts";
import { formatTime } from "#api/time.ts";
import type { Machine, MachineListener } from "../../machine.ts";
import { notReadyTaintKey, unreachableTaintKey } from "../api-server/admission.ts";
import { asJson } from "../api-server/api-server.ts";
import type { Parts } from "../parts.ts";
import { PodRunner } from "./pod-runner.ts";
import { conditionsOf, csiNodeOf, nodeOf } from "./registration.ts";
import { removeStartupTaints } from "./startup-taints.ts";

/** A kubelet that may not register tries again so soon. */
const refusedJoinMs = 30_000;

/** A machine that kubelet runs on, or stands for one. */
interface Host {
  readonly nodeName: string;
  alive: boolean;
}

/**
 * All kubelets of the cluster. A machine that booted joins as a Node after the joining time and is Ready some time
 * later; then it runs what is bound to it. A machine that is gone falls silent: the node lifecycle controller notices
 * after its grace period, and the cloud controller manager deletes the Node, since its instance does not exist.
 */
export class Kubelet implements MachineListener {
  readonly #parts: Parts;
  readonly #admits: (machine: Machine) => boolean;
  readonly #runner: PodRunner;
  readonly #hosts = new Map<string, Host>();
  readonly #machines = new Map<string, Machine>();

  constructor(parts: Parts, admits: (machine: Machine) => boolean = () => true) {
    this.#parts = parts;
    this.#admits = admits;
    this.#runner = new PodRunner(parts, (nodeName) => this.#hosts.get(nodeName)?.alive === true);
  }

  readonly booted = (machine: Machine): void => {
    this.#machines.set(machine.instanceId, machine);
    this.#parts.clock.after(this.#jittered(this.#parts.delays.nodeJoinMs), () => this.#join(machine));
  };

  readonly gone = (instanceId: string): void => {
    const machine = this.#machines.get(instanceId);
    if (machine === undefined) return;
    this.#machines.delete(instanceId);
    const host = this.#hosts.get(machine.nodeName);
    if (host === undefined) return;
    host.alive = false;
    this.#runner.nodeIsGone(machine.nodeName);
    const { clock, delays } = this.#parts;
    clock.after(delays.nodeMonitorGraceMs, () => this.#lost(machine));
  };

  /**
   * Nodes that came with the manifests run their pods, unless they say that they are not Ready: then nobody answers for
   * them, and they stay so.
   */
  adoptNodesWithoutMachine(): void {
    for (const node of this.#parts.api.store.list("Node")) {
      const { name } = node.metadata;
      if (this.#hosts.has(name)) continue;
      const ready = node.status?.conditions?.find(({ type }) => type === "Ready")?.status;
      const alive = ready === undefined || ready === "True";
      this.#hosts.set(name, { nodeName: name, alive });
      if (alive) this.#adopt(node);
    }
  }

  #join(machine: Machine): void {
    // Terminated before its kubelet came up.
    if (!this.#machines.has(machine.instanceId)) return;
    const { api, clock, delays, csiDrivers } = this.#parts;
    if (!this.#admits(machine)) {
      clock.after(refusedJoinMs, () => this.#join(machine));
      return;
    }
    const answer = api.create(nodeOf(machine, csiDrivers, formatTime(clock.nowMs())));
    if (answer.kind === "refused") return;
    this.#hosts.set(machine.nodeName, { nodeName: machine.nodeName, alive: true });
    api.create(csiNodeOf(answer.object, csiDrivers));
    clock.after(this.#jittered(delays.nodeReadyMs), () => this.#becomeReady(machine));
  }

  #becomeReady(machine: Machine): void {
    if (!this.#machines.has(machine.instanceId)) return;
    const { api, clock } = this.#parts;
    const conditions = conditionsOf("True", formatTime(clock.nowMs()));
    const answer = api.patchStatus("Node", machine.nodeName, undefined, { conditions: asJson(conditions) });
    if (answer.kind === "refused") return;
    this.#runner.nodeIsReady(machine.nodeName);
    removeStartupTaints(machine.nodeName, this.#parts);
  }

  #adopt(node: Node): void {
    const { api, clock } = this.#parts;
    const { name } = node.metadata;
    const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
    api.patchStatus("Node", name, undefined, {
      allocatable: asJson(node.status?.allocatable ?? node.status?.capacity ?? {}),
      ...(ready?.status === "True" ? {} : { conditions: asJson(conditionsOf("True", formatTime(clock.nowMs()))) }),
    });
    // At once, and not by the node lifecycle controller: pods of the same manifests must not see it unready.
    const taints = (node.spec.taints ?? []).filter(
      ({ key }) => key !== notReadyTaintKey && key !== unreachableTaintKey,
    );
    api.patch("Node", name, undefined, { spec: { taints: taints.length === 0 ? null : asJson(taints) } });
    this.#runner.nodeIsReady(name);
  }

  #lost(machine: Machine): void {
    const { api, clock, delays } = this.#parts;
    if (!this.#isNodeOf(machine)) return;
    const conditions = conditionsOf("Unknown", formatTime(clock.nowMs()));
    api.patchStatus("Node", machine.nodeName, undefined, { conditions: asJson(conditions) });
    clock.after(delays.cloudNodePeriodMs, () => {
      if (this.#isNodeOf(machine)) api.delete("Node", machine.nodeName, undefined);
    });
  }

  /** A later machine may have taken the name. */
  #isNodeOf(machine: Machine): boolean {
    return this.#parts.api.store.get("Node", machine.nodeName)?.spec.providerID === machine.providerID;
  }

  /** Within a fifth of the usual time, either way. */
  #jittered(ms: number): number {
    return Math.round(ms * (0.8 + 0.4 * this.#parts.random()));
  }
}
