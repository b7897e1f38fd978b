/** One measured ratio against what it may be. `limit` null: only reported. `atMost` false: it must be at least the limit. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  limit: number | null;
  ok: boolean;
  /** The absolute figures behind it, for the reader. */
  detail: string;
}

export function figure(
  name: string,
  value: number,
  unit: string,
  limit: number | null,
  detail: string,
  atMost = true,
): Figure {
  const rounded = Math.round(value * 1000) / 1000;
  const ok = limit === null || (atMost ? rounded <= limit : rounded >= limit);
  return { name, value: rounded, unit, limit, ok, detail };
}

/** The value below which the share `q` of `values` lies. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
