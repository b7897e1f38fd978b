import { registerHooks } from "node:module";

/** `node --import` this: an import of `electron` gets the stand-in. */
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== "electron") return next(specifier, context);
    return { url: new URL("./electron.ts", import.meta.url).href, shortCircuit: true };
  },
});

// Electron sets it when it was given the app as an argument.
Object.defineProperty(process, "defaultApp", { value: true });
