import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../support/temp-folder.ts";
import { BOX, bash, ended, expectRefused, MAKER, make, NEEDED, withoutMaker } from "./made-by.ts";

const RAN = bash("echo ran");
const FROM_FILE = ["--args", "3"];

describe.skipIf(withoutMaker())("metnos-make-box", () => {
  it("says what it is, and runs a command in a box", async () => {
    expect(await make(["--version"])).toMatchObject({ code: 0, stdout: "metnos-make-box 1.0\n" });
    expect(await make([...BOX, ...RAN])).toEqual({ code: 0, signal: null, stdout: "ran\n", stderr: "" });
  });

  it.each([
    ["--share-net", []],
    ["--bind-try", ["/usr", "/x"]],
    ["--overlay-src", ["/usr"]],
    ["--uid", ["0"]],
    ["--cap-add", ["ALL"]],
    ["--remount-rw", ["/"]],
    ["--userns", ["3"]],
    ["-h", []],
    ["", []],
  ])("refuses a word that it doesn't know: %s", async (word, values) => {
    if (word !== "") expectRefused(await make([...BOX, word, ...values, ...RAN]), `Unknown option ${word}`);
    expectRefused(await make([...NEEDED, ...FROM_FILE, ...RAN], { words: ended([word, ...values]) }), "Unknown option");
  });

  it.each([
    [["--cap-drop", "CAP_CHOWN"], "Only all capabilities"],
    [["--bind", "usr", "/x"], "--bind needs absolute paths"],
    [["--ro-bind", "/usr", "x"], "--ro-bind needs absolute paths"],
    [["--dir", "x"], "--dir needs absolute paths"],
    [["--tmpfs", "/"], "--tmpfs / comes first, and once"],
    [["--bind", "/usr", "/"], "comes first, and once"],
    [["--proc", "/elsewhere"], "--proc belongs elsewhere"],
    [["--dev", "/elsewhere"], "--dev belongs elsewhere"],
    [["--perms", "8", "--dir", "/x"], "no number that can be used: 8"],
    [["--perms", "10000", "--dir", "/x"], "no number that can be used: 10000"],
    [["--perms", "0755", "--bind", "/usr", "/x"], "--perms must be followed"],
    [["--size", "-1", "--tmpfs", "/x"], "no number that can be used: -1"],
    [["--size", "99999999999999999999", "--tmpfs", "/x"], "no number that can be used"],
    [["--size", "1", "--dir", "/x"], "--size must be followed by --tmpfs"],
    [["--perms", "0755"], "Nothing follows --perms or --size"],
    [["--sync-fd", "1"], "This descriptor can't be used: 1"],
    [["--info-fd", "77"], "This descriptor can't be used: 77"],
    [["--info-fd", "3", "--info-fd", "3"], "This descriptor can't be used: 3"],
    [["--args", "3", "--dir", "/x"], "--dir can't be used here"],
  ])("refuses what it can't take: %j", async (words, why) => {
    expectRefused(await make([...BOX, ...words, ...RAN]), why);
  });

  it.each([
    ["--", "The command can't be among these words"],
    ["--sync-fd 3", "--sync-fd can't be used here"],
    ["--setenv A", "--setenv takes 2 arguments"],
  ])("refuses, of a descriptor's words: %s", async (words, why) => {
    expectRefused(await make([...BOX, ...FROM_FILE, ...RAN], { words: ended(words.split(" ")) }), why);
  });

  it.each(["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--cap-drop ALL"])(
    "refuses to make a box without %s, which it would make all the same",
    async (word) => {
      const without = BOX.join(" ")
        .replace(word, "")
        .split(" ")
        .filter((each) => each !== "");
      expectRefused(await make([...without, ...RAN]), "A word is missing that every box has");
    },
  );

  it("refuses to make anything before its root, and a box without a command", async () => {
    expectRefused(await make([...NEEDED, "--dir", "/x", ...BOX.slice(NEEDED.length), ...RAN]), "comes first");
    expectRefused(await make([...BOX]), "No command was given");
    expectRefused(await make([...BOX, "--"]), "No command was given");
    expectRefused(await make([...BOX, "--chdir", "/nowhere", ...RAN]), "Can't chdir to /nowhere: No such file");
  });

  it("takes 9000 words, and refuses one more", async () => {
    const before = [...BOX, ...FROM_FILE, ...RAN];
    const links = Array.from({ length: Math.floor((9000 - before.length) / 3) }, (_, at) => ["--setenv", `A${at}`, ""]);
    const rest = Array.from({ length: (9000 - before.length) % 3 }, () => "--new-session");
    const words = [...links.flat(), ...rest];
    expect(before.length + words.length).toBe(9000);
    expect(await make(before, { words: ended(words) })).toMatchObject({ code: 0, stdout: "ran\n" });
    expectRefused(
      await make(before, { words: ended([...words, "--new-session"]) }),
      "maximum number of arguments 9000",
    );
    const all = [...BOX, ...Array.from({ length: 9000 }, () => "--new-session"), ...RAN];
    expectRefused(await make(all), "maximum number of arguments 9000");
  });

  it("refuses words whose last one has no end, or that hold an empty one", async () => {
    const before = [...BOX, ...FROM_FILE, ...RAN];
    const words = ended(["--setenv", "A", "/a/path/that/was/cut"]);
    expect(await make(before, { words })).toMatchObject({ code: 0 });
    for (let cut = 1; cut < words.length; cut += 3)
      expect(await make(before, { words: words.slice(0, -cut) }), words.slice(0, -cut)).toMatchObject({
        code: 126,
        stdout: "",
      });
    expectRefused(await make(before, { words: `${words}\0` }), "Unknown option");
  });

  it("begins where the words say, with what they say, and its exit code is the command's", async () => {
    const words = ["--setenv", "A", "b c", "--hostname", "here", "--chdir", "/usr"];
    const line = 'echo "$A $(pwd) $PWD $HOSTNAME"; kill -TERM $$';
    expect(await make([...BOX, ...words, ...bash(line)])).toMatchObject({ code: 143, stdout: "b c /usr /usr here\n" });
    expect(await make([...BOX, "--", "/no/such/program"])).toMatchObject({
      code: 126,
      stderr: expect.stringContaining("execvp /no/such/program: No such file or directory"),
    });
  });
});

describe.skipIf(withoutMaker())("what is mounted in a box", () => {
  const place = () => {
    const folder = tempFolder();
    const project = join(folder, "project");
    const outside = join(folder, "outside");
    for (const each of [project, outside]) mkdirSync(each);
    writeFileSync(join(outside, "kept"), "kept");
    return { project, outside };
  };

  it.each([
    ["the old root, as bubblewrap names it", (outside: string) => `/oldroot${outside}`],
    ["the machine", (outside: string) => outside],
    ["folders above", (outside: string) => `${"../".repeat(40)}${outside.slice(1)}`],
    ["a process's root", (outside: string) => `/proc/self/root${outside}`],
    ["a process's descriptor", (outside: string) => `/proc/self/fd/10${outside}`],
  ])("lands nowhere else where a link leads to %s", async (_, leads) => {
    const { project, outside } = place();
    for (const name of ["made", "kept"]) symlinkSync(`${leads(outside)}/${name}`, join(project, name));
    symlinkSync(leads(outside), join(project, "sub"));
    for (const at of ["made", "kept", "sub/made", "sub/kept"]) {
      const made = await make([
        ...BOX,
        "--bind",
        project,
        project,
        "--ro-bind",
        "/dev/null",
        join(project, at),
        ...RAN,
      ]);
      // In the box there may be a place by that name: it is the box's own then.
      expect([0, 126], made.stderr).toContain(made.code);
    }
    await make([...BOX, "--bind", project, project, "--dir", join(project, "sub/folder"), ...RAN]);
    await make([...BOX, "--bind", project, project, "--symlink", "x", join(project, "sub/link"), ...RAN]);
    expect(readdirSync(outside)).toEqual(["kept"]);
    expect(readFileSync(join(outside, "kept"), "utf8")).toBe("kept");
  });

  it("is never a link: what was a file or a folder when the words were made was exchanged", async () => {
    const { project, outside } = place();
    symlinkSync(join(outside, "kept"), join(project, "file"));
    symlinkSync(outside, join(project, "folder"));
    for (const name of ["file", "folder"])
      expectRefused(
        await make([...BOX, "--ro-bind", join(project, name), "/x", ...RAN]),
        `${join(project, name)} was exchanged for a link`,
      );
  });

  it("covers what is there, and changes nothing of it", async () => {
    const { project, outside } = place();
    const words = ["--bind", outside, project, "--ro-bind", "/dev/null", join(project, "kept")];
    const line = `cat '${project}/kept'; (echo x >'${project}/new'); (echo y >'${project}/kept') 2>/dev/null || echo closed`;
    expect(await make([...BOX, ...words, ...bash(line)])).toMatchObject({ code: 0, stdout: "closed\n" });
    expect(readFileSync(join(outside, "kept"), "utf8")).toBe("kept");
    expect(readFileSync(join(outside, "new"), "utf8")).toBe("x\n");
  });

  it("holds nothing of the machine: neither the old root nor a descriptor", async () => {
    const line = "ls /; ls -l /proc/self/fd | grep -c ' -> /'; ls /proc | grep -c '^[0-9]'";
    const { stdout } = await make([...BOX, ...bash(line)], { program: MAKER });
    const [fds, processes] = stdout.trim().split("\n").slice(-2).map(Number);
    expect(stdout.split("\n").slice(0, -3)).toEqual(["bin", "dev", "etc", "lib", "lib64", "proc", "tmp", "usr"]);
    // /dev/null as its input, and the folder that is listed.
    expect(fds).toBe(2);
    expect(processes).toBeLessThanOrEqual(6);
  });

  it("is not what made the box, nor a device of the machine's, by its first process or what it was given", async () => {
    const program = join(tempFolder(), "maker");
    copyFileSync(MAKER, program);
    // A terminal's rights are its user's: what all have is the machine's.
    const places = ["/proc/1/exe", "/proc/1/fd/0", "/proc/self/fd/0", "/dev/null", "/dev/zero", "/dev/urandom"];
    const before = [program, "/dev/null"].map((path) => statSync(path).ctimeMs);
    const line = `for place in ${places.join(" ")}; do chmod u+rw $place; touch $place; done; echo x >/dev/null && cat`;
    const made = await make([...BOX, ...bash(`{ ${line}; } 2>/dev/null && echo ran`)], { program });
    expect(made).toMatchObject({ code: 0, stdout: "ran\n" });
    expect([program, "/dev/null"].map((path) => statSync(path).ctimeMs)).toEqual(before);
  });
});
