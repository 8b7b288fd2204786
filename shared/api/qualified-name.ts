/**
 * The syntax of Kubernetes names. Karpenter counterpart: k8s.io/apimachinery validation (IsQualifiedName and its
 * siblings). Each check answers with what is wrong and what would be right, or undefined for a good name.
 */

const namePattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const dnsLabelPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const maxNameLength = 63;
const maxSubdomainLength = 253;

/** What Kubernetes calls a qualified name: keys of labels, annotations and taints, names of resources; `name` or `prefix/name`. */
export function labelKeyProblem(text: string): string | undefined {
  const parts = text.split("/");
  if (parts.length > 2) return `must be a name or prefix/name with one slash; got ${quote(text)}`;
  const [first = "", second] = parts;
  if (second !== undefined) {
    if (first === "") return `must have a DNS name before the slash; got ${quote(text)}`;
    const problem = dnsSubdomainProblem(first);
    if (problem !== undefined) return `the part before the slash ${problem}`;
  }
  return namePartProblem(second ?? first);
}

/** Values of labels and taints; the empty value is good. */
export function labelValueProblem(text: string): string | undefined {
  return text === "" ? undefined : namePartProblem(text);
}

function namePartProblem(text: string): string | undefined {
  if (text === "") return "must not be empty";
  if (text.length > maxNameLength) return tooLong(text, maxNameLength);
  if (namePattern.test(text)) return undefined;
  return `must consist of letters, digits, "-", "_" and ".", and begin and end with a letter or digit; got ${quote(text)}`;
}

/** Names of namespaces, containers, services. */
export function dnsLabelProblem(text: string): string | undefined {
  if (text.length > maxNameLength) return tooLong(text, maxNameLength);
  if (dnsLabelPattern.test(text)) return undefined;
  return `must consist of lower-case letters, digits and "-", and begin and end with a letter or digit; got ${quote(text)}`;
}

/** Names of most objects: DNS labels joined by dots. */
export function dnsSubdomainProblem(text: string): string | undefined {
  if (text.length > maxSubdomainLength) return tooLong(text, maxSubdomainLength);
  if (text.split(".").every((label) => dnsLabelPattern.test(label))) return undefined;
  return `must consist of lower-case letters, digits, "-" and ".", and each part between dots begin and end with a letter or digit; got ${quote(text)}`;
}

function tooLong(text: string, limit: number): string {
  return `must have at most ${limit} characters; has ${text.length}`;
}

/** Bounded: the message may end up in an event. */
function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
