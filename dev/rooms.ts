import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { importsBelow } from "./imports.ts";

// Which rooms (folders) of main/, ipc/ and packages/ import which, on how many floors, and through which files.
//
//   node dev/rooms.ts            figures, floors, circles and the arrows in them
//   node dev/rooms.ts --arrows   each arrow with its number of imports
//   node dev/rooms.ts --doors    each room's files that are imported from outside it, and by how many files of which rooms

/** A file's path below the root to the paths below the root that it imports, types included. */
export type Imports = ReadonlyMap<string, readonly string[]>;
export type RoomOf = (path: string) => string;

/** What files below `folders` import of each other, lazily and as types too. */
export function importsAmong(folders: readonly string[]): Imports {
  const files = importsBelow(folders);
  return new Map(
    [...files].map(([path, imports]) => {
      const targets = new Set(imports.map(({ target }) => target).filter((target) => files.has(target)));
      targets.delete(path);
      return [path, [...targets]];
    }),
  );
}

/** `main/decide/guard/guard.ts` is in `main/decide`; a file beside the rooms is a room of its own. */
export const topRoom: RoomOf = (path) => path.split("/").slice(0, 2).join("/");
/** Each folder by itself. */
export const folderRoom: RoomOf = (path) => {
  const folder = dirname(path);
  return folder.includes("/") ? folder : path;
};

/** Room to room to number of imports. */
export type Arrows = ReadonlyMap<string, ReadonlyMap<string, number>>;

export function arrowsOf(imports: Imports, roomOf: RoomOf): Arrows {
  const arrows = new Map<string, Map<string, number>>();
  for (const [path, targets] of imports) {
    const from = roomOf(path);
    const out = arrows.get(from) ?? new Map<string, number>();
    arrows.set(from, out);
    for (const target of targets) {
      const to = roomOf(target);
      if (to !== from) out.set(to, (out.get(to) ?? 0) + 1);
    }
  }
  return arrows;
}

/** Nodes that reach each other, one by itself too, and after those that they reach: the strongly connected components (Tarjan). */
function componentsOf(nodes: readonly string[], targetsOf: (node: string) => Iterable<string>): string[][] {
  const numbers = new Map<string, number>();
  const open: string[] = [];
  const components: string[][] = [];
  const visit = (node: string): number => {
    const number = numbers.size;
    let lowest = number;
    numbers.set(node, number);
    open.push(node);
    for (const target of targetsOf(node)) {
      if (!numbers.has(target)) lowest = Math.min(lowest, visit(target));
      else if (open.includes(target)) lowest = Math.min(lowest, numbers.get(target) ?? lowest);
    }
    if (lowest === number) components.push(open.splice(open.indexOf(node)).sort());
    return lowest;
  };
  for (const node of nodes) if (!numbers.has(node)) visit(node);
  return components;
}

export function circlesOf(nodes: readonly string[], targetsOf: (node: string) => Iterable<string>): string[][] {
  return componentsOf(nodes, targetsOf).filter(({ length }) => length > 1);
}

export interface Layout {
  rooms: number;
  arrows: number;
  imports: number;
  /** From the ground; rooms in a circle are on one floor. */
  floors: string[][];
  circles: string[][];
  /** Within the circles. */
  inCircles: [from: string, to: string, imports: number][];
}

export function layoutOf(imports: Imports, roomOf: RoomOf): Layout {
  const arrows = arrowsOf(imports, roomOf);
  const targetsOf = (room: string) => arrows.get(room)?.keys() ?? [];
  const all = [...arrows].flatMap(([from, out]) =>
    [...out].map(([to, count]) => [from, to, count] as [string, string, number]),
  );
  const floorOf = new Map<string, number>();
  const floors: string[][] = [];
  const components = componentsOf([...arrows.keys()], targetsOf);
  for (const component of components) {
    const below = component.flatMap((room) => [...targetsOf(room)]).filter((room) => !component.includes(room));
    const floor = Math.max(-1, ...below.map((room) => floorOf.get(room) ?? -1)) + 1;
    for (const room of component) floorOf.set(room, floor);
    floors[floor] = [...(floors[floor] ?? []), ...component];
  }
  const circles = components.filter(({ length }) => length > 1);
  return {
    rooms: arrows.size,
    arrows: all.length,
    imports: all.reduce((sum, [, , count]) => sum + count, 0),
    floors,
    circles,
    inCircles: all.filter(([from, to]) => circles.some((circle) => circle.includes(from) && circle.includes(to))),
  };
}

export interface Offered {
  path: string;
  files: number;
  rooms: string[];
}

/** Of each room, what is imported from outside it, most used first. */
export function doorsOf(imports: Imports, roomOf: RoomOf): Map<string, Offered[]> {
  const users = new Map<string, string[]>();
  for (const [path, targets] of imports)
    for (const target of targets)
      if (roomOf(target) !== roomOf(path)) users.set(target, [...(users.get(target) ?? []), path]);
  const doors = new Map<string, Offered[]>();
  for (const [path, from] of users) {
    const rooms = [...new Set(from.map(roomOf))].sort();
    doors.set(roomOf(path), [...(doors.get(roomOf(path)) ?? []), { path, files: from.length, rooms }]);
  }
  for (const offered of doors.values()) offered.sort((a, b) => b.files - a.files || a.path.localeCompare(b.path));
  return new Map([...doors].sort());
}

function printLayout(title: string, { rooms, arrows, imports, floors, circles, inCircles }: Layout): void {
  console.log(
    `${title}: ${rooms} rooms on ${floors.length} floors, ${arrows} arrows (${imports} imports), ${circles.length} circles`,
  );
  for (const [index, floor] of floors.entries()) console.log(`  ${index}: ${floor.sort().join(" ")}`);
  for (const circle of circles) console.log(`  circle of ${circle.length}: ${circle.join(" ")}`);
  for (const [from, to, count] of inCircles.sort((a, b) => b[2] - a[2])) console.log(`    ${from} -> ${to} (${count})`);
}

function printDoors(imports: Imports): void {
  for (const [room, offered] of doorsOf(imports, topRoom)) {
    const all = [...imports.keys()].filter((path) => topRoom(path) === room).length;
    console.log(`${room}: ${offered.length} of ${all} files are imported from outside`);
    for (const { path, files, rooms } of offered) console.log(`  ${files}\t${path}\t${rooms.join(" ")}`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const main = importsAmong(["main"]);
  if (process.argv.includes("--doors"))
    printDoors(importsAmong(["ipc", "main", "packages", "cli", "renderer", "preload"]));
  else if (process.argv.includes("--arrows"))
    for (const [from, out] of arrowsOf(main, topRoom))
      for (const [to, count] of out) console.log(`${count}\t${from} -> ${to}`);
  else {
    printLayout("rooms of main", layoutOf(main, topRoom));
    printLayout("folders of main", layoutOf(main, folderRoom));
    const beside = importsAmong(["main", "ipc", "packages"]);
    printLayout("folders of main, ipc and packages", layoutOf(beside, folderRoom));
    const circles = circlesOf([...main.keys()], (path) => main.get(path) ?? []);
    console.log(
      `files of main: ${main.size}, ${circles.length} circles: ${circles.map((files) => files.join(" <-> ")).join("; ")}`,
    );
  }
}
