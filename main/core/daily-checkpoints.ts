import { isoSeconds } from "../../ipc/contract/iso-seconds.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { SignedCheckpoint } from "../records/audit/checkpoint.ts";
import type { ChannelNote } from "./channel.ts";
import type { Core } from "./core.ts";

/** Sends the day's checkpoint of the trail to where the user looks anyway (`[receipts] send_checkpoint`). */
export function sendCheckpoints(
  { checkpoints, config, notes }: Pick<Core, "checkpoints" | "config" | "notes">,
  log: (line: string) => void,
): void {
  const { send_checkpoint } = config.receipts;
  checkpoints.daily.subscribe((checkpoint) => {
    // Quoted, so that it is one line, and `audit verify --against -` can read it there.
    if (send_checkpoint.includes("journal")) log(`checkpoint ${JSON.stringify(checkpoint.text)}`);
    const only = send_checkpoint.filter((name) => name !== "journal");
    if (only.length > 0) notes.say({ ...checkpointNote(checkpoint, config.language), only });
  });
  checkpoints.daily.start();
}

const TITLES: Readonly<Record<Language, (lines: number, at: string) => string>> = {
  en: (lines, at) => `Checkpoint of the audit trail: ${lines} lines, ${at}`,
  it: (lines, at) => `Checkpoint del registro: ${lines} righe, ${at}`,
};

/** Its lines as they are signed, to be copied. */
function checkpointNote({ size, ms, text }: SignedCheckpoint, language: Language): ChannelNote {
  const lines = text.split("\n").slice(0, -1);
  return { kind: "checkpoint", is_urgent: false, title: TITLES[language](size, isoSeconds(ms)), lines };
}
