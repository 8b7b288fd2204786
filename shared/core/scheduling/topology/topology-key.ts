/** Karpenter counterpart: none, because it keeps domains as texts. Domains of one label key, as numbers. */
import { hostnameLabel } from "#api/karpenter-v1/labels.ts";

/** A label over which rules between pods count, with a number for each of its values. Hosts are numbered by the solver. */
export class TopologyKey {
  readonly name: string;
  /** Its place in lists by key; -1 for the hostname, whose domain is the node itself. */
  readonly index: number;
  /** By number. */
  readonly values: string[] = [];
  /** Of `values`, those that were there before pods were placed. */
  foreknown = 0;
  readonly #numbers = new Map<string, number>();

  constructor(name: string, index: number) {
    this.name = name;
    this.index = index;
  }

  domainOf(value: string): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.values.length;
    this.#numbers.set(value, number);
    this.values.push(value);
    return number;
  }

  valueOf(domain: number): string {
    return this.values[domain] ?? "";
  }
}

/** Each key once; the hostname apart from the others. */
export class TopologyKeys {
  readonly hostname = new TopologyKey(hostnameLabel, -1);
  /** All but the hostname, by index. */
  readonly list: TopologyKey[] = [];
  readonly #byName = new Map<string, TopologyKey>();

  keyOf(name: string): TopologyKey {
    if (name === hostnameLabel) return this.hostname;
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const key = new TopologyKey(name, this.list.length);
    this.#byName.set(name, key);
    this.list.push(key);
    return key;
  }
}
