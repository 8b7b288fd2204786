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

  constructor(block: readonly [number, number]) {
    this.#block = block;
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
    // The first four addresses are the router's and its neighbours'.
    const number = this.#named < usualAddresses ? 4 + this.#named++ : this.#returned.shift();
    if (number === undefined) return undefined;
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
