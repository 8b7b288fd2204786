import { stableHash } from "#core/stable-hash.ts";

/** Instance profiles: one for each node role that is asked for. */
export class Profiles {
  readonly #clusterName: string;
  readonly #obliging: boolean;
  readonly #names = new Set<string>();

  constructor(clusterName: string, obliging: boolean) {
    this.#clusterName = clusterName;
    this.#obliging = obliging;
  }

  /** The profile that carries `role`; made when there is none. */
  ofRole(role: string): string {
    const name = `${this.#clusterName}_${stableHash(role, 12)}`;
    this.#names.add(name);
    return name;
  }

  /** Profiles of the user's own exist in an obliging account. */
  has(name: string): boolean {
    return this.#names.has(name) || (this.#obliging && name !== "");
  }

  register(name: string): void {
    this.#names.add(name);
  }
}
