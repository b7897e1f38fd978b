import react from "@vitejs/plugin-react";
import { defineConfig } from "electron-vite";

/** The desktop app and the page. The page is the same in a browser: nothing in it knows Electron. */
export default defineConfig({
  main: {
    build: {
      outDir: "dist/desktop",
      emptyOutDir: true,
      rolldownOptions: {
        input: { main: "main/desktop/main.ts" },
        // All in one folder: package.json and the other built parts are found from there.
        output: { format: "es", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
      },
    },
  },
  preload: {
    build: {
      outDir: "dist/desktop",
      emptyOutDir: false,
      // A sandboxed preload is one CommonJS file: it can require nothing but electron.
      externalizeDeps: false,
      rolldownOptions: {
        input: { preload: "preload/bridge.ts" },
        output: { format: "cjs", entryFileNames: "[name].cjs" },
      },
    },
  },
  renderer: {
    root: "renderer",
    base: "./",
    plugins: [react()],
    build: {
      // The window shows nothing before it has read all of it: less than half the size.
      minify: true,
      outDir: "dist/renderer",
      emptyOutDir: true,
      rollupOptions: { input: "renderer/index.html" },
      // No inlined scripts or fonts: the page's Content-Security-Policy takes its own origin only.
      assetsInlineLimit: 0,
      modulePreload: false,
      // In kB. From this machine, and shown only once all of it was read: parts of it would arrive no sooner.
      chunkSizeWarningLimit: 700,
    },
  },
});
