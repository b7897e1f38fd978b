/** One text for the state of the sources; undefined where they aren't there. */
export function fingerprint(): string | undefined;
/** The file beside the built command that says what it was made of. */
export const FINGERPRINT_FILE: string;
/** @param build the built command's folder, as a URL that ends in a slash */
export function isCurrent(build: URL): boolean;
