import { z } from "zod";
import { isKnownName, isReadWhole, SMALL_FILE_BYTES } from "./contents.ts";
import { MAX_FILE_BYTES } from "./tar.ts";

/** What a backup says that it holds: its first file. */

export const MANIFEST = "manifest.json";
export const MANIFEST_MOST_BYTES = 4 * 1024 * 1024;
export const BACKUP_VERSION = 1;
/** More months, receipts and checkpoints than a century has. */
const MAX_FILES = 5000;

const fileSchema = z
  .strictObject({
    name: z.string().refine(isKnownName, "not a file of a backup"),
    size: z.number().int().nonnegative().max(MAX_FILE_BYTES),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  })
  .refine(({ name, size }) => size <= SMALL_FILE_BYTES || !isReadWhole(name), "larger than such a file can be");

export const manifestSchema = z
  .strictObject({
    metnos_backup: z.literal(BACKUP_VERSION, { error: `this version of Metnos Gate reads format ${BACKUP_VERSION}` }),
    gate_version: z.string().regex(/^[\w.+-]{1,64}$/),
    made_at: z.iso.datetime(),
    /** What `audit verify` said of the trail in it. */
    trail: z.strictObject({ lines: z.number().int().nonnegative(), problems: z.number().int().nonnegative() }),
    files: z.array(fileSchema).max(MAX_FILES),
  })
  .refine(({ files }) => new Set(files.map(({ name }) => name)).size === files.length, "a file is there twice");

export type Manifest = z.infer<typeof manifestSchema>;
