import { createRequire } from "node:module";

/** ast-grep's library for this machine, one file that Node loads; null where there is none. */
export function astGrepLibrary(): string | null {
  try {
    const require = createRequire(import.meta.url);
    const package_require = createRequire(require.resolve("@ast-grep/napi"));
    for (const kind of ["gnu", "musl"]) {
      const path = resolved(package_require, `@ast-grep/napi-linux-${process.arch}-${kind}`);
      // The system loads no file that lies in the packaged app's archive.
      if (path !== null) return path.replace(/([/\\])app\.asar([/\\])/, "$1app.asar.unpacked$2");
    }
    return null;
  } catch {
    return null; // the package isn't installed
  }
}

function resolved(from: NodeJS.Require, name: string): string | null {
  try {
    return from.resolve(name);
  } catch {
    return null; // it isn't this machine's
  }
}
