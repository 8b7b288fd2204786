import { handleInterruptions } from "#controllers/interruption.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { BusMessage } from "#simulator/machine.ts";
import { KubernetesCluster } from "../../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { LeaseStore } from "../../../shared/adapters/kubernetes/lease-store.ts";
import type { Transport } from "../../../shared/adapters/kubernetes/transport.ts";
import { realClock } from "../../../shared/adapters/system/real-clock.ts";

/** A message comes back so often before it is given up, and so late, ms. */
const deliveriesMax = 20;
const againMs = 1_000;

/** The interruption function behind its queue: a message that it does not take comes again. */
export class InterruptionFunction {
  readonly #transport: Transport;
  #closed = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  hear(message: BusMessage): void {
    void this.#deliver(message, 1);
  }

  close(): void {
    this.#closed = true;
    this.#transport.close();
  }

  async #deliver(message: BusMessage, delivery: number): Promise<void> {
    if (this.#closed || delivery > deliveriesMax) return;
    const cluster = new KubernetesCluster(this.#transport);
    const ports = { cluster, clock: realClock, leases: new LeaseStore(this.#transport) };
    const messages = [{ id: message.id, body: message }];
    const isTaken = await handleInterruptions(messages, { provider: ec2Provider }, ports).then(
      ({ failed }) => failed.length === 0,
      () => false,
    );
    cluster.close();
    if (isTaken) return;
    await realClock.sleepUntil(Date.now() + againMs);
    await this.#deliver(message, delivery + 1);
  }
}
