import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AmiFamily } from "#api/ec2-v1/ec2nodeclass.ts";
import { usualInput } from "../../../test/support/user-data-cases.ts";
import { parseMime } from "./mime.ts";
import { problemText } from "./problem.ts";
import { userData } from "./user-data.ts";

function problemOf(family: AmiFamily, custom: string): string {
  const answer = userData({ ...usualInput, family, custom });
  return answer.kind === "problems" ? answer.problems.map(problemText).join("; ") : answer.kind;
}

const head = 'Content-Type: multipart/mixed; boundary="B"\n\n';
const nodeConfig = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {}\n";

describe("row 67: bad user data is refused with its line", () => {
  test.each([
    [
      "a header without a colon",
      "Content-Type: multipart/mixed; boundary=B\nnonsense\n\n--B--\n",
      'line 2: "nonsense"',
    ],
    [
      "no blank line after a part's headers",
      `${head}--B\nContent-Type: text/plain\n#!/bin/bash\n--B--\n`,
      'line 5: "#!/bin/bash"',
    ],
    ["headers that never end", "MIME-Version: 1.0\nContent-Type: text/plain", "line 2: the headers do not end"],
    ["no boundary named", "Content-Type: multipart/mixed\n\n--B--\n", "line 1: the Content-Type names no boundary"],
    [
      "a boundary that does not occur",
      `${head}--C\nContent-Type: text/plain\n\nx\n--C--\n`,
      "line 2: the boundary --B does not occur",
    ],
    ["no end", `${head}--B\nContent-Type: text/plain\n\nx\n`, "the document ends without --B--"],
    [
      "not multipart",
      "MIME-Version: 1.0\nContent-Type: text/plain\n\nx\n",
      "line 1: Content-Type text/plain is not multipart",
    ],
    ["no Content-Type", "MIME-Version: 1.0\n\nx\n", "line 1: a MIME document needs a Content-Type"],
    ["a control character", "#!/bin/bash\necho \u0000\n", "line 2: has a control character"],
  ])("%s", (_, custom, wanted) => {
    expect(problemOf("AL2023", custom)).toContain(wanted);
    expect(problemOf("AL2", custom)).toContain(wanted);
  });

  test.each([
    ["two NodeConfigs in one part", `${nodeConfig}---\n${nodeConfig}`, "line 5: a part holds one NodeConfig"],
    [
      "a second one after a mark with a comment",
      `${nodeConfig}--- # b\n${nodeConfig}`,
      "line 5: a part holds one NodeConfig",
    ],
    ["a second one after an end", `${nodeConfig}...\n${nodeConfig}`, "line 5: a part holds one NodeConfig"],
    ["a second one right after the first", nodeConfig.repeat(2), "line 4: apiVersion is there twice"],
    ["spec twice", `${nodeConfig}spec: {}\n`, "line 4: spec is there twice"],
    ["a mapping without kind", "spec:\n  kubelet: {}\n", "line 1: a NodeConfig has apiVersion"],
    ["JSON of another kind", '{"apiVersion":"node.eks.aws/v1alpha1","kind":"Node"}', "line 1: a part of type"],
    [
      "no blank line before a NodeConfig",
      `${head}--B\nContent-Type: application/node.eks.aws\n${nodeConfig}--B--\n`,
      'line 5: "apiVersion: node.eks.aws/v1alpha1" is no header',
    ],
    ["tabs in YAML", nodeConfig.replace("spec: {}", "spec:\n\tkubelet: {}"), "line 4: YAML is not indented with tabs"],
    ["another version", nodeConfig.replace("v1alpha1", "v2"), "line 1: a NodeConfig has apiVersion"],
    [
      "another kind in MIME",
      `${head}--B\nContent-Type: application/node.eks.aws\n\n${nodeConfig.replace("NodeConfig", "Node")}--B--\n`,
      "line 7: a part of type",
    ],
  ])("AL2023: %s", (_, custom, wanted) => {
    expect(problemOf("AL2023", custom)).toContain(wanted);
  });
});

describe("what nodeadm could not decode at boot is refused with its line, however deep it is", () => {
  test.each([
    [
      "a list where a mapping must be, far in",
      nodeConfig.replace("spec: {}", "spec:\n  kubelet:\n    config:\n      - maxPods: 5"),
      "line 5: spec.kubelet.config must be an object; got a list",
    ],
    [
      "a number in quotes",
      nodeConfig.replace("spec: {}", 'spec:\n  kubelet:\n    config:\n      # many\n      maxPods: "110"'),
      'line 7: spec.kubelet.config.maxPods must be a whole number from -2147483648 to 2147483647; got "110"',
    ],
    [
      "a flag that is a mapping",
      nodeConfig.replace("spec: {}", "spec:\n  kubelet:\n    flags:\n    - --node-labels=a=b\n    - --v: 2"),
      "line 7: spec.kubelet.flags[1] must be a text; got an object",
    ],
    [
      "a strategy that nodeadm does not have",
      nodeConfig.replace("spec: {}", "spec:\n  instance:\n    localStorage:\n      strategy: raid0"),
      'line 6: spec.instance.localStorage.strategy must be one of RAID0, RAID10, Mount; got "raid0"',
    ],
    [
      "a key twice, far in",
      nodeConfig.replace("spec: {}", "spec:\n  kubelet:\n    config: {}\n    config: {}"),
      "line 6: not readable as YAML: Map keys must be unique",
    ],
    [
      "a wrong indentation, far in",
      nodeConfig.replace("spec: {}", "spec:\n  kubelet:\n    flags:\n      - a\n     config: {}"),
      "line 7: not readable as YAML",
    ],
    [
      "a bracket that does not close",
      nodeConfig.replace("{}", "{kubelet: {flags: [a}"),
      "line 3: not readable as YAML",
    ],
    [
      "an anchor that is not there",
      nodeConfig.replace("{}", "*base"),
      "line 1: not readable as YAML: Unresolved alias",
    ],
    ["certificates that are no base64", nodeConfig.replace("{}", "{cluster: {certificateAuthority: ---}}"), "line 3:"],
  ])("%s", (_, custom, wanted) => {
    expect(problemOf("AL2023", custom)).toContain(wanted);
    // Below a MIME head and the headers of a part, six lines further down.
    const line = Number(/line (\d+)/.exec(wanted)?.[1]) + 6;
    const mime = `${head}--B\nContent-Type: application/node.eks.aws\nX: y\n\n${custom}\n--B--\n`;
    expect(problemOf("AL2023", mime)).toContain(wanted.replace(/line \d+/, `line ${line}`));
  });
});

describe("other families", () => {
  test.each([
    ["a text without quotes", "[settings]\nmotd = hello\n", "line 2: not TOML: hello is no value"],
    ["a key twice", "[settings]\na = 1\nb = 2\na = 3\n", "line 4: not TOML: a is given twice"],
    ["a table twice", "[settings]\na = 1\n[settings]\nb = 2\n", "line 3: not TOML: [settings] is there twice"],
    ["a text without an end", '[settings]\na = "x\n', "line 2: not TOML: a text does not end on its line"],
    ["a list without an end", "[settings]\na = [1, 2\n", "not TOML"],
    ["a header without an end", "[settings\na = 1\n", "line 1: not TOML"],
    ["too much on a line", "[settings]\na = 1 2\n", "line 2: not TOML"],
    ["settings that are no table", "settings = 1\n", "settings and settings.kubernetes are tables"],
    ["YAML", "settings:\n  motd: x\n", "line 1: not TOML"],
  ])("Bottlerocket: %s", (_, custom, wanted) => {
    expect(problemOf("Bottlerocket", custom)).toContain(wanted);
  });

  test("Windows: tags of a block of its own", () => {
    expect(problemOf("Windows2022", "Write-Host 1\n</powershell>\n")).toContain("line 2: commands stand inside");
  });

  test("more than EC2 takes, what is added counted", () => {
    const script = `#!/bin/bash\n# ${"x".repeat(16_000)}\n`;
    expect(problemOf("AL2023", script)).toMatch(/the user data has \d+ bytes/);
    expect(problemOf("Custom", script)).toBe("text");
    expect(problemOf("Custom", "ü".repeat(8_193))).toContain("16386 bytes");
  });
});

describe("what is a NodeConfig", () => {
  const typeOf = (custom: string): string => {
    const answer = userData({ ...usualInput, family: "AL2023", custom });
    if (answer.kind !== "text") return JSON.stringify(answer);
    return /Content-Type: ([^\n;]*)/.exec(answer.text.slice(answer.text.indexOf("--//")))?.[1] ?? "";
  };

  test.each([
    ["JSON", '{"apiVersion":"node.eks.aws/v1alpha1","kind":"NodeConfig","spec":{}}', "application/node.eks.aws"],
    ["quoted keys", '"apiVersion": node.eks.aws/v1alpha1\n"kind": NodeConfig # x\n', "application/node.eks.aws"],
    ["a mapping in brackets", "{apiVersion: node.eks.aws/v1alpha1, kind: NodeConfig}", "application/node.eks.aws"],
    [
      "what nodeadm does not know yet",
      `${nodeConfig.replace("{}", "{newer: {field: 1}}")}`,
      "application/node.eks.aws",
    ],
    ["comments and a mark first", `# a\n---\n${nodeConfig}`, "application/node.eks.aws"],
    ["a template of cloud-init", "## template: jinja\n#cloud-config\nruncmd: []\n", "text/jinja2"],
    ["a script without its first line", "echo hello\n", "text/x-shellscript"],
    ["a script with a line like a key", "note: x\necho hello\n", "text/x-shellscript"],
    ["a script after a byte order mark", "\uFEFF#!/bin/bash\n", "text/x-shellscript"],
    ["MIME after a byte order mark", `\uFEFF${head}--B\nContent-Type: text/x-own\n\nx\n--B--\n`, "text/x-own"],
  ])("%s: %s", (_, custom, type) => expect(typeOf(custom)).toBe(type));

  test("one that is encoded is passed on as it is", () => {
    const headers = "Content-Type: application/node.eks.aws\nContent-Transfer-Encoding: base64";
    expect(problemOf("AL2023", `${head}--B\n${headers}\n\nYXBp\n--B--\n`)).toBe("text");
  });
});

describe("what is left alone", () => {
  test("carriage returns are no part of a script", () => {
    const answer = userData({ ...usualInput, family: "AL2023", custom: "#!/bin/bash\r\necho hello\r\n" });
    expect(answer.kind === "text" && answer.text).not.toContain("\r");
    expect(answer.kind === "text" && answer.text).toContain("#!/bin/bash\necho hello\n");
  });

  test("a body that looks like our boundary gets another one", () => {
    const answer = userData({ ...usualInput, family: "AL2", custom: "#!/bin/bash\ncat <<E\n--//\nE\n" });
    expect(answer.kind === "text" && answer.text).toContain('boundary="//1"');
  });

  test("a Bottlerocket key that is not passed on is named", () => {
    const custom = '[settings.kubernetes]\nmade-up = 1\nlog-level = "3"\n';
    const answer = userData({ ...usualInput, family: "Bottlerocket", custom });
    expect(answer).toMatchObject({ kind: "text", notes: ["settings.kubernetes.made-up"] });
    expect(answer.kind === "text" && answer.text).toContain('log-level = "3"');
    expect(answer.kind === "text" && answer.text).not.toContain("made-up");
  });

  test("a Custom image without user data is told nothing", () => {
    expect(userData({ ...usualInput, family: "Custom" })).toEqual({ kind: "none" });
  });
});

describe("row 68: a node joins only after the user's scripts have succeeded", () => {
  const answerOf = (family: AmiFamily, custom: string) =>
    userData({ ...usualInput, family, custom, joinsAfterScripts: true });
  const textOf = (family: AmiFamily, custom: string): string => {
    const answer = answerOf(family, custom);
    return answer.kind === "text" ? answer.text : JSON.stringify(answer);
  };

  test.each<[AmiFamily]>([["AL2"], ["AL2023"]])("%s without scripts is told nothing more", (family) => {
    expect(answerOf(family, "")).toEqual(userData({ ...usualInput, family }));
    const kept = userData({ ...usualInput, family: "AL2023", custom: nodeConfig });
    expect(answerOf("AL2023", nodeConfig)).toEqual(kept);
  });

  test.each<[AmiFamily, string, string]>([
    ["AL2", "#cloud-config\nruncmd: []\n", "must begin with #!"],
    ["AL2023", "#cloud-config\nruncmd: []\n", "line 1: only plain shell scripts can hold a node back"],
    ["AL2023", `${head}--B\nContent-Type: text/cloud-boothook\n\n#!/bin/bash\n--B--\n`, "line 6: only plain shell"],
    ["Bottlerocket", "", "not Bottlerocket"],
    ["Windows2022", "Write-Host 1", "not Windows2022"],
    ["Custom", "#!/bin/bash", "not Custom"],
  ])("%s: what cannot hold it back is refused in words: %j", (family, custom, wanted) => {
    const answer = answerOf(family, custom);
    expect(answer.kind === "problems" ? answer.problems.map(problemText).join("; ") : "").toContain(wanted);
  });

  /** Runs the parts as cloud-init does, whatever they answer, in a folder of its own; what joined. */
  async function boot(family: AmiFamily, custom: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "boot-"));
    const answer = parseMime(textOf(family, custom));
    const parts = answer.kind === "parts" ? answer.parts : [];
    const scripts = parts.filter(({ headers }) => headers[0]?.value.startsWith("text/x-shellscript"));
    for (const [index, { body }] of scripts.entries()) {
      const file = join(folder, `part-${index}`);
      const local = body
        .replaceAll("/var/lib/outrigger", `${folder}/marks`)
        .replaceAll("/etc/systemd", `${folder}/systemd`)
        .replaceAll("systemctl daemon-reload", "true")
        .replaceAll("/etc/eks/bootstrap.sh", `touch ${folder}/joined; echo`)
        .replaceAll("| logger -t user-data", ">/dev/null");
      await writeFile(file, local, { mode: 0o700 });
      spawnSync(file, { encoding: "utf8" });
    }
    if (family === "AL2") return existsSync(join(folder, "joined")) ? "joined" : "not joined";
    const unit = await readFile(join(folder, "systemd/system/kubelet.service.d/99-outrigger.conf"), "utf8");
    const condition = /^ConditionPathExists=(.*)$/m.exec(unit)?.[1] ?? "";
    return condition.startsWith(folder) && existsSync(condition) ? "joined" : "not joined";
  }

  const two = (first: number, second: number): string =>
    [first, second]
      .map((status) => `--B\nContent-Type: text/x-shellscript\n\n#!/bin/bash\nexit ${status}\n`)
      .reduce((text, part) => `${text}${part}`, head)
      .concat("--B--\n");
  test.each<[AmiFamily, string, string]>([
    ["AL2", two(0, 0), "joined"],
    ["AL2", two(1, 0), "not joined"],
    ["AL2", two(0, 1), "not joined"],
    ["AL2", "#!/no/such/interpreter\n", "not joined"],
    ["AL2023", two(0, 0), "joined"],
    ["AL2023", two(1, 0), "not joined"],
    ["AL2023", two(0, 1), "not joined"],
    ["AL2023", "#!/bin/bash\ncat <<'OUTRIGGER_END'\nOUTRIGGER_END\nfalse", "not joined"],
  ])("run by a shell, %s after %j: %s", async (family, custom, wanted) => {
    expect(await boot(family, custom)).toBe(wanted);
  });
});
