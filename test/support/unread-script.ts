/** A script longer than what the gate reads of one: a danger that it sees would be denied or asked about, and no box would have to hold it. */
export const unreadScript = (text: string): string => `${text}\n#${"-".repeat(260 * 1024)}\n`;
