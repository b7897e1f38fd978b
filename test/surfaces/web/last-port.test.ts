import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { keepLastPort, readLastPort } from "../../../main/surfaces/web/web-page.ts";
import { linkTo } from "../../support/page-visitor.ts";
import { startGate } from "../../support/running-gate.ts";
import { tempFolder } from "../../support/temp-folder.ts";

it("the page is at the port that it had last; where another process has that one now, at another, which is kept then", async () => {
  const first = await startGate({ web: true });
  const { port } = await linkTo(first);
  await first.close();
  const second = await startGate({ home: first.home, web: true });
  expect((await linkTo(second)).port).toBe(port);
  await second.close();

  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  const third = await startGate({ home: first.home, web: true });
  const moved = (await linkTo(third)).port;
  expect(moved).not.toBe(port);
  await third.close();
  expect((await linkTo(await startGate({ home: first.home, web: true }))).port).toBe(moved);
});

it("a port that was chosen is the one, whatever was last", async () => {
  const first = await startGate({ web: true });
  const { port } = await linkTo(first);
  await first.close();
  writeFileSync(join(first.paths.state_dir, "web-port"), `${port + 1}\n`);
  mkdirSync(join(first.paths.configFile, ".."), { recursive: true });
  writeFileSync(first.paths.configFile, `[web]\nport = ${port}\n`);
  expect((await linkTo(await startGate({ home: first.home, web: true }))).port).toBe(port);
});

it("what is no port, or no file, is not taken for one", () => {
  const folder = tempFolder();
  const file = join(folder, "web-port");
  expect(readLastPort(file)).toBeUndefined();
  for (const text of ["", "80", "65536", "1e4x", "-5", "4000.5", "x".repeat(1000)]) {
    writeFileSync(file, text);
    expect([text, readLastPort(file)]).toEqual([text, undefined]);
  }
  keepLastPort(file, 4000);
  expect(readLastPort(file)).toBe(4000);
  // Through a link another file would be read, and a fifo would block.
  symlinkSync(file, join(folder, "link"));
  execFileSync("mkfifo", [join(folder, "fifo")]);
  mkdirSync(join(folder, "folder"));
  for (const name of ["link", "fifo", "folder"]) expect(readLastPort(join(folder, name))).toBeUndefined();
});

it("keeping it writes through no link", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "precious"), "text");
  symlinkSync(join(folder, "precious"), join(folder, "web-port"));
  keepLastPort(join(folder, "web-port"), 4000);
  symlinkSync(join(folder, "precious"), join(folder, "web-port.new"));
  keepLastPort(join(folder, "web-port"), 4001);
  expect(readFileSync(join(folder, "precious"), "utf8")).toBe("text");
});
