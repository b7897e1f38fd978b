/** What an agent may send of a PATH, in characters. */
export const MAX_SHELL_PATH = 16_384;

/** What a hook's launcher keeps the client's own PATH in: it runs with another one. */
export const GIVEN_PATH = "METNOS_GIVEN_PATH";

/** `context.path` for a call whose shell has this environment. Of a longer one its first folders: those are looked in first. */
export function shellPathOf({ PATH: path }: { readonly PATH?: string | undefined }): { path?: string } {
  if (path === undefined) return {};
  return { path: path.length <= MAX_SHELL_PATH ? path : path.slice(0, path.lastIndexOf(":", MAX_SHELL_PATH)) };
}
