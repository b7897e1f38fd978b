import { parse, TomlError } from "smol-toml";
import type { z } from "zod";
import { readRegularFile } from "../../ipc/base/regular-file.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { errorCode } from "../base/errors.ts";
import { invalidText, syntaxErrorText } from "./config-errors.ts";

/** A TOML file of the user's, by its schema. `source`: as it was parsed; `text`: as it was written. */
export interface TomlFile<T> {
  table: T;
  source: object;
  text: string;
}

/**
 * Undefined where there is no such file.
 * @param hint where to read how it is written
 * @throws GateError `invalid_config`, naming file, line and key; the system's error where it can't be read
 */
export function readToml<S extends z.ZodType>(
  file: string,
  schema: S,
  hint: string,
): TomlFile<z.output<S>> | undefined {
  let text: string;
  try {
    text = readRegularFile(file);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  return parsedToml(text, file, schema, hint);
}

/** Of a text as it is in `file`. @throws GateError `invalid_config`, naming file, line and key */
export function parsedToml<S extends z.ZodType>(
  text: string,
  file: string,
  schema: S,
  hint: string,
): TomlFile<z.output<S>> {
  let source: object;
  try {
    source = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new GateError("invalid_config", syntaxErrorText(file, text, error), hint, { cause: error });
  }
  const read = schema.safeParse(source);
  if (!read.success) {
    const message = invalidText(file, text, read.error, source, schema);
    throw new GateError("invalid_config", message, hint, { cause: read.error });
  }
  return { table: read.data, source, text };
}
