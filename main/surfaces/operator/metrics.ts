import type { Registry } from "prom-client";
import type { Handlers, OperatorContext } from "./handlers.ts";

export function metricsMethods({ core, connections }: OperatorContext): Handlers<"metrics"> {
  let registry: Registry | undefined;
  return {
    async metrics() {
      // Loaded on the first request: most gates never get one.
      const { gateMetrics } = await import("../metrics/metrics.ts");
      registry ??= gateMetrics(core, () => connections?.connected().length ?? 0);
      return { text: await registry.metrics(), content_type: registry.contentType };
    },
  };
}
