// Keeps what the app passed to the tray and its dialogs, under either driver: Electron itself has no way to ask for it.
// Under Electron this file is loaded with -r before the app; the stand-in calls `record` itself.

function record(electron) {
  const recorded = { tray: undefined, tooltip: "", title: "", image: undefined, menu: undefined, dialogs: [] };
  globalThis.recorded_desktop = recorded;
  const follow = (method, remember) => {
    const original = electron.Tray.prototype[method];
    electron.Tray.prototype[method] = function (...args) {
      recorded.tray = this;
      remember(...args);
      return original.apply(this, args);
    };
  };
  follow("setImage", (image) => {
    recorded.image = image;
  });
  follow("setToolTip", (text) => {
    recorded.tooltip = text;
  });
  follow("setTitle", (text) => {
    recorded.title = text;
  });
  follow("setContextMenu", (menu) => {
    recorded.menu = menu;
  });
  electron.dialog.showMessageBox = async (...args) => {
    recorded.dialogs.push(args.at(-1));
    return { response: 0, checkboxChecked: false };
  };
  electron.dialog.showErrorBox = (title, content) => {
    console.error(`error box: ${title}\n${content}`);
  };
}

exports.record = record;
if (process.versions.electron !== undefined) record(require("electron"));
