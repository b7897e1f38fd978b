import { dialog } from "electron";
import type { Language } from "../../ipc/language.ts";
import { gatePaths } from "../../ipc/paths.ts";
import { loadConfig } from "../config.ts";
import { VERSION } from "../version.ts";
import { isNewer, newestVersion } from "./newer-version.ts";
import { refusalText } from "./tray-feed.ts";
import { shellWords } from "./words.ts";

/** The user wants to know whether there is a newer version: asks at `update.url`, and says what came of it. Never rejects. */
export async function lookForNewer(language: Language): Promise<void> {
  const words = shellWords[language];
  const say = (message: string, detail: string) => dialog.showMessageBox({ type: "info", message, detail });
  try {
    const { url } = loadConfig(gatePaths().config_file, process.env).update;
    if (url === undefined) await say(words.newer_no_address, words.newer_how);
    else {
      const newest = await newestVersion(url);
      await say(isNewer(newest, VERSION) ? words.newer(newest) : words.newest, words.this_version(VERSION));
    }
  } catch (error) {
    await say(words.newer_unknown, refusalText(error).message);
  }
}
