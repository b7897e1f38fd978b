import { killHooks, VICTIMS } from "./kills.ts";

/** `npm run kills [-- ROUNDS [SEED]]`: kills hooks, their gate and their clients while they ask; so many of each, in each shell. */

const [rounds = "200", seed = String(Date.now() % 0x7fff_ffff), ...only] = process.argv.slice(2);
let count = 0;
for (const shell of ["/bin/dash", "/bin/bash"])
  for (const victim of VICTIMS) {
    if (only.length > 0 && !only.includes(victim)) continue;
    const started = performance.now();
    const violations = await killHooks({ shell, victim, rounds: Number(rounds), seed: Number(seed) });
    count += violations.length;
    const took = ((performance.now() - started) / 1000).toFixed(0);
    console.log(`${shell}, ${victim}: ${rounds} rounds, seed ${seed}, ${took} s: ${violations.length} violations`);
    for (const what of violations) console.log(`!! ${what}`);
  }
process.exitCode = count === 0 ? 0 : 1;
