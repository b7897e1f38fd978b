/** The databases that decisions rest on. */
export const DATABASES = ["grants", "approvals", "agents", "safety"] as const;
export type DatabaseName = (typeof DATABASES)[number];
