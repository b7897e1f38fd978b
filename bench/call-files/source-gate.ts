import { main } from "../../cli/main.ts";

/** The command from its sources, file by file, however current the build is. */
process.exitCode = await main(process.argv.slice(2));
