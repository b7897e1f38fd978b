/** The views, in the order of the side list. */
export const VIEWS_IN_ORDER = ["approvals", "policy", "grants", "agents", "activity", "safety", "settings"] as const;

export type ViewName = (typeof VIEWS_IN_ORDER)[number];
