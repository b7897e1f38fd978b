import { expect, it } from "vitest";
import { accessesOf } from "../../../packages/shell-reading/programs/accesses.ts";
import { programCalled } from "../../../packages/shell-reading/programs/table.ts";
import { readCommand } from "../../../packages/shell-reading/shell/read-command.ts";

/** What a command touches, by its program's record alone: nothing is looked up on the disk. */

const CONTEXT = { cwd: "/srv/project", home: "/home/ada", hasInput: false, looksAtDisk: false } as const;

function touched(line: string): string[] {
  const [command] = readCommand(line, { ...CONTEXT, user: "ada" }).commands;
  const program = command === undefined ? undefined : programCalled(command.name);
  if (command === undefined || program === undefined) throw new Error(`no program in ${line}`);
  return accessesOf(program, command.argv.slice(1), CONTEXT).accesses.map(({ kind, word, is_tree, into }) => {
    const path = word === "here" ? "." : word.text;
    return `${kind} ${path}${is_tree === true ? "/**" : ""}${into === undefined ? "" : ` (${into})`}`;
  });
}

it.each<[string, string[]]>([
  ["tar xf a.tar", ["read a.tar", "write ./**"]],
  ["tar xf a.tar -C /srv", ["read a.tar", "write /srv/**"]],
  ["tar -x -f a.tar --directory /srv", ["read a.tar", "write /srv/**"]],
  ["tar xf a.tar --directory=/srv", ["read a.tar", "write /srv/**"]],
  ["tar cf a.tar --directory /srv x", ["write a.tar", "read x/**", "read /srv/x/**"]],
  ["unzip a.zip -d d", ["write d/**"]],
  ["docker run -v /srv:/x image", ["read /srv/**"]],
  ["podman run -v /srv:/x image", ["read /srv/**"]],
  ["nerdctl run --mount type=bind,src=/srv,dst=/x image", ["read /srv/**"]],
  ["rsync -a a b", ["read a/**", "write b (either)", "write b"]],
  ["rsync -a --delete a b", ["read a/**", "write b (either)", "write b", "delete b/**"]],
  ["rsync -a --delete-after a b", ["read a/**", "write b (either)", "write b", "delete b/**"]],
  ["rsync -an --delete a b", []],
  ["grep x a.txt", ["read a.txt"]],
  ["grep -r x", ["read ./**"]],
  ["grep -d recurse x src", ["read src/**"]],
  ["grep --directories=recurse x src", ["read src/**"]],
  ["grep --directories recurse x src", ["read src/**"]],
  ["grep --directories=skip x src", ["read src"]],
  ["grep a* b.txt", ["read a*", "read b.txt"]],
  ["grep -e a* b.txt", ["read b.txt"]],
  ["grep -f a.txt b.txt", ["read a.txt", "read b.txt"]],
  ["sort -o out.txt a.txt", ["write out.txt", "read a.txt"]],
  ["cp a.txt b.txt", ["read a.txt", "write b.txt (either)"]],
  ["cp -T a b", ["read a", "write b (exactly)"]],
  ["cp -t d a b", ["read a", "write d (folder)", "read b", "write d (folder)"]],
  ["mv a b", ["move a", "write b (either)"]],
  ["dd if=a of=b", ["read a", "write b"]],
  ["chmod -R 644 a", ["mode a/**"]],
  ["find . -fprint out", ["write out", "list ./**"]],
  ["curl -o out http://a.example", ["host http://a.example", "write out"]],
  ["git clean -fdx", ["delete ./**"]],
  ["git -C /srv clean -fdx", ["delete /srv/**"]],
  ["git --work-tree /srv clean -fdx", ["delete /srv/**"]],
  ["git --work-tree=/srv clean -fdx", ["delete /srv/**"]],
])("%s", (line, wanted) => {
  expect(touched(line)).toEqual(wanted);
});
