/** Karpenter counterpart: the selector terms of the EC2NodeClass CRD of its AWS provider; same answers. */
import { list, map } from "../shape/collection.ts";
import { object, optional } from "../shape/object.ts";
import { oneOf, text } from "../shape/scalar.ts";
import type { Rule, Shape } from "../shape/shape.ts";
import type {
  AmiSelectorTerm,
  CapacityReservationSelectorTerm,
  EC2NodeClassSpec,
  SecurityGroupSelectorTerm,
  SubnetSelectorTerm,
  Tags,
} from "./ec2nodeclass.ts";

const complete = { complete: true };
const maxTerms = 30;
const maxTags = 20;
const maxAliasLength = 30;

const tags: Shape<Tags> = map(text({ min: 1, expects: 'a tag value that is not empty; "*" matches any' }), {
  max: maxTags,
  wrongKey: (key) => (key === "" ? "must not be an empty tag key" : undefined),
});

/** Each term names at least one of `any`. */
function needsOneOf<T extends object>(any: readonly (keyof T & string)[]): Rule<readonly T[]> {
  return (terms, note) => {
    terms.forEach((term, index) => {
      if (any.every((field) => term[field] === undefined)) note(`must have one of ${any.join(", ")}`, index);
    });
  };
}

/** A term that has `field` has none of `others`: it names its object already. */
function alone<T extends object>(field: keyof T & string, others: readonly (keyof T & string)[]): Rule<readonly T[]> {
  return (terms, note) => {
    terms.forEach((term, index) => {
      if (term[field] === undefined) return;
      const found = others.filter((other) => term[other] !== undefined);
      if (found.length > 0) note(`must not combine ${field} with ${found.join(", ")}; use a term of its own`, index);
    });
  };
}

export const subnetSelectorTerms: Shape<readonly SubnetSelectorTerm[]> = list(
  object<SubnetSelectorTerm>(
    {
      tags: optional(tags),
      id: optional(text({ pattern: /subnet-[0-9a-z]+/, expects: "a subnet id such as subnet-0123456789abcdef0" })),
    },
    complete,
  ),
  { min: 1, max: maxTerms, rules: [needsOneOf(["tags", "id"]), alone("id", ["tags"])] },
);

export const securityGroupSelectorTerms: Shape<readonly SecurityGroupSelectorTerm[]> = list(
  object<SecurityGroupSelectorTerm>(
    {
      tags: optional(tags),
      id: optional(text({ pattern: /sg-[0-9a-z]+/, expects: "a security group id such as sg-0123456789abcdef0" })),
      name: optional(text()),
    },
    complete,
  ),
  {
    min: 1,
    max: maxTerms,
    rules: [needsOneOf(["tags", "id", "name"]), alone("id", ["tags", "name"]), alone("name", ["tags", "id"])],
  },
);

/** The family of an alias and its AmiFamily in lower case are the same text. Windows images have no version but the latest. */
const aliasPattern = /^((al2|al2023|bottlerocket)@[^@]+|windows(2019|2022|2025)@latest)$/;

const alias = text({
  max: maxAliasLength,
  pattern: aliasPattern,
  expects: "family@version such as al2023@v20240807 or bottlerocket@v1.20.4 (Windows: windows2022@latest)",
});

const aliasIsTheOnlyTerm: Rule<readonly AmiSelectorTerm[]> = (terms, note) => {
  const index = terms.findIndex((term) => term.alias !== undefined);
  if (index >= 0 && terms.length > 1) note("must be the only term when it has an alias", index);
};

export const amiSelectorTerms: Shape<readonly AmiSelectorTerm[]> = list(
  object<AmiSelectorTerm>(
    {
      alias: optional(alias),
      tags: optional(tags),
      id: optional(text({ pattern: /ami-[0-9a-z]+/, expects: "an AMI id such as ami-0123456789abcdef0" })),
      name: optional(text()),
      owner: optional(text()),
      ssmParameter: optional(text()),
    },
    complete,
  ),
  {
    min: 1,
    max: maxTerms,
    rules: [
      needsOneOf(["tags", "id", "name", "alias", "ssmParameter"]),
      alone("id", ["alias", "tags", "name", "owner"]),
      alone("alias", ["id", "tags", "name", "owner"]),
      aliasIsTheOnlyTerm,
    ],
  },
);

export const capacityReservationSelectorTerms: Shape<readonly CapacityReservationSelectorTerm[]> = list(
  object<CapacityReservationSelectorTerm>(
    {
      tags: optional(tags),
      id: optional(text({ pattern: /^cr-[0-9a-z]+$/, expects: "a reservation id such as cr-0123456789abcdef0" })),
      ownerID: optional(text({ pattern: /^[0-9]{12}$/, expects: "an account id of 12 digits, in quotes" })),
      instanceMatchCriteria: optional(oneOf(["open", "targeted"])),
    },
    complete,
  ),
  {
    max: maxTerms,
    rules: [
      needsOneOf(["tags", "id", "instanceMatchCriteria"]),
      alone("id", ["tags", "ownerID", "instanceMatchCriteria"]),
    ],
  },
);

export const placementGroupSelector: Shape<NonNullable<EC2NodeClassSpec["placementGroupSelector"]>> = object<
  NonNullable<EC2NodeClassSpec["placementGroupSelector"]>
>(
  {
    name: optional(text({ min: 1 })),
    id: optional(text({ pattern: /^pg-[0-9a-z]+$/, expects: "a placement group id such as pg-0123456789abcdef0" })),
  },
  {
    ...complete,
    rules: [
      ({ name, id }, note) => {
        if ((name === undefined) === (id === undefined)) note("must have either name or id");
      },
    ],
  },
);
