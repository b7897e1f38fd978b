import { parseArgs } from "node:util";
import { GateError } from "../ipc/contract/gate-error.ts";
import { judgeConfigSchema } from "../main/decide/reviews/config.ts";
import { FORMAT_NAMES, type Format } from "./formats/formats.ts";

export const OUR_CALLS = new URL("./data/labelled-calls.jsonl", import.meta.url).pathname;

const USAGE = `npm run judge-eval -- --model NAME [--format ours|rjudge|asse|agentharm|redcode] [--data FILE...]
  --model NAME    a model of gate.toml, [models.NAME]
  --format        the layout of the data; ours where left out
  --data FILE     further files may follow; our own calls where left out (docs/judge-eval.md says where the others are)
  --limit N       N calls, spread over the data
  --send WHAT     keys, redacted or full, in place of [judge] send
  --at-once N     questions at the same time, 1 to 8; 4 where left out
  --json          one JSON object instead of lines`;

export interface Options {
  model: string;
  format: Format;
  files: string[];
  limit: number | undefined;
  send: "keys" | "redacted" | "full" | undefined;
  atOnce: number;
  is_json: boolean;
}

/** @throws GateError `usage` */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parsed(args);
  if (values.model === undefined) throw usage("which model? --model NAME");
  const format = FORMAT_NAMES.find((name) => name === values.format);
  if (format === undefined) throw usage(`--format: one of ${FORMAT_NAMES.join(", ")}`);
  const files = [...values.data, ...positionals];
  if (files.length === 0 && format !== "ours") throw usage("which data? --data FILE");
  const send = judgeConfigSchema.shape.send.safeParse(values.send);
  if (!send.success) throw usage("--send: keys, redacted or full");
  return {
    model: values.model,
    format,
    files: files.length === 0 ? [OUR_CALLS] : files,
    limit: values.limit === undefined ? undefined : whole("--limit", values.limit, 100_000),
    send: send.data,
    atOnce: whole("--at-once", values["at-once"], 8),
    is_json: values.json,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        model: { type: "string" },
        format: { type: "string", default: "ours" },
        data: { type: "string", multiple: true, default: [] },
        limit: { type: "string" },
        send: { type: "string" },
        "at-once": { type: "string", default: "4" },
        json: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
}

function whole(name: string, text: string, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw usage(`${name}: a whole number from 1 to ${most}`);
}

const usage = (message: string) => new GateError("usage", message, USAGE);
