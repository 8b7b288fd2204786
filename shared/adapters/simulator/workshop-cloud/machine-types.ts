/** A type of machine as the workshop's price list has it. */
export interface MachineType {
  readonly name: string;
  readonly family: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly places: number;
  readonly pricePerHour: number;
  readonly halls: readonly string[];
}

export const region = "riverside";
export const halls = ["north-hall", "south-hall"] as const;

interface Family {
  readonly memoryGiBPerCore: number;
  readonly pricePerCore: number;
  readonly halls: readonly string[];
}

const families: Readonly<Record<string, Family>> = {
  anvil: { memoryGiBPerCore: 2, pricePerCore: 0.03, halls },
  bellows: { memoryGiBPerCore: 4, pricePerCore: 0.04, halls },
  crucible: { memoryGiBPerCore: 8, pricePerCore: 0.06, halls: ["north-hall"] },
};

/** Three families in four sizes; prices are linear in cores. */
export const machineTypes: readonly MachineType[] = Object.entries(families).flatMap(([family, terms]) =>
  [2, 4, 8, 16].map((cores) => ({
    name: `${family}-${cores}`,
    family,
    cores,
    memoryGiB: cores * terms.memoryGiBPerCore,
    places: 30,
    pricePerHour: cores * terms.pricePerCore,
    halls: terms.halls,
  })),
);
