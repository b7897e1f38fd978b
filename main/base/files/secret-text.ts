import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { Env } from "../../../ipc/base/paths.ts";
import { errorCode } from "../errors.ts";

/** Where a secret of the user's comes from: a variable of the environment, or a file that nobody else can read. */

export interface SecretSource {
  env_name?: string | undefined;
  file?: string | undefined;
}

/** Says why there is no secret, with neither the secret nor its file. */
export class SecretError extends Error {
  override readonly name = "SecretError";
}

const MAX_BYTES = 4096;

/**
 * The configured secret, read anew; undefined where none is configured. `what` names it: `key`, `token`.
 * @throws SecretError
 */
export function readSecret({ env_name, file }: SecretSource, env: Env, what: string): string | undefined {
  if (env_name !== undefined) return checked(env[env_name] ?? "", `the environment variable ${env_name}`, what);
  if (file !== undefined) return checked(ownText(file, what), `the ${what} file`, what);
  return undefined;
}

function checked(text: string, where: string, what: string): string {
  const secret = text.trim();
  if (secret === "") throw new SecretError(`${where} holds no ${what}`);
  // Anything else would end the header that it is sent in, or be no header at all.
  if (!/^[\x21-\x7e]+$/.test(secret)) throw new SecretError(`${where} doesn't hold just a ${what}`);
  return secret;
}

/** Of a file that only its owner, the user, can read: whoever else can write it could put a secret of theirs in its place. */
function ownText(file: string, what: string): string {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    const code = errorCode(error);
    throw new SecretError(`the ${what} file ${code === "ELOOP" ? "is a link" : `can't be read (${code})`}`);
  }
  try {
    const { mode, uid } = fstatSync(fd);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw new SecretError(`the ${what} file is no file`);
    if (uid !== process.getuid?.()) throw new SecretError(`the ${what} file belongs to another user`);
    if ((mode & 0o077) !== 0) throw new SecretError(`others can read the ${what} file: it has to be 0600`);
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, MAX_BYTES, 0));
  } finally {
    closeSync(fd);
  }
}
