const againMs = 500;
/** Some minutes: longer than an API server is ever away. */
const triesMax = 400;

/** Carries an action out; what fails while the API server is away is tried again, until whoever wants it is stopped. */
export async function untilDone(action: () => Promise<void>, isStopped: () => boolean): Promise<void> {
  for (let tries = 0; tries < triesMax && !isStopped(); tries++) {
    const isDone = await action().then(
      () => true,
      () => false,
    );
    if (isDone) return;
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
}
