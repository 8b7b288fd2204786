import { roleRights } from "./scenarios/role-rights.ts";
import { scenarioSuite } from "./support/scenario-suite.ts";

scenarioSuite("staying", roleRights);
