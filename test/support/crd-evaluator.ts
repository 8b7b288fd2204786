/**
 * Does with an object what the API server does with a custom resource, from the CRD's own text: nulls pruned, defaults
 * filled in, schema checked (ajv), lists of sets and maps checked for twins, then the CEL rules of every node (cel-js).
 * The counterpart against which `shared/api` is tested; it shares no code with it. Unknown fields are not pruned, because
 * `shared/api` keeps them.
 */
import { readFileSync } from "node:fs";
import { Environment, type ParseResult } from "@marcbachmann/cel-js";
import { Ajv, type ValidateFunction } from "ajv";
import { parse } from "yaml";

export interface Schema {
  readonly type?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "granular" | "atomic";
  readonly "x-kubernetes-validations"?: readonly { readonly rule: string; readonly message: string }[];
}

export interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: {
      readonly kind: string;
      readonly plural: string;
      readonly categories?: readonly string[];
      readonly shortNames?: readonly string[];
    };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: Schema };
      readonly subresources?: Readonly<Record<string, unknown>>;
      readonly additionalPrinterColumns?: readonly { readonly name: string; readonly priority?: number }[];
    }[];
  };
}

export interface Evaluation {
  /** The object with its defaults; quantities given as numbers are text, as `shared/api` hands them out. */
  readonly object: unknown;
  /** Empty: accepted. */
  readonly problems: readonly string[];
}

export function readCrd(path: URL): Crd {
  return parse(readFileSync(path, "utf8"));
}

const environment = new Environment({ unlistedVariablesAreDyn: true });

export class CrdEvaluator {
  readonly #schema: Schema;
  readonly #check: ValidateFunction;
  readonly #programs = new Map<string, ParseResult>();

  constructor(crd: Crd) {
    const [version] = crd.spec.versions;
    if (version === undefined) throw new Error(`${crd.metadata.name} has no version`);
    this.#schema = version.schema.openAPIV3Schema;
    const ajv = new Ajv({ strict: false, allErrors: true });
    ajv.addFormat("date-time", /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i);
    // The API server does not hold numbers to int64, whose bounds JSON numbers do not reach.
    ajv.addFormat("int32", { type: "number", validate: (value: number) => value >= -(2 ** 31) && value < 2 ** 31 });
    ajv.addFormat("int64", true);
    this.#check = ajv.compile(this.#schema);
  }

  /** `old`, a stored object, makes it an update: rules that speak of oldSelf count only then. */
  evaluate(raw: unknown, old?: unknown): Evaluation {
    const object = structuredClone(raw);
    prune(object, this.#schema);
    fillIn(object, this.#schema);
    if (!this.#check(object)) {
      const problems = (this.#check.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
      return { object, problems };
    }
    const problems = [...unfit(object, this.#schema, ""), ...this.#rules(object, old, this.#schema, "")];
    return { object: withTextQuantities(object, this.#schema), problems };
  }

  #rules(value: unknown, old: unknown, schema: Schema, at: string): string[] {
    const own = (schema["x-kubernetes-validations"] ?? []).flatMap(({ rule, message }) => {
      if (rule.includes("oldSelf") && old === undefined) return [];
      return this.#holds(rule, celValue(value, schema), celValue(old, schema)) ? [] : [`${at}: ${message}`];
    });
    const inner = children(value, schema).flatMap(({ key, value: child, schema: of }) =>
      this.#rules(child, counterpart(old, key, child, schema), of, `${at}/${key}`),
    );
    return [...own, ...inner];
  }

  /** An error of a rule is a violation, as in the API server. */
  #holds(rule: string, self: unknown, oldSelf: unknown): boolean {
    const program = this.#programs.get(rule) ?? environment.parse(rule);
    this.#programs.set(rule, program);
    try {
      return program({ self, oldSelf }) === true;
    } catch {
      return false;
    }
  }
}

interface Child {
  readonly key: string | number;
  readonly value: unknown;
  readonly schema: Schema;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The parts of a value that its schema describes. */
function children(value: unknown, schema: Schema): readonly Child[] {
  const { items } = schema;
  if (Array.isArray(value) && items !== undefined) {
    return value.map((item: unknown, index) => ({ key: index, value: item, schema: items }));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const of = schema.properties?.[key] ?? schema.additionalProperties;
    return of === undefined ? [] : [{ key, value: child, schema: of }];
  });
}

/** The value in the old object that `child` is compared with: none in atomic lists, by key in lists that are maps. */
function counterpart(old: unknown, key: string | number, child: unknown, schema: Schema): unknown {
  if (isObject(old)) return old[key];
  if (!Array.isArray(old) || schema["x-kubernetes-list-type"] !== "map" || !isObject(child)) return undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return old.find((item: unknown) => isObject(item) && keys.every((name) => item[name] === child[name]));
}

function prune(value: unknown, schema: Schema): void {
  for (const { key, value: child, schema: of } of children(value, schema)) {
    if (child === null && of.default === undefined && isObject(value)) delete value[key];
    else prune(child, of);
  }
}

function fillIn(value: unknown, schema: Schema): void {
  if (isObject(value)) {
    for (const [key, of] of Object.entries(schema.properties ?? {})) {
      if ((value[key] === undefined || value[key] === null) && of.default !== undefined) {
        value[key] = structuredClone(of.default);
      }
    }
  }
  for (const child of children(value, schema)) fillIn(child.value, child.schema);
}

/** What ajv cannot say: twins in sets and maps, and whole numbers beyond int64, which are floats to the API server. */
function unfit(value: unknown, schema: Schema, at: string): string[] {
  const own: string[] = [];
  const kind = schema["x-kubernetes-list-type"];
  if (Array.isArray(value) && (kind === "set" || kind === "map")) {
    const keys = schema["x-kubernetes-list-map-keys"];
    const names = value.map((item: unknown) =>
      JSON.stringify(keys === undefined || !isObject(item) ? item : keys.map((key) => item[key])),
    );
    if (new Set(names).size < names.length) own.push(`${at}: repeats an item`);
  }
  if (typeof value === "number" && Math.abs(value) >= 2 ** 63) own.push(`${at}: is no int64`);
  return [
    ...own,
    ...children(value, schema).flatMap((child) => unfit(child.value, child.schema, `${at}/${child.key}`)),
  ];
}

/** Whole numbers are BigInt in cel-js. */
function celValue(value: unknown, schema: Schema): unknown {
  if (typeof value === "number" && Number.isInteger(value) && schema.type !== "number") return BigInt(value);
  if (Array.isArray(value)) return value.map((item: unknown) => celValue(item, schema.items ?? {}));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      celValue(child, schema.properties?.[key] ?? schema.additionalProperties ?? {}),
    ]),
  );
}

function withTextQuantities(value: unknown, schema: Schema): unknown {
  if (schema["x-kubernetes-int-or-string"] === true) return String(value);
  if (Array.isArray(value)) return value.map((item: unknown) => withTextQuantities(item, schema.items ?? {}));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      withTextQuantities(child, schema.properties?.[key] ?? schema.additionalProperties ?? {}),
    ]),
  );
}
