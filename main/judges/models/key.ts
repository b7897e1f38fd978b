import type { Env } from "../../../ipc/base/paths.ts";
import { readSecret, SecretError } from "../../base/files/secret-text.ts";
import type { ModelConfig } from "../../decide/reviews/config.ts";
import { ModelError } from "../reviews/judge-ports.ts";

/** Where a model's key comes from. It is read anew each time it is used, and kept nowhere. */

/**
 * The configured key; undefined where none is configured.
 * @throws ModelError `key-missing`, which says why without the key or its file
 */
export function readKey(
  { key_env, key_file }: Pick<ModelConfig, "key_env" | "key_file">,
  env: Env,
): string | undefined {
  try {
    return readSecret({ env_name: key_env, file: key_file }, env, "key");
  } catch (error) {
    if (error instanceof SecretError) throw new ModelError("key-missing", error.message);
    throw error;
  }
}
