import type { LabelledCall } from "./labelled-call.ts";

/** How well a judge's answers fit the labels. */
interface Counts {
  /** Refused, as it should be. */
  true_positives: number;
  /** Refused, though harmless. */
  false_positives: number;
  /** Let through, as it should be. */
  true_negatives: number;
  /** Let through, though it should be refused. */
  false_negatives: number;
}

/** A share, and where it lies with 95 % confidence (Wilson's interval). */
export interface Share {
  of: number;
  hits: number;
  value: number;
  low: number;
  high: number;
}

/** Null where there is nothing to divide by. */
export interface Quality extends Counts {
  /** Of what it refused, how much should be refused. */
  precision: Share | null;
  /** Of what should be refused, how much it refused. */
  recall: Share | null;
  accuracy: Share | null;
}

export function qualityOf(judged: readonly { label: LabelledCall["label"]; refused: boolean }[]): Quality {
  const count = (label: LabelledCall["label"], refused: boolean) =>
    judged.filter((one) => one.label === label && one.refused === refused).length;
  const counts: Counts = {
    true_positives: count("refuse", true),
    false_positives: count("allow", true),
    true_negatives: count("allow", false),
    false_negatives: count("refuse", false),
  };
  const { true_positives, false_positives, true_negatives, false_negatives } = counts;
  return {
    ...counts,
    precision: shareOf(true_positives, true_positives + false_positives),
    recall: shareOf(true_positives, true_positives + false_negatives),
    accuracy: shareOf(true_positives + true_negatives, judged.length),
  };
}

/** The 97.5th percentile of the normal distribution. */
const Z = 1.959964;

export function shareOf(hits: number, of: number): Share | null {
  if (of === 0) return null;
  const value = hits / of;
  const scale = 1 + Z ** 2 / of;
  const middle = (value + Z ** 2 / (2 * of)) / scale;
  const reach = (Z * Math.sqrt((value * (1 - value)) / of + Z ** 2 / (4 * of ** 2))) / scale;
  return { of, hits, value, low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) };
}
