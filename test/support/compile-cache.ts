import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    compile_cache: string;
  }
}

/**
 * Where the processes that tests start keep compiled code: one folder for the whole run (`global-setup.ts` fills it), since most of
 * a command's time would go there.
 */
export const COMPILE_CACHE = inject("compile_cache") ?? join(process.env.HOME ?? tmpdir(), "compile-cache");
