import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { parseMime } from "#ec2/user-data/mime.ts";
import { userData } from "#ec2/user-data/user-data.ts";
import { userDataCases, usualInput } from "../support/user-data-cases.ts";

test.each(userDataCases)("$name", async ({ name, input }) => {
  const answer = userData(input);
  if (answer.kind !== "text") throw new Error(JSON.stringify(answer));
  // Refreshed by `npx vitest run test/golden/user-data -u`.
  await expect(answer.text).toMatchFileSnapshot(join(import.meta.dirname, "user-data", `${name}.txt`));
});

describe("a second reader of YAML", () => {
  test.each(userDataCases.filter(({ input }) => input.family === "AL2023"))(
    "finds in $name what was put there",
    ({ input }) => {
      const answer = userData(input);
      const mime = parseMime(answer.kind === "text" ? answer.text : "");
      const last = mime.kind === "parts" ? mime.parts.at(-1) : undefined;
      const documents = parseAllDocuments(last?.body ?? "");
      const config = documents[0]?.toJS();
      expect(documents).toHaveLength(1);
      const { cluster, bootstrap, kubelet } = input;
      expect(config.spec.cluster).toEqual({
        name: bootstrap.clusterName,
        apiServerEndpoint: cluster.endpoint,
        certificateAuthority: cluster.certificateAuthority,
        cidr: cluster.serviceCidr,
      });
      expect(config.spec.kubelet.config).toMatchObject({
        ...kubelet,
        maxPods: bootstrap.maxPods,
        registerWithTaints: bootstrap.taints,
      });
      expect(config.spec.instance?.localStorage?.strategy).toBe(bootstrap.instanceStorePolicy);
    },
  );

  test("is not misled by words that YAML takes for something else", () => {
    const kubelet = {
      evictionHard: { yes: "no", "memory.available": "1e3", n: "0x10" },
      systemReserved: { pid: "1000" },
    };
    const answer = userData({ ...usualInput, family: "AL2023", kubelet });
    const mime = parseMime(answer.kind === "text" ? answer.text : "");
    const body = mime.kind === "parts" ? (mime.parts.at(-1)?.body ?? "") : "";
    for (const version of ["1.1", "1.2"] as const) {
      const config = parseAllDocuments(body, { version })[0]?.toJS();
      expect(config.spec.kubelet.config).toMatchObject(kubelet);
    }
  });
});
