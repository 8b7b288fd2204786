/**
 * Karpenter counterpart: pkg/providers/launchtemplate, EnsureAll. It differs: it only works out which templates a launch
 * needs.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { EnsureLaunchTemplate } from "#core/command.ts";
import type { Offering } from "#core/instance-type.ts";
import { imageFor, statusImages } from "../instance-type/image-mapping.ts";
import { efaResource } from "../instance-type/type-capacity.ts";
import { partitionOf } from "../node-class/placement-group.ts";
import type { Ec2Settings } from "../settings.ts";
import { problemText, type UserDataProblem } from "../user-data/problem.ts";
import type { ClusterFacts, PlacementGroup } from "../view.ts";
import { type Candidate, requestsOf } from "./candidates.ts";
import { launchTemplate } from "./launch-template.ts";
import { tenancyOf } from "./tenancy.ts";

/** A request for it switches Nitro Enclaves on. */
export const enclaveResource = "eks.amazonaws.com/nitro-sandbox";

export interface LaunchTemplateContext {
  readonly nodeClass: EC2NodeClass;
  readonly claim: NodeClaim;
  readonly settings: Ec2Settings;
  readonly cluster: ClusterFacts;
  readonly capacityType: string;
  readonly placementGroup: PlacementGroup | undefined;
}

/** The templates of one launch: types with the same image, pods, interfaces and reservation share one. */
export class LaunchTemplates {
  readonly #context: LaunchTemplateContext;
  readonly #images: ReturnType<typeof statusImages>;
  readonly #made = new Map<string, EnsureLaunchTemplate | readonly UserDataProblem[]>();

  constructor(context: LaunchTemplateContext) {
    this.#context = context;
    this.#images = statusImages(context.nodeClass);
  }

  /** Undefined when no image boots the type, or the user data cannot be written. */
  of({ instanceType, requirements }: Candidate, { reservationId }: Offering): EnsureLaunchTemplate | undefined {
    const { nodeClass, claim, settings, cluster, capacityType, placementGroup } = this.#context;
    const image = imageFor(this.#images, requirements);
    if (image === undefined) return undefined;
    const partition = placementGroup === undefined ? undefined : partitionOf(claim, placementGroup);
    const requests = requestsOf(claim);
    const maxPods = instanceType.capacity.pods ?? 0;
    const efaCount = (requests[efaResource] ?? 0) > 0 ? (instanceType.capacity[efaResource] ?? 0) : 0;
    const key = `${image.id} ${maxPods} ${efaCount} ${reservationId ?? ""}`;
    const made =
      this.#made.get(key) ??
      launchTemplate(nodeClass, claim, settings, cluster, {
        ...{ imageId: image.id, maxPods, efaCount, capacityType, tenancy: tenancyOf(claim) },
        nitroEnclaves: (requests[enclaveResource] ?? 0) > 0,
        ...(reservationId === undefined ? {} : { reservationId }),
        ...(placementGroup === undefined ? {} : { placementGroup }),
        ...(partition === undefined ? {} : { partition }),
      });
    this.#made.set(key, made);
    return "kind" in made ? made : undefined;
  }

  /** Why there is none, in words. */
  problem(): string | undefined {
    const problems = [...this.#made.values()].flatMap((made) => ("kind" in made ? [] : made));
    return problems.length === 0 ? undefined : `spec.userData, ${problems.map(problemText).join("; ")}`;
  }
}
