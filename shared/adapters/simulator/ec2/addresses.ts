import type { CatalogueType } from "#ec2/instance-type/catalogue.ts";

/** A /20 less the five addresses that AWS keeps. */
export const usualAddresses = 4_091;

/** The free addresses of one subnet, of which some become the names of machines. */
export class Addresses {
  /** Second and third part of the subnet's IPv4 block. */
  readonly #block: readonly [number, number];
  #size = usualAddresses;
  #used = 0;
  #named = 0;
  /** Given back, oldest first: an address comes again only when all were used once. */
  readonly #returned: number[] = [];
  /** Machines elsewhere have them. */
  readonly #avoided: ReadonlySet<string>;

  constructor(block: readonly [number, number], avoided: ReadonlySet<string> = new Set()) {
    this.#block = block;
    this.#avoided = avoided;
  }

  get free(): number {
    return Math.max(this.#size - this.#used, 0);
  }

  /** 1 to 4,091. */
  resize(size: number): void {
    this.#size = Math.min(size, usualAddresses);
  }

  /** Takes `count` and answers the machine's own; undefined when there are fewer. */
  take(count: number): string | undefined {
    if (this.free < count) return undefined;
    this.#used += count;
    const number = this.#nextNumber();
    return number === undefined ? undefined : this.#textOf(number);
  }

  #nextNumber(): number | undefined {
    while (this.#named < usualAddresses) {
      // The first four addresses are the router's and its neighbours'.
      const number = 4 + this.#named++;
      if (!this.#avoided.has(this.#textOf(number))) return number;
    }
    return this.#returned.shift();
  }

  #textOf(number: number): string {
    const [second, third] = this.#block;
    return `10.${second}.${third + (number >> 8)}.${number & 255}`;
  }

  /** `address` as `take` answered it, with the `count` taken then. */
  giveBack(address: string, count: number): void {
    this.#used -= count;
    const [, , third = 0, last = 0] = address.split(".").map(Number);
    this.#returned.push(((third - this.#block[1]) << 8) + last);
  }
}

/** What a machine takes of its subnet: the VPC CNI fills the first interface when the node joins. */
export function addressesOf(type: CatalogueType): number {
  return Math.max(type.ipv4PerEni, 1);
}
