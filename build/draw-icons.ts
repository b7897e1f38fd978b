import { mkdirSync, writeFileSync } from "node:fs";
import { appIcon } from "../main/desktop/icon/mark.ts";

// Draws the app's icon in the sizes that packages want: node build/draw-icons.ts
// (The tray's icons are drawn while the app runs.)

const folder = new URL("./", import.meta.url);
mkdirSync(new URL("icons/", folder), { recursive: true });
for (const size of [16, 32, 48, 64, 128, 256, 512]) {
  writeFileSync(new URL(`icons/${size}x${size}.png`, folder), appIcon(size));
}
// Of the page that is installed as an app.
for (const size of [192, 512]) writeFileSync(new URL(`../renderer/public/icon-${size}.png`, folder), appIcon(size));
writeFileSync(new URL("icon.png", folder), appIcon(1024));
