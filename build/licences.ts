import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import type { Plugin } from "rolldown";

const LICENCE = /^(?:licen[cs]e|notice|copying)(?:\.|$)/i;

/** Writes the licences of the packages whose code is in a bundle beside it, as most of them ask for. */
export function licences(): Plugin {
  return {
    name: "licences",
    generateBundle(_options, bundle) {
      const folders = new Set<string>();
      for (const output of Object.values(bundle)) {
        if (output.type !== "chunk") continue;
        for (const id of output.moduleIds) {
          const folder = packageFolder(id);
          if (folder !== undefined) folders.add(folder);
        }
      }
      const texts = [...folders].map(licenceText).sort();
      this.emitFile({ type: "asset", fileName: "third-party-licences.txt", source: texts.join("\n\n") });
    },
  };
}

/** `.../node_modules/@scope/name` or `.../node_modules/name`; undefined for a file of our own. */
function packageFolder(moduleId: string): string | undefined {
  const parts = moduleId.split(sep);
  const at = parts.lastIndexOf("node_modules");
  if (at === -1) return undefined;
  return parts.slice(0, at + (parts[at + 1]?.startsWith("@") === true ? 3 : 2)).join(sep);
}

function licenceText(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
    string,
    string
  >;
  const files = readdirSync(folder).filter((file) => LICENCE.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  return [`${name} ${version} (${license})`, ...texts].join("\n\n");
}
