import type { Metric, Registry } from "prom-client";
import type { Histogram } from "../gate/histogram.ts";

/**
 * A histogram whose observations were counted elsewhere, as plain numbers: prom-client's own hashes its labels for each one,
 * which no tool call should pay for.
 */
export function registerHistogram(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  series: () => Iterable<[value: string, buckets: Histogram]>,
): void {
  const get = async () => ({
    name,
    help,
    type: "histogram",
    aggregator: "sum",
    values: [...series()].flatMap(([value, buckets]) => valuesOf(name, { [label]: value }, buckets)),
  });
  registry.registerMetric({ name, help, type: "histogram", get, getForPromString: get } as unknown as Metric);
}

function valuesOf(name: string, labels: Record<string, string>, { bounds, counts, sum, count }: Histogram) {
  let below = 0;
  const buckets = bounds.map((bound, index) => {
    below += counts[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le: bound, ...labels }, value: below };
  });
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { le: "+Inf", ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
