import { VirtualClock } from "#simulator/virtual-clock.ts";

const stepMs = 5;

/** A simulator's clock that goes with the machine's, for simulated parts beside real ones. */
export function startPacedClock(): { readonly clock: VirtualClock; readonly stop: () => void } {
  const clock = new VirtualClock(Date.now());
  let running = true;
  void (async () => {
    while (running) {
      await clock.runUntil(Date.now());
      await new Promise((resolve) => setTimeout(resolve, stepMs));
    }
  })();
  return {
    clock,
    stop: () => {
      running = false;
    },
  };
}
