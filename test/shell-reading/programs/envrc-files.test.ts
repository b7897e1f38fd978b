import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadedByEnvrc } from "../../../main/shell-reading/programs/envrc-files.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const loaded = (text: string): string[] => {
  const folder = tempFolder();
  writeFileSync(join(folder, ".envrc"), text);
  return loadedByEnvrc(folder).map((path) => path.slice(folder.length + 1));
};

it("an .envrc loads what it sources, and files of variables", () => {
  expect(
    loaded(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: of the shell
      'use flake\nsource_env scripts/env.sh\n  source_env_if_exists ./.envrc.d\nsource "lib/a.sh"\n. $PWD/b.sh\n. "${PWD}/c.sh"\ndotenv\ndotenv_if_exists .env.local\n',
    ),
  ).toEqual(["scripts/env.sh", ".envrc.d", "lib/a.sh", "b.sh", "c.sh", ".env", ".env.local"]);
});

it("it loads no folder of programs, nothing that builds make, and nothing in a comment", () => {
  expect(loaded("PATH_add bin\n# source_env a.sh\nsource .venv/bin/activate\nexport A=source\nsource_up\n")).toEqual(
    [],
  );
});

it("one that is a link, or a folder, names nothing", () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "d/.envrc"), { recursive: true });
  writeFileSync(join(folder, "x"), "dotenv");
  symlinkSync("x", join(folder, ".envrc"));
  expect([loadedByEnvrc(folder), loadedByEnvrc(join(folder, "d"))]).toEqual([[], []]);
});
