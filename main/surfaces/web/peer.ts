import { readFileSync } from "node:fs";
import { endianness } from "node:os";
import { errorCode } from "../../base/errors.ts";

/**
 * Whose program is at the other end of a loopback connection. Any user of the machine can connect to 127.0.0.1, and a browser
 * sends its cookies to every port of it: where the system tells who connects, nobody else is let in.
 */

const TABLES = [
  { file: "/proc/net/tcp", loopback: endianness() === "LE" ? "0100007F" : "7F000001" },
  // A socket for both versions of IP is listed with the other ones.
  {
    file: "/proc/net/tcp6",
    loopback: endianness() === "LE" ? "0000000000000000FFFF00000100007F" : "00000000000000000000FFFF7F000001",
  },
];

/** Only then the owner is known: the system counts a socket that was left behind as root's. */
const ESTABLISHED = "01";

/** Whether this system tells. */
export function canIdentifyPeer(): boolean {
  return tables() !== undefined;
}

/** True where the program that connected from `peer_port` to `own_port` is this user's or root's, or the system can't tell. */
export function isOwnUsersPeer(peer_port: number, own_port: number): boolean {
  const found = tables();
  if (found === undefined) return true;
  const uid = ownerIn(found, peer_port, own_port);
  return uid !== undefined && (uid === process.getuid?.() || uid === 0);
}

function tables(): { text: string; loopback: string }[] | undefined {
  try {
    return TABLES.flatMap(({ file, loopback }) => {
      try {
        return [{ text: readFileSync(file, "latin1"), loopback }];
      } catch (error) {
        // A machine without IPv6 has the first only.
        if (file === "/proc/net/tcp6" && errorCode(error) === "ENOENT") return [];
        throw error;
      }
    });
  } catch {
    return undefined; // no such table (macOS), or none that we may read
  }
}

function ownerIn(found: readonly { text: string; loopback: string }[], peer_port: number, own_port: number) {
  for (const { text, loopback } of found) {
    const ends = `${loopback}:${hex(peer_port)} ${loopback}:${hex(own_port)} ${ESTABLISHED} `;
    const start = text.indexOf(ends);
    if (start === -1) continue;
    // Then: queues, timer, retransmissions, uid.
    const uid = text.slice(start + ends.length, start + ends.length + 80).split(/\s+/)[3];
    if (uid !== undefined && /^\d+$/.test(uid)) return Number(uid);
  }
  return undefined;
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}
