/** What a person should look at in a node class that came from v1beta1 or v1alpha1. */
import { aliasOfFamily, ubuntuFamily } from "./ami-slot.ts";
import { type Finding, toDecide, toKnow } from "./finding.ts";
import { type JsonObject, objectOr, textOr } from "./json-fields.ts";

const ubuntuWay =
  "amiFamily Ubuntu was removed at v1.0; write amiFamily: AL2 with amiSelectorTerms for Canonical's images (owner " +
  "099720109477, or their ssmParameter) and blockDeviceMappings for /dev/sda1, or take AL2023 or Bottlerocket";

/** `spec` as it was written, field names of v1beta1 or v1alpha1; `place` is where it stood. */
export function nodeClassFindings(spec: JsonObject, place: string): readonly Finding[] {
  return [...imageFindings(spec, place), ...metadataFindings(spec, place), ...userDataFindings(spec, place)];
}

/** Why the class cannot be converted at all; empty when it can. */
export function ubuntuFindings({ amiFamily }: JsonObject, place: string): readonly Finding[] {
  return amiFamily === ubuntuFamily ? [toDecide(`${place}.amiFamily`, ubuntuWay)] : [];
}

function imageFindings({ amiFamily, amiSelectorTerms, amiSelector }: JsonObject, place: string): readonly Finding[] {
  const family = textOr(amiFamily, "AL2");
  const hasTerms = amiSelectorTerms !== undefined || amiSelector !== undefined;
  const alias = aliasOfFamily[family];
  const findings: Finding[] = [];
  if (!hasTerms && alias !== undefined) {
    findings.push(
      toKnow(
        `${place}.amiFamily`,
        `is amiSelectorTerms [alias: ${alias}@latest]: new images drift nodes, as before; pin a version to choose when`,
      ),
    );
  }
  if (family === "AL2") {
    const end = "EKS ended AL2 on 26 November 2025 and has no AL2 image for Kubernetes 1.33 and newer";
    findings.push(
      toDecide(`${place}.amiFamily`, `${end}; move to al2023@… or bottlerocket@… (their user data has another form)`),
    );
  }
  if (family === "Custom" && !hasTerms) {
    findings.push(
      toDecide(`${place}.amiSelectorTerms`, "v1 requires them; name the images by id, name, tags or ssmParameter"),
    );
  }
  return findings;
}

function metadataFindings({ metadataOptions }: JsonObject, place: string): readonly Finding[] {
  if (objectOr(metadataOptions).httpPutResponseHopLimit !== undefined) return [];
  const reason =
    "written down as 2, the default of v1beta1, so that nothing drifts; v1's default 1 keeps pods from the node's role";
  return [toKnow(`${place}.metadataOptions.httpPutResponseHopLimit`, reason)];
}

/** What the kubelet is told by hand, by image family: Karpenter's own settings win over it since v1.0. */
const handSettings: readonly { readonly text: RegExp; readonly what: string }[] = [
  { text: /--kubelet-extra-args/, what: "--kubelet-extra-args" },
  { text: /\/etc\/eks\/bootstrap\.sh/, what: "/etc/eks/bootstrap.sh" },
  { text: /^\s*\[settings\.kubernetes\b/m, what: "[settings.kubernetes]" },
  { text: /^\s*kind:\s*NodeConfig\b/m, what: "a NodeConfig" },
  { text: /\/etc\/kubernetes\/kubelet\//, what: "the kubelet's files" },
  { text: /-KubeletExtraArgs/, what: "-KubeletExtraArgs" },
];

function userDataFindings({ userData }: JsonObject, place: string): readonly Finding[] {
  const text = textOr(userData, "");
  const found = handSettings.filter((one) => one.text.test(text)).map(({ what }) => what);
  if (found.length === 0) return [];
  const way =
    "where spec.kubelet, labels or taints say otherwise, they win; move what the kubelet is told to spec.kubelet";
  return [toDecide(`${place}.userData`, `sets Kubernetes' settings by hand (${found.join(", ")}): ${way}`)];
}
