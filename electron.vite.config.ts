import react from "@vitejs/plugin-react";
import { defineConfig } from "electron-vite";

/** The desktop app and the page. The page is the same in a browser: nothing in it knows Electron. */
export default defineConfig({
  renderer: {
    root: "renderer",
    base: "./",
    plugins: [react()],
    build: {
      outDir: "dist/renderer",
      emptyOutDir: true,
      rollupOptions: { input: "renderer/index.html" },
      // No inlined scripts or fonts: the page's Content-Security-Policy takes its own origin only.
      assetsInlineLimit: 0,
      modulePreload: false,
    },
  },
});
