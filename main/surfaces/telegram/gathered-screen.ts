import { visible } from "../../../ipc/base/visible-text.ts";
import type { Gathered } from "../../core/channel.ts";
import { commonAnswer, gatheredText } from "../channels/gathered-requests.ts";
import type { Screen } from "./bot-api.ts";
import { MAX_CHARACTERS, type ScreenSettings } from "./request-screen.ts";
import { TELEGRAM_WORDS } from "./words.ts";

/** The message about many requests of one agent. Its buttons say nothing of whom: they are of the message that shows them. Pure. */

export function gatheredScreen(gathered: Gathered, settings: ScreenSettings): Screen {
  const { language, show } = settings;
  const words = TELEGRAM_WORDS[language];
  const decisions = [
    { text: words.deny_all(String(gathered.views.length)), data: "deny-all" },
    { text: words.show_each, data: "each" },
  ];
  if (show === "title") {
    const title = words.asks(visible(gathered.agent_name));
    const lines = [title, words.waiting(String(gathered.views.length)), words.at_machine];
    return { text: lines.join("\n"), buttons: [decisions] };
  }
  const { title, lines } = gatheredText(gathered, settings);
  const common = commonAnswer(gathered.views, settings);
  const allow = common === null ? [] : [[{ text: `${common.label} …`, data: "allow" }]];
  return { text: [title, ...lines].join("\n").slice(0, MAX_CHARACTERS), buttons: [...allow, decisions] };
}

/** Exactly what the answer to all of them would store; undefined where there is none. */
export function gatheredStoreScreen(gathered: Gathered, settings: ScreenSettings): Screen | undefined {
  const words = TELEGRAM_WORDS[settings.language];
  const common = settings.show === "title" ? null : commonAnswer(gathered.views, settings);
  if (common === null) return undefined;
  const text = [
    common.label,
    words.stored_for_several(String(common.covers), String(gathered.views.length)),
    ...common.stores.map((line) => `│ ${line}`),
  ].join("\n");
  if (text.length > MAX_CHARACTERS) return undefined;
  return { text, buttons: [[{ text: words.store, data: "store-all" }], [{ text: words.back, data: "back-all" }]] };
}
