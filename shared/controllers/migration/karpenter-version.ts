/** Which Karpenter may be taken over, and the way of an older one. */
import type { KarpenterDeployment, MigrationView } from "./view.ts";

/** The release that the loop follows. */
const newestMinor = 14;

/** Karpenter: upgrade guide; the last patches with which a way back is left. */
export function roadTo1(karpenter: KarpenterDeployment | undefined): string {
  const { namespace = "kube-system", annotations = {} } = karpenter ?? {};
  const release = annotations["meta.helm.sh/release-name"] ?? "karpenter";
  const upgrade = (name: string, chart: string, version: string, more: string) =>
    `\`helm upgrade --install ${name} oci://public.ecr.aws/karpenter/${chart} --version ${version} -n ${namespace} ${more}\``;
  return [
    "go through 0.37.7 and 1.0.9 first:",
    `${upgrade(release, "karpenter", "0.37.7", "--reuse-values --set webhook.enabled=true")},`,
    `${upgrade("karpenter-crd", "karpenter-crd", "1.0.9", "--set webhook.enabled=true")},`,
    upgrade(release, "karpenter", "1.0.9", "--reuse-values"),
  ].join(" ");
}

/** `0.37.7`; undefined where nobody says which version it is. */
export function parsedVersion(version: string | undefined): readonly [number, number] | undefined {
  const [major, minor] = (version ?? "").split(".").map(Number);
  if (major === undefined || minor === undefined || Number.isNaN(major + minor)) return undefined;
  return [major, minor];
}

export function versionProblems({ deployments }: MigrationView): readonly string[] {
  if (deployments.length > 1) {
    const names = deployments.map(({ namespace, name }) => `${namespace}/${name}`).join(", ");
    return [`${names}: more than one Karpenter; take away all but the one that runs this cluster`];
  }
  return deployments.flatMap(versionProblem);
}

function versionProblem(karpenter: KarpenterDeployment): readonly string[] {
  const { namespace, name, version } = karpenter;
  const where = `Deployment ${namespace}/${name}`;
  const parsed = parsedVersion(version);
  if (parsed === undefined)
    return [`${where}: neither its label app.kubernetes.io/version nor its image says which version it is`];
  const [major, minor] = parsed;
  if (major === 1) return [];
  if (major > 1) return [`${where} is Karpenter ${version}; Outrigger follows 1.${newestMinor} and takes over 1.x`];
  const manifests = minor < 33 ? "convert its manifests with `outrigger convert`, and " : "";
  return [`${where} is Karpenter ${version}; ${manifests}${roadTo1(karpenter)}`];
}

/** What a person should know of a version that may be taken over. */
export function versionNotes({ deployments }: MigrationView): readonly string[] {
  return deployments.flatMap(({ version }) => {
    const [major = 0, minor = 0] = parsedVersion(version) ?? [];
    const isNewer = major === 1 && minor > newestMinor;
    return isNewer ? [`Karpenter ${version} is newer than 1.${newestMinor}, which Outrigger follows`] : [];
  });
}
