import type { Ec2Query } from "#ec2/view.ts";
import { faultOf } from "./fault-table.ts";
import { type Gaps, isPassing } from "./gaps.ts";
import { isParameterName, readImages, readParameters } from "./image-reads.ts";
import type { Reader } from "./reader.ts";

/** Karpenter: a day for AWS's parameters, five minutes for a user's own. */
const publishedParameterKeptMs = 30 * 60_000;
const ownParameterKeptMs = 5 * 60_000;

/** A parameter of the user's own may be one that we may not read: it is asked for alone. */
async function parametersOf(names: readonly string[], reader: Reader, gaps: Gaps) {
  // SSM refuses a whole question for one name that is none.
  for (const name of names) if (!isParameterName(name)) gaps.refusals[name] = "this is not a name of an SSM parameter";
  const askable = names.filter(isParameterName);
  const published = askable.filter((name) => name.startsWith("/aws/service/"));
  const own = askable.filter((name) => !published.includes(name));
  const answers = await Promise.all([
    publishedParameters(published, reader, gaps),
    ...own.map((name) => oneParameter(name, ownParameterKeptMs, reader, gaps)),
  ]);
  return Object.assign({}, ...answers) as Readonly<Record<string, string>>;
}

/** AWS's own, all at once; one by one where SSM refuses that, so that a name spoils no other class. */
async function publishedParameters(names: readonly string[], reader: Reader, gaps: Gaps) {
  if (names.length === 0) return {};
  const { clients, cache } = reader;
  const ask = () => readParameters(clients.ssm, names);
  try {
    return await cache.get(`parameters ${names.join(" ")}`, publishedParameterKeptMs, ask);
  } catch (error) {
    // A passing fault is passing for each of them.
    if (isPassing(faultOf(error))) return gaps.of("parameters", names[0] ?? "", () => Promise.reject(error));
    const each = names.map((name) => oneParameter(name, publishedParameterKeptMs, reader, gaps));
    return Object.assign({}, ...(await Promise.all(each))) as Readonly<Record<string, string>>;
  }
}

function oneParameter(name: string, keptMs: number, { clients, cache }: Reader, gaps: Gaps) {
  const ask = () => cache.get(`parameter ${name}`, keptMs, () => readParameters(clients.ssm, [name]));
  return gaps.of("parameters", name, ask);
}

/** The images of all queries, by key, with the parameters that name them. */
export async function imagesOf({ parameters: names, images: queries }: Ec2Query, reader: Reader, gaps: Gaps) {
  const { clients, cache } = reader;
  const parameters = await parametersOf(names, reader, gaps);
  if (gaps.incomplete.has("parameters")) return { parameters, images: {} };
  const rows = await Promise.all(
    queries.map(async (query) => {
      const values = JSON.stringify(parameters);
      const read = () => readImages(clients.ec2, query, parameters);
      const found = await gaps.of("images", query.key, () =>
        cache.get(`images ${query.key} ${values}`, reader.refresh.imagesMs, read),
      );
      return found !== undefined
        ? [[query.key, found] as const]
        : gaps.refusals[query.key] !== undefined
          ? [[query.key, []] as const]
          : [];
    }),
  );
  return { parameters, images: Object.fromEntries(rows.flat()) };
}
