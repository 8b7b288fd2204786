import { spawnSync } from "node:child_process";

export type Python =
  | { readonly kind: "found"; readonly command: string }
  | { readonly kind: "missing"; readonly why: string };

/** moto 5.2.5 runs on these and newer ones. */
const oldest = [3, 10] as const;
const names = ["python3", "python"] as const;

/** A Python that can make virtual environments. */
export function findPython(): Python {
  for (const command of names) {
    const { status, stdout } = spawnSync(
      command,
      ["-c", "import sys, venv, ensurepip; print(sys.version_info[0], sys.version_info[1])"],
      { encoding: "utf8" },
    );
    const [major = 0, minor = 0] = (stdout ?? "").trim().split(" ").map(Number);
    if (status === 0 && (major > oldest[0] || (major === oldest[0] && minor >= oldest[1]))) {
      return { kind: "found", command };
    }
  }
  return { kind: "missing", why: `no Python ${oldest.join(".")} or newer with venv and pip` };
}
