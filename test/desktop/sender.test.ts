import { describe, expect, it } from "vitest";
import { commandArguments } from "../../main/desktop/command-mode.ts";
import { isOwnPage } from "../../main/desktop/sender.ts";

const own = { isDestroyed: () => false };
const other = { isDestroyed: () => false };
const gone = { isDestroyed: () => true };
const top = null;
const URL = "app://metnos/index.html";

describe("a message from a page", () => {
  it.each([`${URL}#/approvals`, `${URL}#/popup`, URL])(
    "counts from our own window's main frame on our page: %s",
    (url) => {
      expect(isOwnPage({ sender: own, senderFrame: { parent: top, url } }, [own])).toBe(true);
    },
  );

  it.each([
    "app://metnos/other.html",
    "app://metnos/index.html?x",
    "app://metnos/index.html/../x",
    "app://metnos.example/index.html",
    "app://user@metnos/index.html",
    "https://metnos/index.html",
    "file:///index.html",
    "about:blank",
    "about:blank#app://metnos/index.html",
    "data:text/html,app://metnos/index.html",
    "blob:app://metnos/index.html",
    "",
  ])("doesn't count from our window with another page in it: %j", (url) => {
    expect(isOwnPage({ sender: own, senderFrame: { parent: top, url } }, [own])).toBe(false);
  });

  it("doesn't count from a frame in our page, from one that is closed, or from a window that isn't ours", () => {
    const parent = { url: URL } as never;
    expect(isOwnPage({ sender: own, senderFrame: { parent, url: URL } }, [own])).toBe(false);
    expect(isOwnPage({ sender: own, senderFrame: null }, [own])).toBe(false);
    expect(isOwnPage({ sender: other, senderFrame: { parent: top, url: URL } }, [own])).toBe(false);
    expect(isOwnPage({ sender: gone, senderFrame: { parent: top, url: URL } }, [gone])).toBe(false);
  });
});

describe("the app's arguments", () => {
  it.each<[argv: string[], command: string[] | undefined]>([
    [["/opt/app"], undefined],
    [["/opt/app", "--hidden"], undefined],
    [["/opt/app", "--cli", "--", "status"], ["status"]],
    [["/opt/app", "--cli", "status"], ["status"]],
    [["/opt/app", "--cli"], []],
    [
      ["/opt/app", "--cli", "--", "approvals", "--", "x"],
      ["approvals", "--", "x"],
    ],
    [["/opt/app", "--cli", "--", "--ozone-platform=headless"], ["--ozone-platform=headless"]],
    [["/opt/app", "--ozone-platform=headless", "--cli", "--", "status"], ["status"]],
    [["/opt/app", "--hidden", "--cli", "--", "status"], undefined],
    [["/opt/app", "file", "--cli"], undefined],
  ])("packaged, %j is the command %j", (argv, command) => {
    expect(commandArguments(argv, false)).toEqual(command);
  });

  it("of an app that isn't packaged follow Electron's own", () => {
    expect(commandArguments(["electron", "-r", "x.cjs", ".", "--cli", "--", "status"], true)).toEqual(["status"]);
    expect(commandArguments(["electron", "."], true)).toBeUndefined();
  });
});
