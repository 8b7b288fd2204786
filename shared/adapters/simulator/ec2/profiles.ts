import { stableHash } from "#core/stable-hash.ts";

/** Instance profiles. An obliging account has one for each node role that is asked for. */
export class Profiles {
  readonly #clusterName: string;
  readonly #obliging: boolean;
  readonly #roles = new Map<string, string>();

  constructor(clusterName: string, obliging: boolean) {
    this.#clusterName = clusterName;
    this.#obliging = obliging;
  }

  /** The profile that carries `role`, the first by name; undefined where there is none. */
  ofRole(role: string): string | undefined {
    const own = [...this.#roles].filter(([, held]) => held === role).map(([name]) => name);
    if (own.length > 0 || !this.#obliging) return own.sort()[0];
    const name = `${this.#clusterName}_${stableHash(role, 12)}`;
    this.#roles.set(name, role);
    return name;
  }

  /** Profiles of the user's own exist in an obliging account. */
  has(name: string): boolean {
    return this.#roles.has(name) || (this.#obliging && name !== "");
  }

  register(name: string, role = ""): void {
    if (!this.#roles.has(name)) this.#roles.set(name, role);
  }

  delete(name: string): void {
    this.#roles.delete(name);
  }
}
