import { isAbsolute } from "node:path";
import { z } from "zod";

/** Values that several sections of gate.toml have. */

/** In gate.toml nobody expands `~`, and a relative path would depend on where the gate was started. */
export const absolutePath = z
  .string()
  .refine(isAbsolute, { error: "expected an absolute path: it begins with /, and ~ means nothing here" });

/** The environment variable of the gate that holds a secret. */
export const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of an environment variable, not what it holds");
