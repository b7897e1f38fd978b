import { randomBytes } from "node:crypto";

/** Text for a model that is data, whoever wrote it: between two markers that nothing in it can have known. */

const MARKER_BYTES = 16;

export function dataBlock(data: string, marker: string = freshMarker(data)): string {
  return `Data from the line BEGIN ${marker} to the line END ${marker}:\nBEGIN ${marker}\n${data}\nEND ${marker}`;
}

/** 128 random bits, made once the data is there. */
export function freshMarker(data: string): string {
  for (;;) {
    const marker = randomBytes(MARKER_BYTES).toString("hex");
    if (!data.includes(marker)) return marker;
  }
}
