import { randomFrom } from "#core/random.ts";

/** Kubernetes' alphabet for generated names: no vowels, nothing that looks like another character. */
const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
/** Kubernetes cuts the prefix so that name and suffix fit a label value. */
const prefixLengthMax = 63 - suffixLength;

/** Makes UIDs and name suffixes, the same for the same seed. */
export class Identity {
  readonly #random: () => number;
  readonly #avoided = new Set<string>();

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  /** A UID of another cluster's object, or of another run with this seed: no new object gets it. */
  avoid(uid: string): void {
    this.#avoided.add(uid);
  }

  /** A UUID in form (version 4), drawn from the seed. */
  uid(): string {
    for (;;) {
      const uid = this.#draw();
      if (!this.#avoided.has(uid)) return uid;
    }
  }

  #draw(): string {
    const digit = (): string => Math.floor(this.#random() * 16).toString(16);
    const digits = (count: number): string => Array.from({ length: count }, digit).join("");
    const variant = "89ab".charAt(Math.floor(this.#random() * 4));
    return `${digits(8)}-${digits(4)}-4${digits(3)}-${variant}${digits(3)}-${digits(12)}`;
  }

  generatedName(prefix: string): string {
    return prefix.slice(0, prefixLengthMax) + this.suffix();
  }

  suffix(): string {
    const character = (): string => suffixAlphabet.charAt(Math.floor(this.#random() * suffixAlphabet.length));
    return Array.from({ length: suffixLength }, character).join("");
  }
}
