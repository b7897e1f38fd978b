import { ownCommand } from "../../../ipc/base/own-command.ts";
import { isPlainText, shortened, visible } from "../../../ipc/base/visible-text.ts";
import type { Alarm } from "../../../ipc/contract/alarms.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import type { ApprovalView, PairingRequest } from "../../../ipc/contract/operator-api.ts";
import { ALARM_WORDS } from "../../../ipc/words/alarm-words.ts";
import { cardFacts } from "../../../ipc/words/card-facts.ts";
import {
  bundleText,
  columns,
  isHazardous,
  othersText,
  pairingTitle,
  ROW_WIDTH,
  requestText,
} from "../../../ipc/words/notice-text.ts";
import { isShownWhole } from "../../../ipc/words/shown-call.ts";
import type { ChannelNote } from "../../core/channel.ts";
import type { Notice, SinkAbilities } from "./sink.ts";
import { NOTICE_WORDS } from "./words.ts";

/** The text of a notification, and which answers it may offer. Pure. */

export interface NoticeSettings extends SinkAbilities {
  language: Language;
  /** Whether Review can open a window or the page. */
  canReview: boolean;
}

/** The rows of a body that servers show without folding it, each of about 48 columns where they are narrow. */
export const BODY_ROWS = 6;
/** Pairing requests are listed up to this many. */
const NAMES_SHOWN = 4;
/** Where a server shows nothing but the text, this says who speaks. */
const PRODUCT = "Metnos Gate";
/**
 * One waiting request. Approve is offered only if the whole request is readable in the notification (`wholeRequest`);
 * else Deny and, where it can open something, Review.
 */
export function approvalNotice(view: ApprovalView, settings: NoticeSettings): Notice {
  const words = NOTICE_WORDS[settings.language];
  const { title, lines: said } = requestText(view, settings.language);
  const whole = wholeRequest(view, said, 1);
  const { again } = cardFacts(view, settings.language);
  const lines = whole ?? [...said.map((line) => shortened(line, ROW_WIDTH * 3)), words.more];
  const canApprove = whole !== null && settings.hasBody;
  const buttons = [
    { action: "deny" as const, label: again?.stop ?? words.deny },
    ...(canApprove ? [{ action: "approve" as const, label: again?.let_it ?? words.approve }] : []),
  ];
  const notice = { kind: "approval", is_urgent: isHazardous(view), title, lines, buttons } as const;
  return withReview(notice, settings, canApprove);
}

/** Many requests of one agent, in one notification that answers none of them. */
export function digestNotice(agentName: string, views: readonly ApprovalView[], settings: NoticeSettings): Notice {
  const text = bundleText(agentName, views, settings.language);
  const notice = { kind: "digest", is_urgent: views.some(isHazardous), ...text, buttons: [] } as const;
  return withReview(notice, settings, false);
}

/** Every agent that waits to be paired, in one notification: agents can't fill the screen. */
export function pairingNotice(requests: readonly PairingRequest[], settings: NoticeSettings): Notice {
  const words = NOTICE_WORDS[settings.language];
  const names = requests.slice(0, NAMES_SHOWN).map(({ name }) => shortened(visible(name), ROW_WIDTH));
  const lines =
    requests.length > NAMES_SHOWN ? [...names, othersText(requests.length - NAMES_SHOWN, settings.language)] : names;
  const notice = {
    kind: "pairing",
    is_urgent: false,
    title: pairingTitle(requests.length, settings.language),
    lines,
    buttons: [],
  } as const;
  const [first] = requests;
  const pair =
    first === undefined ? ownCommand("agents list") : ownCommand(`agents pair ${first.name} --level Supervised`);
  return withReview(notice, settings, false, words.pairWith(pair));
}

/** The safety filter has paused every agent. */
export function pauseNotice(reason: string, settings: NoticeSettings): Notice {
  const { paused: title, see } = NOTICE_WORDS[settings.language];
  const notice = { kind: "pause", is_urgent: true, title, lines: [visible(reason)], buttons: [] } as const;
  return withReview(notice, settings, false, see(ownCommand("safety status")));
}

/** An alarm. */
export function alarmNotice({ code, message, hint }: Alarm, settings: NoticeSettings): Notice {
  const { title } = ALARM_WORDS[settings.language][code];
  const lines = [message, hint].filter((text) => text !== "").map((text) => shortened(visible(text), ROW_WIDTH * 3));
  const inTerminal = NOTICE_WORDS[settings.language].see(ownCommand("alarms list"));
  return withReview({ kind: "alarm", is_urgent: false, title, lines, buttons: [] }, settings, false, inTerminal);
}

/** What the user should know of, without being asked. */
export function noteNotice({ title, lines, is_urgent }: ChannelNote, settings: NoticeSettings): Notice {
  const shown = lines.slice(0, BODY_ROWS);
  const more = lines.length > BODY_ROWS ? [othersText(lines.length - BODY_ROWS, settings.language)] : [];
  return { kind: "note", is_urgent, title, lines: [...shown, ...more, PRODUCT], buttons: [], defaultAction: null };
}

/** Adds Review where it can open something, and says where to answer if the buttons can't. @param inTerminal how, without a window: left out, in `watch` */
function withReview(
  notice: Omit<Notice, "defaultAction">,
  { language, hasActions, canReview }: NoticeSettings,
  canApprove: boolean,
  inTerminal?: string,
): Notice {
  const words = NOTICE_WORDS[language];
  const isAnswerable = canApprove && hasActions;
  const inWindow = notice.kind === "alarm" ? words.alarmInWindow : words.inWindow;
  const elsewhere = inTerminal ?? words.answerWith(ownCommand("watch"));
  const withReview =
    notice.kind === "approval" || notice.kind === "digest" ? words.reviewOr(ownCommand("watch")) : null;
  const where = !canReview ? elsewhere : hasActions ? withReview : inWindow;
  return {
    ...notice,
    lines: [...notice.lines, ...(isAnswerable || where === null ? [] : [where]), PRODUCT],
    buttons: canReview ? [...notice.buttons, { action: "review", label: words.review }] : notice.buttons,
    defaultAction: canReview ? "review" : null,
  };
}

/**
 * The lines that show the request in full: the card's, then every argument that they don't show, by name, and what its names run. Null
 * where that can't be read at a glance: more than one need, hidden or right-to-left characters, or more than fits a notification.
 */
function wholeRequest(view: ApprovalView, bodyLines: readonly string[], rowsTaken: number): string[] | null {
  if (view.args === null || view.capabilities.length !== 1) return null;
  const texts = [view.target_summary, view.capability_class, view.action_verb, ...view.links];
  const lines = [...bodyLines];
  let room = BODY_ROWS - rowsTaken - rowsOf(bodyLines);
  for (const [key, value] of Object.entries(view.args)) {
    if (room < 0) return null;
    if (typeof value === "string" && value.length > BODY_ROWS * ROW_WIDTH) return null;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    texts.push(key, text);
    if (isOnCard(view, key, value, bodyLines)) continue;
    const line = `${key}: ${text}`;
    lines.push(line);
    room -= rowsOf([line]);
  }
  const scripts = view.description?.stands_for ?? [];
  for (const { file, lines: run } of scripts) {
    const said = run.map((line) => `${file.slice(file.lastIndexOf("/") + 1)}: ${line}`);
    texts.push(...said);
    lines.push(...said);
    room -= rowsOf(said);
  }
  const isAll = isShownWhole(view, {
    args: new Set(Object.keys(view.args)),
    changes: false,
    scripts: new Set(scripts),
  });
  return isAll && room >= 0 && texts.every((text) => isPlainText(text)) ? lines : null;
}

/** Arguments that name what a call is about; any other argument's value is shown with its name. */
const SUBJECTS = new Set([
  "path",
  "file_path",
  "filePath",
  "notebook_path",
  "command",
  "cmd",
  "to",
  "mailbox",
  "channel",
  "calendar",
]);

/** True if the card's second line contains this argument in full: as the target, or as the URL in front of its host. */
function isOnCard(
  { capabilities, target_summary, args }: ApprovalView,
  key: string,
  value: unknown,
  lines: readonly string[],
): boolean {
  const [need] = capabilities;
  if (need === undefined || !lines.some((line) => line.includes(visible(target_summary)))) return false;
  if (typeof value !== "string" || value === "") return false;
  if (need.capability === "network:http") return key === "url" && target_summary.startsWith(`${value} (`);
  if (value !== need.target || !SUBJECTS.has(key)) return false;
  // With two equal values only their names show which is which.
  if (Object.values(args ?? {}).filter((other) => other === value).length > 1) return false;
  const isPath = need.capability === "fs:read" || need.capability === "fs:write";
  // A path is shown as its name and its folder: `a.txt -> ~/notes/`.
  return target_summary.startsWith(isPath ? value.slice(value.lastIndexOf("/") + 1) : value);
}

function rowsOf(lines: readonly string[]): number {
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(columns(line) / ROW_WIDTH)), 0);
}
