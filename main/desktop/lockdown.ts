import { fileURLToPath } from "node:url";
import { type App, app, type Session, type WebPreferences } from "electron";
import { PAGE_ORIGIN, PAGE_POLICY } from "./page.ts";

/** What no page may do, and what may not be done with the app's windows. Everything is denied, without exceptions. */

/** For each window: an isolated, sandboxed page with our preload and no Node. */
export function webPreferences(): WebPreferences {
  return {
    preload: fileURLToPath(new URL("./preload.cjs", import.meta.url)),
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    plugins: false,
    navigateOnDragDrop: false,
    enableWebSQL: false,
    // The spell checker would fetch its dictionaries.
    spellcheck: false,
    disableDialogs: true,
    devTools: !app.isPackaged,
  };
}

/** True for a packaged app with debugging switches: it doesn't start, as a debugger of the page could answer in it. */
export function hasDebugSwitches(of: Pick<App, "isPackaged" | "commandLine">): boolean {
  const switches = ["remote-debugging-port", "remote-debugging-pipe", "inspect", "inspect-brk", "js-flags"];
  return of.isPackaged && switches.some((name) => of.commandLine.hasSwitch(name));
}

/** No page may navigate, open a window, embed another page or save a file. Called before the first window is made. */
export function lockWebContents(): void {
  app.on("web-contents-created", (_event, contents) => {
    contents.on("will-navigate", (event) => event.preventDefault());
    contents.on("will-frame-navigate", (event) => event.preventDefault());
    contents.on("will-redirect", (event) => event.preventDefault());
    contents.on("will-attach-webview", (event) => event.preventDefault());
    contents.setWindowOpenHandler(() => ({ action: "deny" }));
  });
}

/** No permission, no device, no download, no request but for the page's own files. */
export function lockSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.on("will-download", (event) => event.preventDefault());
  session.setSpellCheckerEnabled(false);
  session.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !isOwnRequest(url) }));
  session.webRequest.onHeadersReceived(({ url, responseHeaders }, answer) => {
    if (url.startsWith("devtools:")) return answer({});
    const others = Object.entries(responseHeaders ?? {}).filter(
      ([name]) => name.toLowerCase() !== "content-security-policy",
    );
    answer({ responseHeaders: { ...Object.fromEntries(others), "Content-Security-Policy": [PAGE_POLICY] } });
  });
}

/** `data:` is for the page's own pictures; `devtools:` only exists while the app isn't packaged. */
function isOwnRequest(url: string): boolean {
  if (url.startsWith(`${PAGE_ORIGIN}/`) || url.startsWith("data:image/")) return true;
  return !app.isPackaged && url.startsWith("devtools:");
}
