import { readFileSync } from "node:fs";
import { boxArguments, type FoundPlaces } from "../../main/box/arguments/bubblewrap.ts";
import { userGitSettings } from "../../main/box/arguments/git.ts";
import { limitCommands } from "../../main/box/arguments/limits.ts";
import { findMachine } from "../../main/box/arguments/machine.ts";
import { mountChecks } from "../../main/box/arguments/mounts.ts";
import { configSchema } from "../../main/config/config.ts";
import type { Declaration } from "../../main/decide/confinement/declaration.ts";

/** Works out, as the user that it runs as, what a box is made of: for boxes.ts, on standard input and output. */

export interface BoxQuestion {
  home: string;
  state_dir: string;
  declaration: Declaration;
  found: FoundPlaces;
}

export interface BoxAnswer {
  arguments: string[];
  /** What makes it. */
  maker: string;
  /** Lines of bash before the command. */
  before: string;
}

const question = JSON.parse(readFileSync(0, "utf8")) as BoxQuestion;
const { home, state_dir, declaration, found } = question;
const config = configSchema.parse({}).box;
const machine = findMachine({ env: { ...process.env, HOME: home }, home, config, state_dir });
const settings = await userGitSettings(machine.env, home, declaration.project);
const made = boxArguments(declaration, machine, found, settings);
const answer: BoxAnswer = {
  arguments: made,
  maker: machine.makers[0]?.path ?? "",
  before: `${mountChecks(made, declaration.reads)}\n${limitCommands(config)}`,
};
process.stdout.write(JSON.stringify(answer));
