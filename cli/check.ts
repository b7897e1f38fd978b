/** The result of one check, and how to fix it. */
export interface Check {
  check: string;
  ok: boolean;
  detail: string;
  fix?: string;
}

/** A check that fails where `look` throws; what it gives is the detail. */
export function attempt(check: string, look: () => string): Check {
  try {
    return { check, ok: true, detail: look() };
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string };
    return { check, ok: false, detail: message, ...(hint ? { fix: hint } : {}) };
  }
}
