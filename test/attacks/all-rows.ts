import type { AttackRow } from "./row.ts";
import { CONTROL_FLOW } from "./rows/control-flow.ts";
import { ENVIRONMENT, FILES_THAT_NAME_FILES, HERE_TEXTS, SET_AND_EXPORT } from "./rows/environment.ts";
import { CARDS_AND_RIGHTS, GATE_CONFIGURATION, GATE_SETTINGS } from "./rows/gate-settings.ts";
import { GIT } from "./rows/git.ts";
import { HELD } from "./rows/held.ts";
import { INDEXES } from "./rows/indexes.ts";
import { PATTERNS_THROUGH_LINKS, WALKS_TO_LINKS } from "./rows/links.ts";
import { METADATA, REDIRECTS } from "./rows/network.ts";
import { OPTION_NAMES } from "./rows/option-names.ts";
import { NAMES_IN_FILES, PROJECT_FILES } from "./rows/project-files.ts";
import { RUN_LATER_PLACES } from "./rows/run-later.ts";
import { SECRETS } from "./rows/secrets.ts";
import { SED, SED_SUFFIX } from "./rows/sed.ts";
import { SHELLS } from "./rows/shells.ts";
import { SUBSTITUTIONS } from "./rows/substitutions.ts";
import { XARGS } from "./rows/xargs.ts";

/** Every section, and how many rows it has: one that is lost must not go unnoticed. */
export const SECTIONS: Readonly<Record<string, { rows: readonly AttackRow[]; count: number }>> = {
  C1: { rows: INDEXES, count: 29 },
  C2: { rows: SUBSTITUTIONS, count: 18 },
  C3: { rows: CONTROL_FLOW, count: 28 },
  C4: { rows: XARGS, count: 21 },
  C5: { rows: OPTION_NAMES, count: 21 },
  C6: { rows: GIT, count: 44 },
  C7: { rows: SED, count: 8 },
  C8: { rows: PATTERNS_THROUGH_LINKS, count: 37 },
  C9: { rows: SHELLS, count: 16 },
  C10: { rows: RUN_LATER_PLACES, count: 166 },
  H1: { rows: SECRETS, count: 274 },
  H2: { rows: FILES_THAT_NAME_FILES, count: 7 },
  H3: { rows: ENVIRONMENT, count: 18 },
  M4: { rows: PROJECT_FILES, count: 7 },
  M5: { rows: REDIRECTS, count: 7 },
  LOW: { rows: NAMES_IN_FILES, count: 6 },
  N1: { rows: GATE_SETTINGS, count: 33 },
  N2: { rows: SET_AND_EXPORT, count: 23 },
  N3: { rows: HERE_TEXTS, count: 27 },
  N4: { rows: WALKS_TO_LINKS, count: 12 },
  N5: { rows: SED_SUFFIX, count: 5 },
  N6: { rows: GATE_CONFIGURATION, count: 10 },
  N7: { rows: CARDS_AND_RIGHTS, count: 13 },
  N8: { rows: METADATA, count: 159 },
  HELD: { rows: HELD, count: 193 },
};
