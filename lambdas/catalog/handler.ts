import { CatalogueStore } from "../../shared/adapters/aws/catalogue-store.ts";
import { makeCatalogue, withSpotPrices } from "../../shared/adapters/aws/catalogue-writer.ts";
import { awsClients } from "../../shared/adapters/aws/clients.ts";
import { realClock as clock } from "../../shared/adapters/system/real-clock.ts";
import { readEnvironment } from "../environment.ts";
import { loggerOf } from "../logger.ts";

const environment = readEnvironment(process.env);
const { reading } = awsClients(environment);
const logger = loggerOf(environment, "catalog");

/** `spot-prices`: those alone, each hour; anything else: types, zones and all prices. */
export interface CatalogEvent {
  readonly part?: "spot-prices";
}

/** Writes what the region offers to S3, so that no other function ever pages through EC2. */
export async function handler(event: CatalogEvent): Promise<{ readonly types: number; readonly problems: number }> {
  const store = new CatalogueStore(reading.s3, environment.catalogue, clock);
  const before = await store.read();
  const { catalogue, problems } =
    event?.part === "spot-prices" && before !== undefined
      ? { catalogue: await withSpotPrices(reading, clock, before), problems: [] }
      : await makeCatalogue(reading, environment.region, clock, before);
  await store.write(catalogue);
  for (const problem of problems) logger.warn(problem);
  logger.info("catalogue written", { types: catalogue.types.length, problems: problems.length });
  return { types: catalogue.types.length, problems: problems.length };
}
