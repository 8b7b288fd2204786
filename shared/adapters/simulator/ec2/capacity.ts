/** Where instances come from: EC2 keeps capacity apart by type, zone and capacity type. */
export interface Pool {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
}

/** Which pools; an absent field means all. */
export type PoolPattern = Partial<Pool>;

interface Limit {
  readonly pattern: PoolPattern;
  readonly atMost: number;
  readonly untilMs: number;
}

export function poolName({ instanceType, zone, capacityType }: Pool): string {
  return `${instanceType} ${zone} ${capacityType}`;
}

/** How many instances each pool gives. Without a limit: as many as are asked for. */
export class Capacity {
  readonly #limits: Limit[] = [];
  readonly #taken = new Map<string, number>();

  /** Pools that match hold `atMost` instances altogether each, until `untilMs`; 0 is a shortage. Later limits win. */
  limit(pattern: PoolPattern, atMost: number, untilMs = Number.POSITIVE_INFINITY): void {
    this.#limits.push({ pattern, atMost, untilMs });
  }

  /** Forgets every limit. */
  unlimit(): void {
    this.#limits.length = 0;
  }

  has(pool: Pool, nowMs: number): boolean {
    return (this.#taken.get(poolName(pool)) ?? 0) < this.#mostOf(pool, nowMs);
  }

  take(pool: Pool): void {
    const name = poolName(pool);
    this.#taken.set(name, (this.#taken.get(name) ?? 0) + 1);
  }

  giveBack(pool: Pool): void {
    const name = poolName(pool);
    this.#taken.set(name, (this.#taken.get(name) ?? 0) - 1);
  }

  #mostOf(pool: Pool, nowMs: number): number {
    for (let first = this.#limits[0]; first !== undefined && first.untilMs <= nowMs; first = this.#limits[0]) {
      this.#limits.shift();
    }
    const limit = this.#limits.findLast(({ pattern, untilMs }) => untilMs > nowMs && covers(pattern, pool));
    return limit?.atMost ?? Number.POSITIVE_INFINITY;
  }
}

function covers(pattern: PoolPattern, pool: Pool): boolean {
  return (
    (pattern.instanceType ?? pool.instanceType) === pool.instanceType &&
    (pattern.zone ?? pool.zone) === pool.zone &&
    (pattern.capacityType ?? pool.capacityType) === pool.capacityType
  );
}
