import type { EnsureLaunchTemplate, LaunchInstance } from "#core/command.ts";
import type { Outcome } from "#core/outcome.ts";
import { noDelays } from "#simulator/ec2/delays.ts";
import { embeddedCatalogue } from "#simulator/ec2/embedded-catalogue.ts";
import type { Ec2Options } from "#simulator/ec2/options.ts";
import { SimulatedEc2 } from "#simulator/ec2/simulated-ec2.ts";
import type { BusMessage, Machine, MachineListener } from "#simulator/machine.ts";
import { VirtualClock } from "#simulator/virtual-clock.ts";

const catalogue = embeddedCatalogue();
export const startMs = Date.UTC(2026, 0, 1);
const discovery = { key: "d", filters: [{ name: "tag:karpenter.sh/discovery", values: ["demo"] }] };
const parameter = "/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/recommended/image_id";
export const usualQuery = {
  subnets: [discovery],
  securityGroups: [discovery],
  images: [],
  parameters: [parameter],
  roles: ["node"],
};
const tags = { "eks:eks-cluster-name": "demo", "karpenter.sh/nodepool": "default", "karpenter.sh/nodeclaim": "x" };

export interface SimulatedAccount {
  readonly clock: VirtualClock;
  readonly ec2: SimulatedEc2;
  /** "seconds what", of machines and messages. */
  readonly log: string[];
  readonly booted: readonly Machine[];
  readonly messages: readonly BusMessage[];
  readonly template: EnsureLaunchTemplate;
  /** In us-east-1a. */
  readonly subnetId: string;
  /** Lets as much time pass as the work needs, ten seconds at most. */
  readonly wait: <T>(work: Promise<T>) => Promise<T>;
  /** A spot m5.large in us-east-1a under a new token, unless `change` says otherwise. */
  readonly launch: (change?: Partial<LaunchInstance>) => Promise<Outcome>;
}

/** An account without delays (unless `options` say otherwise) that holds the launch template `t`. */
export async function simulatedAccount(options: Partial<Ec2Options> = {}): Promise<SimulatedAccount> {
  const clock = new VirtualClock(startMs);
  const { machines, log, booted } = listeners(clock);
  const ec2 = new SimulatedEc2(clock, machines, {
    ...{ seed: 1, catalogue, clusterName: "demo", delays: noDelays },
    ...options,
  });
  const messages: BusMessage[] = [];
  ec2.bus.subscribe((message) => {
    messages.push(message);
    log.push(`${secondsOf(clock)} ${String(message.detail.state ?? message["detail-type"])}`);
  });
  const wait = <T>(work: Promise<T>): Promise<T> => waitFor(work, clock);
  const { view } = await wait(ec2.observe(usualQuery));
  const template: EnsureLaunchTemplate = {
    ...{ kind: "ensure-launch-template", name: "t", imageId: view.parameters[parameter] ?? "", tags },
    details: {
      IamInstanceProfile: { Name: view.instanceProfiles.node ?? "" },
      NetworkInterfaces: [{ DeviceIndex: 0, Groups: (view.securityGroups.d ?? []).map(({ id }) => id) }],
    },
    bootstrap: { clusterName: "demo", labels: { "karpenter.sh/nodepool": "default" }, taints: [] },
  };
  await wait(ec2.apply(template));
  const subnetId = view.subnets.d?.find(({ zone }) => zone === "us-east-1a")?.id ?? "";
  let token = 0;
  const launch = (change: Partial<LaunchInstance> = {}): Promise<Outcome> =>
    ec2.apply({
      ...{ kind: "launch-instance", nodeClaim: "x", nodeClaimUid: "u", attempt: 1, token: `t${token++}`, tags },
      capacityType: "spot",
      options: [{ instanceType: "m5.large", zone: "us-east-1a", pricePerHour: 0.04, subnetId, launchTemplate: "t" }],
      ...change,
    });
  return { clock, ec2, log, booted, messages, wait, launch, template, subnetId };
}

async function waitFor<T>(work: Promise<T>, clock: VirtualClock): Promise<T> {
  let isDone = false;
  const done = (): void => {
    isDone = true;
  };
  work.then(done, done);
  const endMs = clock.nowMs() + 10_000;
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isDone || clock.nowMs() >= endMs) break;
    await clock.runUntil(clock.nowMs() + 50);
  }
  if (!isDone) throw new Error("a call took more than ten seconds");
  return work;
}

function listeners(clock: VirtualClock): {
  readonly machines: MachineListener;
  readonly log: string[];
  readonly booted: Machine[];
} {
  const log: string[] = [];
  const booted: Machine[] = [];
  const machines: MachineListener = {
    booted: (machine) => {
      booted.push(machine);
      log.push(`${secondsOf(clock)} booted`);
    },
    gone: () => log.push(`${secondsOf(clock)} gone`),
  };
  return { machines, log, booted };
}

function secondsOf(clock: VirtualClock): number {
  return (clock.nowMs() - startMs) / 1000;
}
