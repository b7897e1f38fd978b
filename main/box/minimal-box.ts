import { existsSync } from "node:fs";
import type { Declaration } from "../gate/confinement/declaration.ts";
import type { FoundPlaces } from "./places.ts";

/** Bubblewrap's arguments for a declaration. */
export function minimalArguments({ project, cwd, reads, writes }: Declaration, found: FoundPlaces): string[] {
  const bound = ["/usr", "/etc"].flatMap((path) => ["--ro-bind", path, path]);
  const links = ["bin", "lib", "lib64", "sbin"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]);
  return [
    ...bound,
    ...links,
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run"],
    ...reads.flatMap((path) => ["--ro-bind", path, path]),
    ...[project, ...writes].flatMap((path) => ["--bind", path, path]),
    ...found.run_later.filter((path) => existsSync(path)).flatMap((path) => ["--ro-bind", path, path]),
    ...["--setenv", "HOME", "/tmp", "--chdir", cwd],
  ];
}
