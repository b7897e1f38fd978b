import type { Command } from "commander";
import { renderUnicodeCompact } from "uqr";
import { ownCommand } from "../../ipc/base/own-command.ts";
import type { TelegramClaim, TelegramStatus } from "../../ipc/contract/channels.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { OperatorApi } from "../../ipc/contract/operator-api.ts";
import { withRunningGate } from "../operator.ts";
import { isSeenTogether, say, tell } from "../output.ts";
import { momentText } from "../times.ts";

/** `telegram ...`: the chat in which agents' requests can be answered. */
export function telegramCommands(program: Command): void {
  const telegram = program.command("telegram").description("the chat in Telegram where you answer agents' requests");
  telegram
    .command("link")
    .description("makes a link for one use within ten minutes: press it in Telegram, then confirm who did")
    .action(() => withRunningGate(link));
  telegram
    .command("status")
    .description("the bot, the linked chat, and who waits to be confirmed")
    .action(() =>
      withRunningGate(async (api) => {
        const status = await api.call("telegram.status", {});
        tell(status, ...statusLines(status));
      }),
    );
  telegram
    .command("confirm <id>")
    .description("links the chat that has pressed the link")
    .action((id: string) => withRunningGate((api) => confirm(api, id)));
  telegram
    .command("reject <id>")
    .description("the chat that has pressed the link isn't yours")
    .action((id: string) =>
      withRunningGate(async (api) => tell(await api.call("telegram.reject", { id }), "turned away: nothing is linked")),
    );
  telegram
    .command("unlink")
    .description("nothing can be answered in the linked chat any more")
    .action(() =>
      withRunningGate(async (api) => {
        const result = await api.call("telegram.unlink", {});
        tell(result, result.unlinked ? "unlinked" : "no chat was linked");
      }),
    );
}

/** On a terminal it waits until somebody has pressed the link, and says who: the confirmation is a command of its own. */
async function link(api: OperatorApi): Promise<void> {
  const { url, expires_at } = await api.call("telegram.link", {});
  tell({ url, expires_at }, ...(isSeenTogether() ? renderUnicodeCompact(url, { border: 2 }).split("\n") : []));
  say(`Open it in Telegram within ten minutes, and press Start: ${url}`);
  if (!isSeenTogether()) return say(`then see who did: ${ownCommand("telegram status")}`);
  say("Waiting for Start to be pressed; Ctrl-C leaves.");
  const claim = await claimed(api, Date.parse(expires_at));
  for (const line of claimLines(claim)) say(line);
}

/** @throws GateError `too_late` */
async function claimed(api: OperatorApi, untilMs: number): Promise<TelegramClaim> {
  let look: () => void = () => undefined;
  const unsubscribe = api.subscribe(() => look(), ["channels.changed"]);
  try {
    for (;;) {
      const change = new Promise<void>((resolve) => {
        look = resolve;
      });
      const { claim } = await api.call("telegram.status", {});
      if (claim !== null) return claim;
      const left = untilMs - Date.now();
      if (left <= 0)
        throw new GateError(
          "too_late",
          "nobody pressed the link in time",
          `make a new one: ${ownCommand("telegram link")}`,
        );
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, left);
      });
      await Promise.race([change, late]);
      clearTimeout(timer);
    }
  } finally {
    unsubscribe();
  }
}

async function confirm(api: OperatorApi, id: string): Promise<void> {
  const status = await api.call("telegram.confirm", { id });
  tell(status, ...statusLines(status));
}

function claimLines({ id, name, username, user_id, is_renamed }: TelegramClaim): string[] {
  const knownAs = username === null ? "" : `, @${username}`;
  return [
    `${is_renamed ? "The linked chat has a new name" : "Pressed by"}: ${name}${knownAs}, number ${user_id}. The name is their own words; the number is Telegram's.`,
    `If that is you: ${ownCommand(`telegram confirm ${id}`)}`,
    `If not: ${ownCommand(`telegram reject ${id}`)}`,
  ];
}

function statusLines({ bot, linked, link_expires_at, claim }: TelegramStatus): string[] {
  return [
    bot === null ? "no bot: see docs/telegram.md" : `bot: @${bot}`,
    linkedLine(linked, bot !== null && claim === null),
    ...(link_expires_at === null ? [] : [`a link can be used until ${link_expires_at}`]),
    ...(claim === null ? [] : claimLines(claim)),
  ];
}

/** @param canLink nothing else has to be done first */
function linkedLine(linked: TelegramStatus["linked"], canLink: boolean): string {
  if (linked === null) return canLink ? `no chat is linked: ${ownCommand("telegram link")}` : "no chat is linked";
  return `linked: ${linked.name}, number ${linked.user_id}, since ${momentText(linked.linked_at, Date.now())}`;
}
