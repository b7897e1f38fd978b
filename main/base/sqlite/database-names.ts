/** The databases that decisions depend on. */
export const DATABASES = ["grants", "approvals", "agents", "safety"] as const;
export type DatabaseName = (typeof DATABASES)[number];
