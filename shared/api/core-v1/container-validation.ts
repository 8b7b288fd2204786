import { list } from "../shape/collection.ts";
import { defaulted, object, optional, orEmpty, required } from "../shape/object.ts";
import { integer, oneOf, text } from "../shape/scalar.ts";
import type { Shape } from "../shape/shape.ts";
import { claimSpecFields, containerFields, volumeFields } from "./field-names.ts";
import { dnsLabel } from "./name-validation.ts";
import type { Container, ContainerPort, Volume } from "./pod.ts";
import { resourceRequirements } from "./resource-validation.ts";

const maxPort = 65_535;

const port = object<ContainerPort>(
  {
    containerPort: required(integer(1, maxPort)),
    hostPort: optional(integer(0, maxPort)),
    hostIP: orEmpty(text()),
    protocol: defaulted(oneOf(["TCP", "UDP", "SCTP"]), "TCP"),
  },
  { others: ["name"] },
);

const container = object<Container>(
  {
    name: required(dnsLabel),
    image: optional(text()),
    resources: optional(resourceRequirements),
    ports: optional(list(port)),
    restartPolicy: orEmpty(oneOf(["Always", "OnFailure", "Never"])),
  },
  { others: containerFields },
);

const byName = { key: ({ name }: { readonly name: string }) => name };

export const containers: Shape<readonly Container[]> = list(container, { ...byName, min: 1 });
export const initContainers: Shape<readonly Container[]> = list(container, byName);

const claimName = text({ min: 1, expects: "the name of a PersistentVolumeClaim" });

export const volumes: Shape<readonly Volume[]> = list(
  object<Volume>(
    {
      name: required(dnsLabel),
      persistentVolumeClaim: optional(object({ claimName: required(claimName) }, { others: ["readOnly"] })),
      ephemeral: optional(
        object<NonNullable<Volume["ephemeral"]>>({
          volumeClaimTemplate: required(
            object<NonNullable<Volume["ephemeral"]>["volumeClaimTemplate"]>(
              {
                spec: required(
                  object<{ readonly storageClassName?: string }>(
                    { storageClassName: optional(text()) },
                    { others: claimSpecFields },
                  ),
                ),
              },
              { others: ["metadata"] },
            ),
          ),
        }),
      ),
      csi: optional(object({ driver: required(text({ min: 1 })) })),
    },
    { others: volumeFields },
  ),
  byName,
);
