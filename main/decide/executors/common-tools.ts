import { named, object, text, textOrList } from "./json-schema.ts";
import type { BuiltInManifest } from "./manifest.ts";
import { ASKS_OUTSIDE, CHANGES_NOTHING, fetches, lists, reads, writes } from "./tool-shapes.ts";

/** The executors that the requirements name: what every agent has. */
export const COMMON_TOOLS: readonly BuiltInManifest[] = [
  reads("fs_read", "path"),
  lists("fs_list", "path"),
  writes("fs_write", "path", {}, { content: text }, { content_args: ["content"] }),
  {
    name: "fs_delete",
    needs: [{ capability: "fs:write", target: { from: "path", arg: "path", is_tree: true, access: "delete" } }],
    args_schema: object({ path: named }),
    verb: { en: "delete", it: "cancelli" },
    reversibility: "irreversible",
    critical: true,
  },
  {
    name: "shell_exec",
    needs: [{ capability: "code:exec", target: { from: "command", args: ["command", "cmd"], is_shell: true } }],
    args_schema: {
      ...object({}, { command: textOrList, cmd: textOrList }),
      anyOf: [object({ command: textOrList }), object({ cmd: textOrList })],
    },
    verb: { en: "run", it: "esegua" },
    critical: true,
  },
  fetches("http_get"),
  {
    name: "http_post",
    needs: [{ capability: "network:http", target: { from: "url", arg: "url", sends: true } }],
    args_schema: object({ url: named }),
    content_args: ["body", "json", "data"],
    verb: { en: "send data", it: "invii dati" },
    critical: true,
  },
  {
    name: "mail_read",
    needs: [{ capability: "mail:read", target: { from: "exact", arg: "mailbox" } }],
    args_schema: object({ mailbox: named }),
    verb: { en: "read mail", it: "legga la posta" },
    ...ASKS_OUTSIDE,
  },
  {
    name: "mail_send",
    needs: [{ capability: "mail:send", target: { from: "exact", arg: "to" } }],
    args_schema: object({ to: textOrList }, { subject: text, body: text }),
    content_args: ["subject", "body"],
    verb: { en: "send mail", it: "invii posta" },
    critical: true,
  },
  {
    name: "channel_receive",
    needs: [{ capability: "channel:in", target: { from: "exact", arg: "channel" } }],
    args_schema: object({ channel: named }),
    verb: { en: "receive messages", it: "riceva messaggi" },
    ...ASKS_OUTSIDE,
  },
  {
    name: "channel_send",
    needs: [{ capability: "channel:out", target: { from: "exact", arg: "channel" } }],
    args_schema: object({ channel: named }, { text }),
    content_args: ["text"],
    verb: { en: "send a message", it: "invii un messaggio" },
    critical: true,
  },
  {
    name: "llm_local",
    needs: [{ capability: "llm:local", target: { from: "none" } }],
    args_schema: object({}, { prompt: text }),
    content_args: ["prompt", "messages"],
    verb: { en: "ask the local model", it: "interroghi il modello locale" },
    ...CHANGES_NOTHING,
  },
  {
    name: "llm_online",
    needs: [{ capability: "llm:online", target: { from: "none" } }],
    args_schema: object({}, { prompt: text }),
    content_args: ["prompt", "messages"],
    verb: { en: "ask an online model", it: "interroghi un modello online" },
    critical: false,
  },
  {
    name: "time_now",
    needs: [{ capability: "time:read", target: { from: "none" } }],
    args_schema: object({}),
    verb: { en: "read the clock", it: "legga l'ora" },
    ...CHANGES_NOTHING,
  },
  {
    name: "parse_document",
    needs: [
      { capability: "parse:local", target: { from: "none" } },
      { capability: "fs:read", target: { from: "path", arg: "path" } },
    ],
    args_schema: object({ path: named }),
    verb: { en: "read and parse", it: "legga e analizzi" },
    ...CHANGES_NOTHING,
  },
  {
    name: "calendar_read",
    needs: [{ capability: "calendar:read", target: { from: "exact", arg: "calendar" } }],
    args_schema: object({ calendar: named }),
    verb: { en: "read the calendar", it: "legga il calendario" },
    ...ASKS_OUTSIDE,
  },
];
