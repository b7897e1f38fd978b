import { Menu, type MenuItemConstructorOptions } from "electron";
import type { Language } from "../../ipc/contract/language.ts";
import { shellWords } from "./words.ts";

/** The windows' menu: its keys (zoom, copy, paste, quit) work on every platform, where the bar itself is hidden, too. */
export function setApplicationMenu(
  language: Language,
  lookForNewer: () => void,
  platform: NodeJS.Platform = process.platform,
): void {
  const words = shellWords[language];
  const isMac = platform === "darwin";
  const look: MenuItemConstructorOptions = { id: "look-for-newer", label: words.lookForNewer, click: lookForNewer };
  const quit: MenuItemConstructorOptions = { id: "quit", role: "quit", label: words.quit };
  const app: MenuItemConstructorOptions = {
    label: "Metnos Gate",
    submenu: isMac
      ? [
          { role: "about" },
          look,
          { type: "separator" },
          { role: "hide" },
          { role: "hideOthers" },
          { role: "unhide" },
          { type: "separator" },
          quit,
        ]
      : [look, { type: "separator" }, { id: "close", role: "close", label: words.closeWindow }, quit],
  };
  const edit: MenuItemConstructorOptions = {
    label: words.edit,
    submenu: [
      { role: "undo", label: words.undo },
      { role: "redo", label: words.redo },
      { type: "separator" },
      { role: "cut", label: words.cut },
      { role: "copy", label: words.copy },
      { role: "paste", label: words.paste },
      { role: "selectAll", label: words.selectAll },
    ],
  };
  const view: MenuItemConstructorOptions = {
    label: words.view,
    submenu: [
      { id: "zoom-in", role: "zoomIn", label: words.zoomIn },
      { id: "zoom-out", role: "zoomOut", label: words.zoomOut },
      { id: "actual-size", role: "resetZoom", label: words.actualSize },
      { type: "separator" },
      { role: "togglefullscreen", label: words.fullScreen },
    ],
  };
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(isMac ? [app, edit, view, { role: "windowMenu" }] : [app, edit, view]),
  );
}
