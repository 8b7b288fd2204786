import type { Ports } from "#controllers/ports.ts";

/** Freezes plain data through and through: a stage that writes to its snapshot throws. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const each of Object.values(value)) deepFreeze(each);
  return value;
}

/** The same ports; what they show is frozen. */
export function frozenPorts<Query, View>(ports: Ports<Query, View>): Ports<Query, View> {
  const { cluster, cloud } = ports;
  return {
    ...ports,
    cluster: {
      observe: async (scope) => deepFreeze(await cluster.observe(scope)),
      apply: cluster.apply,
      nextChange: cluster.nextChange,
    },
    cloud: {
      observe: async (query) => deepFreeze(await cloud.observe(query)),
      apply: (command) => cloud.apply(command),
    },
  };
}
