/**
 * Karpenter counterpart: none. What EC2 answered, as a recording holds it: nothing of it is believed before its form was
 * checked.
 */
import { isJsonObject, shown } from "#api/problem.ts";
import { readCatalogue } from "./instance-type/read-catalogue.ts";
import type { Ec2View } from "./view.ts";

export type Ec2ViewAnswer =
  | { readonly kind: "view"; readonly view: Ec2View }
  | { readonly kind: "problems"; readonly problems: readonly string[] };

type Test = (value: unknown) => boolean;
const isText: Test = (value) => typeof value === "string";
const isCount: Test = (value) => Number.isSafeInteger(value);
const isFlag: Test = (value) => typeof value === "boolean";
const mapOf =
  (test: Test): Test =>
  (value) =>
    isJsonObject(value) && Object.values(value).every(test);
const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);
/** With at least these fields; those of `may` where they are there. */
const rowOf =
  (must: Readonly<Record<string, Test>>, may: Readonly<Record<string, Test>> = {}): Test =>
  (value) =>
    isJsonObject(value) &&
    Object.entries(must).every(([key, test]) => test(value[key])) &&
    Object.entries(may).every(([key, test]) => value[key] === undefined || test(value[key]));

const required: Readonly<Record<string, Test>> = {
  subnets: mapOf(listOf(rowOf({ id: isText, zone: isText, zoneId: isText, freeAddresses: isCount }))),
  securityGroups: mapOf(listOf(rowOf({ id: isText, name: isText }))),
  images: mapOf(listOf(rowOf({ id: isText, name: isText, arch: isText, createdAt: isText }, { deprecatedAt: isText }))),
  parameters: mapOf(isText),
  instanceProfiles: mapOf(isText),
};

const optional: Readonly<Record<string, Test>> = {
  capacityReservations: mapOf(
    listOf(
      rowOf(
        {
          ...{ id: isText, instanceType: isText, zone: isText, ownerId: isText, availableCount: isCount },
          ...{ matchCriteria: isText, reservationType: isText, interruptible: isFlag },
        },
        { endAt: isText },
      ),
    ),
  ),
  placementGroups: mapOf(listOf(rowOf({ id: isText, name: isText, strategy: isText }, { partitions: isCount }))),
  statuses: listOf(
    rowOf(
      { instanceId: isText, events: listOf(isText) },
      { instanceFailedSinceMs: isCount, systemFailedSinceMs: isCount },
    ),
  ),
  ownProfiles: listOf(rowOf({ name: isText, createdAtMs: isCount }, { role: isText })),
  ownTemplates: listOf(rowOf({ name: isText, createdAtMs: isCount }, { nodeClass: isText, clusterIdentity: isText })),
  clusterFacts: rowOf(
    { endpoint: isText, certificateAuthority: isText, serviceCidr: isText },
    { authenticationMode: isText },
  ),
  nodeRoles: mapOf(rowOf({}, { entryType: isText })),
  dryRuns: mapOf(rowOf({ kind: isText }, { message: isText, call: isText })),
  refusals: mapOf(isText),
};

export function readEc2View(raw: unknown): Ec2ViewAnswer {
  if (!isJsonObject(raw)) return { kind: "problems", problems: [`must be an object; got ${shown(raw)}`] };
  const wrong = [
    ...Object.entries(required).filter(([key, test]) => !test(raw[key])),
    ...Object.entries(optional).filter(([key, test]) => raw[key] !== undefined && !test(raw[key])),
  ].map(([key]) => `${key} does not have the form of this release`);
  const catalogue = raw.catalogue === undefined ? undefined : readCatalogue(raw.catalogue);
  if (catalogue?.kind === "problems") wrong.push(...catalogue.problems.map((problem) => `catalogue.${problem}`));
  if (wrong.length > 0) return { kind: "problems", problems: wrong };
  const { catalogue: _, ...others } = raw;
  // Every field was checked above.
  const view = others as unknown as Ec2View;
  return { kind: "view", view: catalogue?.kind === "catalogue" ? { ...view, catalogue: catalogue.catalogue } : view };
}
