import { expect, test } from "vitest";
import { crdsOf } from "../../test/support/karpenter-crds.ts";
import { egressAdvice } from "./egress-advice.ts";

const byUrl = {
  strategy: "Webhook",
  webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://conversion.example/path" } },
} as const;

test.each([
  ["AWS_MANAGED", crdsOf("1.0", byUrl), undefined],
  [undefined, crdsOf("1.0", byUrl), undefined],
  ["CUSTOMER_ROUTED", crdsOf("1.0", byUrl), /is converted at a URL.*NAT gateway/],
  ["CUSTOMER_ROUTED", crdsOf("1.0"), /still stores v1beta1.*NAT gateway/],
  ["CUSTOMER_ISOLATED", crdsOf("1.0"), /reaches no conversion function.*outrigger migrate/],
  ["CUSTOMER_ROUTED", crdsOf("1.14"), undefined],
  ["SOMETHING_NEW", crdsOf("1.0", byUrl), undefined],
])("egress mode %s", (egressMode, crds, words) => {
  const advice = egressAdvice({ crds, ...(egressMode === undefined ? {} : { egressMode }) });
  if (words === undefined) expect(advice).toEqual([]);
  else expect(advice.map(({ found, fix }) => `${found}; ${fix}`)).toEqual([expect.stringMatching(words)]);
});
