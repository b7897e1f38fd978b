/**
 * Node's HTTP, loaded where it is first used, and by the way that loads no more than that: an import of `node:http` asks for each of its
 * exports, and one of them loads a whole client for the web, which takes 2 MB and a twentieth of a gate's start.
 */
export const nodeHttp = () => process.getBuiltinModule("node:http");
