import { z } from "zod";
import { GateError } from "../../ipc/contract/gate-error.ts";

/** @throws GateError `invalid_input` */
export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new GateError("invalid_input", `${where}: not JSON`, "see docs/judge-eval.md", { cause: error });
  }
}

/** A record of a published set, or of ours. @throws GateError `invalid_input`, naming the field, never its value */
export function parseRecord<T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue === undefined || issue.path.length === 0 ? "the record" : issue.path.join(".");
  throw new GateError(
    "invalid_input",
    `${where}: ${field}: ${issue?.message ?? "not valid"}`,
    "see docs/judge-eval.md",
  );
}

/** Each record of a JSON array. @throws GateError `invalid_input` */
export function parseRecords<T extends z.ZodType>(schema: T, text: string, file: string): z.output<T>[] {
  return parseRecord(z.array(z.unknown()), parseJson(text, file), file).map((record, index) =>
    parseRecord(schema, record, `${file}, record ${index + 1}`),
  );
}

/** Longer intents aren't calls that an agent could propose (ipc/contract/wire.ts). */
const MAX_INTENT = 16_384;

export const asIntent = (text: string): string => text.slice(0, MAX_INTENT);

/** A published tool's name as an executor's; `otherwise` where nothing of it is left. */
export function asExecutor(name: string, otherwise: string): string {
  return name.replace(/[^A-Za-z0-9_.:/-]/g, "").slice(0, 200) || otherwise;
}
