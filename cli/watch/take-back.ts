import { ownCommand } from "../../ipc/base/own-command.ts";
import { shortenHome, visible } from "../../ipc/base/visible-text.ts";
import type { InEach, Language } from "../../ipc/contract/language.ts";
import type { OperatorApi } from "../../ipc/contract/operator-api.ts";
import type { UndoneCall, UndoneFile } from "../../ipc/contract/undo.ts";
import { toolText } from "../../ipc/words/box-words.ts";
import {
  comesBack,
  countsText,
  filesAmong,
  isForChoice,
  isOpenCall,
  missingText,
  UNDO_WORDS,
  whyText,
  workOf,
} from "../../ipc/words/undo-words.ts";
import { momentText } from "../times.ts";
import { folded, type Row } from "./rows.ts";

/** Taking back, in `watch`: the files of the last call that changed any, and one question. */

interface Words {
  question: string;
  none: string;
  files: string;
  choose: (files: string) => string;
  again: () => string;
}

export const TAKE_BACK_WORDS: InEach<Words> = {
  en: {
    question: "Take back what this call did to files?",
    none: "No call has changed files that could come back.",
    files: "its files",
    choose: (files) => `${files} for you to decide: on the page, or by ${ownCommand("undo --choose PATH=before")}`,
    again: () => `Put again by: ${ownCommand("undo redo")}`,
  },
  it: {
    question: "Riportare indietro ciò che questa chiamata ha fatto ai file?",
    none: "Nessuna chiamata ha cambiato file che possano tornare.",
    files: "i suoi file",
    choose: (files) => `${files} da decidere: nella pagina, o con ${ownCommand("undo --choose PATH=before")}`,
    again: () => `Si rimette con: ${ownCommand("undo redo")}`,
  },
};

export interface LastChange {
  call: UndoneCall;
  files: readonly UndoneFile[];
}

/** Calls that are looked at for one that changed files. */
const MOST_LOOKED_AT = 20;

/** The last call that changed files which aren't as before; undefined where there is none. @throws GateError as `undo.files` does */
export async function lastChange(api: OperatorApi): Promise<LastChange | undefined> {
  const calls = await api.call("undo.list", { limit: 200 });
  for (const call of calls.filter(isOpenCall).slice(0, MOST_LOOKED_AT)) {
    const { files } = await api.call("undo.files", { call: call.id });
    if (files.some(({ state }) => state !== "done")) return { call, files };
  }
  return undefined;
}

export const hasReady = ({ files }: LastChange): boolean => files.some(comesBack);

interface Of {
  language: Language;
  /** The home folder that the gate reads `~` as; null until it has said so. */
  home: string | null;
}

/** What is asked, of which call, and what can't come back. */
export function takeBackHead({ call, files }: LastChange, width: number, now: number, { language, home }: Of): Row[] {
  const words = TAKE_BACK_WORDS[language];
  const of = (text: string, tone: Row["tone"], most = 2): Row[] =>
    folded(visible(text), width, most).map((part) => ({ text: part, tone }));
  const { agent, executor, at, project } = call;
  const where = home === null ? project : shortenHome(project, home);
  const missing = missingText(call, language);
  const toDecide = files.filter(isForChoice).length;
  const about = [agent, toolText(executor, language), momentText(at, now, language), where];
  return [
    ...of(words.question, "strong"),
    ...of(about.join("  ·  "), "quiet"),
    ...of(countsText(files, language), "plain"),
    ...(missing === null ? [] : of(missing, "plain")),
    ...(toDecide === 0 ? [] : of(words.choose(UNDO_WORDS[language].files(toDecide)), "plain")),
    ...of(UNDO_WORDS[language].cannot, "quiet", 3),
  ];
}

/** A line for each file: what was done to it, and why it doesn't come back by itself. */
export function takeBackLines({ files }: LastChange, width: number, { language }: Of): string[] {
  const { work } = UNDO_WORDS[language];
  return filesAmong(files).map((file) => {
    const why = whyText(file, language);
    const text = `${work[workOf(file)](1).padEnd(10)} ${visible(file.path)}${why === null ? "" : `  (${why})`}`;
    return folded(text, width, 1)[0] ?? "";
  });
}
