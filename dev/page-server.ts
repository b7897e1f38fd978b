import { realpathSync } from "node:fs";
import type { ClientRequest, IncomingMessage } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { createServer, type ProxyOptions, type ViteDevServer } from "vite";
import { PAGE_SOCKET_PATH } from "../ipc/socket/page-frames.ts";
import { ENTRANCE_SCRIPT_PATH } from "../main/surfaces/web/web-page.ts";

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));

export interface PageServerOptions {
  /** The gate's page, `http://127.0.0.1:PORT`. */
  gate: string;
  /** The first port to try on 127.0.0.1; 0: any. */
  port: number;
  /** For what Vite keeps. */
  cacheFolder: string;
}

export interface PageServer {
  /** `http://127.0.0.1:PORT` */
  origin: string;
  close(): Promise<void>;
}

/** Serves the page's sources with hot reload; links and the page's WebSocket are the gate's. Listens on 127.0.0.1 alone. */
export async function servePageSources({ gate, port, cacheFolder }: PageServerOptions): Promise<PageServer> {
  const own = { origin: "" };
  const toGate = proxyTo(gate, own);
  const server = await createServer({
    configFile: false,
    root: join(CHECKOUT, "renderer"),
    cacheDir: cacheFolder,
    plugins: [react()],
    logLevel: "warn",
    define: { "import.meta.env.VITE_GATE_ORIGIN": JSON.stringify(new URL(gate).origin) },
    server: {
      host: "127.0.0.1",
      port,
      fs: { allow: [CHECKOUT, realpathSync(join(CHECKOUT, "node_modules")), cacheFolder] },
      proxy: {
        "^/\\?token=": toGate,
        [`^${ENTRANCE_SCRIPT_PATH}$`]: toGate,
        [`^${PAGE_SOCKET_PATH}$`]: { ...toGate, ws: true },
      },
    },
  });
  await server.listen();
  own.origin = originOf(server);
  return { origin: own.origin, close: () => server.close() };
}

/**
 * The gate answers to its own address only. Exactly this server's address is translated to it; a request with any other Host or
 * Origin arrives as it was sent, and the gate refuses it as it does everywhere.
 */
function proxyTo(gate: string, own: { origin: string }): ProxyOptions {
  const translate = (sent: ClientRequest, { headers }: IncomingMessage) => {
    if (headers.host === hostOf(own.origin)) sent.setHeader("host", hostOf(gate));
    else sent.setHeader("host", headers.host ?? "");
    if (headers.origin === own.origin) sent.setHeader("origin", gate);
  };
  return {
    target: gate,
    changeOrigin: false,
    configure(proxy) {
      proxy.on("proxyReq", translate);
      proxy.on("proxyReqWs", translate);
    },
  };
}

const hostOf = (origin: string): string => origin.slice("http://".length);

function originOf({ httpServer }: ViteDevServer): string {
  const address = httpServer?.address();
  if (typeof address !== "object" || address === null) throw new Error("the page's server doesn't listen");
  return `http://127.0.0.1:${address.port}`;
}
