import { scenarioSuite } from "./support/scenario-suite.ts";

scenarioSuite("process-per-tick");
