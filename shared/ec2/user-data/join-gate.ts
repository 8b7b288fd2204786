/**
 * Karpenter counterpart: none (users asked: a script that fails must leave no node behind that joined all the same).
 * cloud-init goes on after a script that fails. Where the class asks for it, each of the user's scripts leaves a mark when
 * it succeeds, and without all marks the node does not join; it is replaced when its registration times out.
 */
import { nodeConfigType, shellType } from "./custom-parts.ts";
import type { MimePart } from "./mime.ts";
import { refused, type UserDataProblem } from "./problem.ts";

type Part = Pick<MimePart, "headers" | "body">;

export type GatedParts =
  | { readonly kind: "parts"; readonly parts: readonly Part[]; readonly scripts: number }
  | { readonly kind: "problems"; readonly problems: readonly UserDataProblem[] };

/**
 * Marks stay over a restart, since cloud-init runs scripts at the first boot only; those that an image brings along are
 * another machine's.
 */
const folder = "/var/lib/outrigger/user-scripts";
const delimitersTried = 100;

/** The user's parts, each script within one that marks its success. What has no exit status cannot be judged. */
export function gatedParts(parts: readonly MimePart[]): GatedParts {
  const gated: Part[] = [];
  let scripts = 0;
  for (const part of parts) {
    const type = headerOf(part, "content-type");
    if (type.startsWith(nodeConfigType)) {
      gated.push(part);
      continue;
    }
    if (!type.startsWith("text/x-shellscript") || headerOf(part, "content-transfer-encoding") !== "") {
      const kind = type === "" ? "a part without Content-Type" : `a part of type ${type.split(";")[0]}`;
      return refused(`only plain shell scripts can hold a node back, and this is ${kind}`, part.line);
    }
    if (!part.body.startsWith("#!")) {
      return refused("a script that may hold a node back must begin with #! and its interpreter", part.line);
    }
    scripts += 1;
    gated.push(shellPart(marking(part.body, scripts)));
  }
  return { kind: "parts", parts: gated, scripts };
}

export function shellPart(body: string): Part {
  return { headers: [{ name: "Content-Type", value: shellType }], body };
}

/** Lines of a shell script that end it where a mark is missing. */
export function markCheck(scripts: number): string {
  return `for script in $(seq 1 ${scripts}); do
  [ -e ${folder}/$script.done ] || { echo "user script $script failed: this node does not join"; exit 1; }
done
`;
}

/** AL2023's nodeadm starts the kubelet after all scripts, whatever they said: the kubelet itself waits for the last mark. */
export const kubeletGate: Part = shellPart(`#!/bin/bash
rm -f ${folder}/all.done
mkdir -p /etc/systemd/system/kubelet.service.d
printf '[Unit]\\nConditionPathExists=${folder}/all.done\\n' > /etc/systemd/system/kubelet.service.d/99-outrigger.conf
systemctl daemon-reload
`);

export function openKubeletGate(scripts: number): Part {
  return shellPart(`#!/bin/bash
${markCheck(scripts)}touch ${folder}/all.done
`);
}

function marking(script: string, number: number): string {
  const end = delimiterFor(script);
  return `#!/bin/bash
mkdir -p ${folder}
rm -f ${folder}/${number}.done
cat > ${folder}/${number} <<'${end}'
${script}${script.endsWith("\n") ? "" : "\n"}${end}
chmod 700 ${folder}/${number}
${folder}/${number} && touch ${folder}/${number}.done
`;
}

/** A line that the script does not have. */
function delimiterFor(script: string): string {
  const lines = new Set(script.split("\n"));
  let end = "OUTRIGGER_END";
  for (let i = 1; i < delimitersTried && lines.has(end); i++) end = `OUTRIGGER_END_${i}`;
  return end;
}

function headerOf({ headers }: MimePart, name: string): string {
  return (headers.find((each) => each.name.toLowerCase() === name)?.value ?? "").toLowerCase();
}
