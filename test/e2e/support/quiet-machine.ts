/** How long the look takes, ms of CPU time. */
const workMs = 300;
/** Of a machine that has other things to do, time says nothing. */
const shareMin = 0.75;

/** The share of a processor that a busy loop gets now; figures are judged where it is nearly all of one. */
export function isQuiet(): boolean {
  const beganMs = performance.now();
  const began = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(began);
    const cpuMs = (user + system) / 1000;
    if (cpuMs >= workMs) return cpuMs / (performance.now() - beganMs) >= shareMin;
  }
}
