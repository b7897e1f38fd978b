import { ownCommand } from "../base/own-command.ts";

/** Shown while a hook waits, where nobody may see a notification: how to answer. */
export const askingStatus = (): string => `Metnos Gate asks you: ${ownCommand("watch")}`;
