import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadedByEnvrc, searchedByEnvrc } from "../../../packages/shell-reading/programs/envrc-files.ts";
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

it("it loads what follows a condition, and what these files load in turn, from where they are read", () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "scripts"));
  writeFileSync(
    join(folder, ".envrc"),
    "[ -f a.sh ] && . a.sh; source b.sh\nif true; then source_env scripts/c.sh; fi\n",
  );
  writeFileSync(join(folder, "a.sh"), '. "$(pwd)/d.sh"\n. a.sh\n');
  writeFileSync(join(folder, "scripts/c.sh"), "dotenv\n");
  const names = loadedByEnvrc(folder).map((path) => path.slice(folder.length + 1));
  expect(names).toEqual(["a.sh", "b.sh", "scripts/c.sh", "d.sh", "scripts/.env"]);
});

it("it puts folders on PATH, but those that builds make", () => {
  const folder = tempFolder();
  const lines =
    'PATH_add bin\npath_add PATH "tools"\nexport PATH="$PWD/scripts:$PATH"\nPATH_add node_modules/.bin\nexport A=x\n';
  writeFileSync(join(folder, ".envrc"), lines);
  expect(searchedByEnvrc(folder).map((path) => path.slice(folder.length + 1))).toEqual(["bin", "tools", "scripts"]);
});

it("each folder counts that it puts on PATH, however it is written", () => {
  const folder = tempFolder();
  const lines = [
    ...['PATH="$PWD/a:$PATH"', 'export X=1 PATH="$PATH:$PWD/b:./c"', 'PATH_add d "$(pwd)/e"', "load_prefix f # g"],
    ...["if true; then PATH=h:$PATH; fi", "# PATH_add i", "MY_PATH=j"],
  ];
  writeFileSync(join(folder, ".envrc"), lines.join("\n"));
  const names = searchedByEnvrc(folder).map((path) => path.slice(folder.length + 1));
  expect(names).toEqual(["a", "b", "c", "d", "e", "f/bin", "h"]);
  writeFileSync(join(folder, ".envrc"), "use nix\n");
  expect(loadedByEnvrc(folder)).toEqual([join(folder, "default.nix")]);
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
