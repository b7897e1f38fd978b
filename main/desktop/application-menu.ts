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
  const is_mac = platform === "darwin";
  const look: MenuItemConstructorOptions = { id: "look-for-newer", label: words.look_for_newer, click: lookForNewer };
  const quit: MenuItemConstructorOptions = { id: "quit", role: "quit", label: words.quit };
  const app: MenuItemConstructorOptions = {
    label: "Metnos Gate",
    submenu: is_mac
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
      : [look, { type: "separator" }, { id: "close", role: "close", label: words.close_window }, quit],
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
      { role: "selectAll", label: words.select_all },
    ],
  };
  const view: MenuItemConstructorOptions = {
    label: words.view,
    submenu: [
      { id: "zoom-in", role: "zoomIn", label: words.zoom_in },
      { id: "zoom-out", role: "zoomOut", label: words.zoom_out },
      { id: "actual-size", role: "resetZoom", label: words.actual_size },
      { type: "separator" },
      { role: "togglefullscreen", label: words.full_screen },
    ],
  };
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(is_mac ? [app, edit, view, { role: "windowMenu" }] : [app, edit, view]),
  );
}
