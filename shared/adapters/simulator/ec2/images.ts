import type { FilterQuery, Image } from "#ec2/view.ts";
import { type Filterable, passes } from "./filter.ts";
import { type LatestVersions, publishedImage } from "./published-image.ts";
import { hexId } from "./seeded-draw.ts";

/** An image of the account's own, or of another owner. */
export interface PrivateImage {
  readonly image: Image;
  readonly owner: string;
  readonly tags: Readonly<Record<string, string>>;
}

interface Known extends Filterable {
  readonly image: Image;
  readonly owners: readonly string[];
}

const amazonAccount = "602401143452";

/**
 * SSM parameters and images. AWS's own images exist in every version that is asked for; an image of the user's own
 * (an id, a name, tags) exists when the account is obliging, since nobody but the user can know what it is called.
 */
export class Images {
  readonly #account: string;
  readonly #obliging: boolean;
  #latest: LatestVersions;
  readonly #known = new Map<string, Known>();
  readonly #parameters = new Map<string, string>();

  constructor(account: string, obliging: boolean, latest: LatestVersions) {
    this.#account = account;
    this.#obliging = obliging;
    this.#latest = latest;
  }

  /** New versions come out: parameters that name no version point at them from now on. */
  release(latest: Partial<LatestVersions>): void {
    this.#latest = { ...this.#latest, ...latest };
  }

  register({ image, owner, tags }: PrivateImage): void {
    this.#learn(image, owner === this.#account ? [owner, "self"] : [owner], tags);
  }

  setParameter(name: string, imageId: string): void {
    this.#parameters.set(name, imageId);
  }

  /** The id that the parameter holds, or undefined where it does not exist. */
  parameter(name: string): string | undefined {
    const own = this.#parameters.get(name) ?? this.#ownParameter(name);
    if (own !== undefined) return own;
    const image = publishedImage(name, this.#latest);
    if (image === undefined) return undefined;
    this.#learn(image, [amazonAccount, "amazon"], {});
    return image.id;
  }

  byId(id: string): Image | undefined {
    return this.#known.get(id)?.image;
  }

  /** DescribeImages, newest first. */
  describe(query: FilterQuery): readonly Image[] {
    if (this.#obliging) this.#oblige(query);
    const owners = query.owners ?? [];
    return [...this.#known.values()]
      .filter((known) => owners.length === 0 || owners.some((owner) => known.owners.includes(owner)))
      .filter((known) => passes(known, query.filters))
      .map(({ image }) => image)
      .sort((a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt > b.createdAt ? -1 : 1));
  }

  #ownParameter(name: string): string | undefined {
    if (!this.#obliging || name.startsWith("/aws/")) return undefined;
    const image = ownImage(hexId("ami", `${this.#account} ${name}`), name, "amd64");
    this.register({ image, owner: this.#account, tags: {} });
    return image.id;
  }

  /** Lets the user's own images exist: every well-formed id, and an image of each architecture for a name or tags. */
  #oblige(query: FilterQuery): void {
    const owner = (query.owners ?? []).find((each) => /^\d{12}$/.test(each)) ?? this.#account;
    for (const id of valuesOf(query, "image-id")) {
      const isNew = /^ami-[0-9a-f]{8,17}$/.test(id) && !this.#known.has(id);
      if (isNew) this.register({ image: ownImage(id, id, "amd64"), owner, tags: {} });
    }
    const tags = Object.fromEntries(query.filters.flatMap(tagAsked));
    const names = valuesOf(query, "name").map((name) => name.replaceAll("*", "any"));
    if (names.length === 0 && Object.keys(tags).length > 0) names.push(JSON.stringify(tags));
    for (const name of names) {
      for (const arch of ["amd64", "arm64"] as const) {
        const image = ownImage(hexId("ami", `${owner} ${name} ${arch}`), name, arch);
        if (!this.#known.has(image.id)) this.register({ image, owner, tags });
      }
    }
  }

  #learn(image: Image, owners: readonly string[], tags: Readonly<Record<string, string>>): void {
    const architecture = image.arch === "arm64" ? "arm64" : "x86_64";
    this.#known.set(image.id, {
      image,
      owners,
      tags,
      attributes: {
        "image-id": image.id,
        name: image.name,
        architecture,
        state: "available",
        "owner-id": owners[0] ?? "",
      },
    });
  }
}

function ownImage(id: string, name: string, arch: Image["arch"]): Image {
  return { id, name, arch, createdAt: "2025-01-01T00:00:00.000Z" };
}

function valuesOf(query: FilterQuery, name: string): string[] {
  return query.filters.filter((filter) => filter.name === name).flatMap((filter) => filter.values);
}

/** The tag that would pass this filter. */
function tagAsked(filter: { readonly name: string; readonly values: readonly string[] }): readonly [string, string][] {
  const [value = ""] = filter.values;
  if (filter.name === "tag-key") return [[value, ""]];
  return filter.name.startsWith("tag:") ? [[filter.name.slice("tag:".length), value.replaceAll("*", "any")]] : [];
}
