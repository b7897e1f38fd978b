import type Database from "better-sqlite3";

/** What a database file is for, and the steps that bring it up to date. */
export interface Schema {
  /** What the file is for, in the sentence that refuses it. */
  title: string;
  /** The table that makes a file one of these. */
  table: string;
  /** One step per version; step N brings a file from version N to N+1. */
  migrations: readonly ((db: Database.Database) => void)[];
  /** A file at version 0 may hold the first step's table already: the required one. */
  mayHoldFirstTable?: true;
  /** What is deleted or overwritten in it must not be found in its bytes any more. */
  forgets?: true;
}
