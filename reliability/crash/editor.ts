import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { OperatorApi } from "../../ipc/contract/operator-api.ts";
import type { UndoneCall } from "../../ipc/contract/undo.ts";
import { EDITOR, FeatureAgent } from "./feature-agents.ts";
import type { EditedFile } from "./features.ts";
import type { Ledger } from "./ledger.ts";

/** An agent at level Full that changes the files of a project, and has it taken back. */

const FILES = 3;
/** So long it is waited for what a call left to be kept, in milliseconds. */
const KEPT_MS = 1000;

export class Editor extends FeatureAgent {
  protected override begin(): Promise<void> {
    mkdirSync(join(this.#project, ".git"), { recursive: true });
    writeFileSync(join(this.#project, ".git/HEAD"), "ref: refs/heads/main\n");
    return Promise.resolve();
  }

  get #project(): string {
    return this.parts.around.project;
  }

  protected override async act(): Promise<void> {
    const { ledger, operator, random, entry } = this.parts;
    const { edited } = ledger.features;
    await sleep(random.real(10));
    for (let count = 0; count < FILES; count++) await this.#edit();
    if (!edited.some(({ kept }) => kept !== undefined)) return edited.splice(0).forEach(remove);
    if (!(await this.acknowledged(takeBack(ledger, operator, entry.session)))) return;
    for (const file of edited)
      if (file.kept !== undefined && textOf(file) !== file.before)
        ledger.violate("lost", "a file was said to be taken back, and isn't");
    edited.splice(0).forEach(remove);
    ledger.acknowledge("undone calls");
  }

  async #edit(): Promise<void> {
    const { ledger } = this.parts;
    const file: EditedFile = { path: join(this.#project, this.nonce()), before: this.nonce(), agent: this.nonce() };
    writeFileSync(file.path, file.before);
    ledger.features.edited.push(file);
    const args = { path: file.path, content: file.agent };
    const decision = await this.decided("fs_write", args, { cwd: this.#project });
    if (decision?.outcome !== "allowed") return;
    writeFileSync(file.path, file.agent);
    const { decision_id } = decision;
    // It isn't answered.
    this.line.ask("tool.outcome", { decision_id, ok: true }).catch(() => undefined);
    for (const giveUpAt = performance.now() + KEPT_MS; performance.now() < giveUpAt; await sleep(5)) {
      const call = (await this.#calls()).find(({ id }) => id === decision_id);
      if (call?.state === "kept" && call.missing === null) file.kept = decision_id;
      if (call?.state !== "running") return;
    }
  }

  async #calls(): Promise<readonly UndoneCall[]> {
    let calls: readonly UndoneCall[] = [];
    const listed = this.parts.operator.call("undo.list", { limit: 50 }).then((found) => {
      calls = found;
    });
    await this.acknowledged(listed);
    return calls;
  }
}

const textOf = ({ path }: EditedFile): string => readFileSync(path, "utf8");
const remove = ({ path }: EditedFile): void => rmSync(path, { force: true });

async function takeBack(ledger: Ledger, operator: OperatorApi, session: string): Promise<void> {
  for (const { id, files } of await operator.call("undo.take_back", { session }))
    if (files.some(({ outcome }) => outcome === "restored")) ledger.features.undone.add(id);
}

/** Asks the gate that started after a kill: each file is as it was before or after, and the same undo ends what was begun. */
export async function checkEdited(
  ledger: Ledger,
  operator: OperatorApi,
  { project }: { project: string },
): Promise<void> {
  const { edited } = ledger.features;
  const kept = edited.filter((file) => file.kept !== undefined);
  for (const file of edited)
    if (![file.before, file.agent].includes(textOf(file)))
      ledger.violate("half_done", "a file is neither as before nor after");
  const calls = edited.length === 0 ? [] : await operator.call("undo.list", { limit: 1000 });
  for (const { id, agent } of calls) if (agent === null) ledger.features.listedUndos.add(id);
  if (kept.length > 0) {
    const session = ledger.agent(EDITOR).session;
    // Nothing is left to be taken back where all of it was.
    await operator.call("undo.files", { call: kept[0]?.kept ?? "" });
    for (const { kept: id } of kept)
      if (!calls.some((call) => call.id === id)) ledger.violate("lost", "a call that was kept isn't listed any more");
    const isBack = kept.map((file) => textOf(file) === file.before);
    const ids = new Set(kept.map((file) => file.kept));
    const undo = calls.find(({ of }) => of?.some((id) => ids.has(id)) === true);
    if (isBack.includes(true) && undo === undefined) ledger.violate("half_done", "an undo that was begun isn't listed");
    if (isBack.includes(true) && isBack.includes(false) && undo?.missing !== "interrupted")
      ledger.violate("half_done", "half of an undo is done, and nothing says so");
    if (isBack.includes(false)) await takeBack(ledger, operator, session);
    for (const file of kept)
      if (textOf(file) !== file.before) ledger.violate("lost", "a file that was kept can't be taken back any more");
    if (readdirSync(project).some((name) => name.startsWith(".metnos-gate-undo-")))
      ledger.violate("half_done", "what an undo had half made is still there");
    ledger.acknowledge("undos after a kill");
  }
  edited.splice(0).forEach(remove);
}
