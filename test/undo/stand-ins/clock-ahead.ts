/** Imported before a program: its clock is an hour ahead. */

const { now } = Date;
Date.now = () => now() + 3_600_000;
