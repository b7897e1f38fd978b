import { describe, expect, it } from "vitest";
import { addressLike, hostLike, packageLike } from "../../../main/decide/description/look-alikes.ts";

describe("a package that looks like another", () => {
  it.each([
    ["PyPI", "reqeusts", "requests"],
    ["PyPI", "request", "requests"],
    ["PyPI", "nurnpy", "numpy"],
    ["PyPI", "djang0", "django"],
    ["npm", "@tyeps/node", "@types/node"],
    ["npm", "expres", "express"],
    ["npm", "lodahs", "lodash"],
    ["npm", "react-d0m", "react-dom"],
    ["crates.io", "serde_jsom", "serde_json"],
  ])("%s %s: %s", (registry, name, like) => {
    expect(packageLike(registry, name, [])).toBe(like);
  });

  it.each([
    ["npm", "express"],
    ["npm", "preact"],
    ["npm", "@types/react"],
    ["npm", "left-pad"],
    ["npm", "cross_env"],
    ["npm", "vite"],
    ["PyPI", "requests"],
    ["PyPI", "Requests"],
    ["PyPI", "scikit_learn"],
    ["npm", "jets"],
  ])("%s %s is none", (registry, name) => {
    expect(packageLike(registry, name, [])).toBeNull();
  });

  it.each([
    [
      "npm",
      "gaxios enquirer colord crypt dargs mquery aws-cdk jsdoc tslint args mssql graphiql @aws-cdk/core @bazel/ibazel",
    ],
    [
      "npm",
      "tsup preact vitepress reacts-hooks knip oxlint hono astro nitro remix turbo lerna nx yup-es pnpm husky-init",
    ],
    [
      "npm",
      "@remotion/player execa got ky ora zx p-map p-limit undici ws qs ini he ms lru-cache ansi-styles strip-ansi",
    ],
    ["PyPI", "psycopg psycopg-binary cattrs pymssql boto scapy pyaml httpr usort willow unicorn simpy fastai hyper"],
    [
      "PyPI",
      "flask-cors httpx-sse attrs-strict pip wheel build twine hatch pdm nose sphinx mkdocs tornado gevent pyjwt",
    ],
  ])("popular names of %s are none: %s", (registry, names) => {
    expect(names.split(" ").filter((name) => packageLike(registry, name, []) !== null)).toEqual([]);
  });

  it("a name of fewer than five letters is near none", () => {
    expect(["jes", "vues", "expo", "axio", "koa2"].filter((name) => packageLike("npm", name, []) !== null)).toEqual([]);
    expect(packageLike("npm", "axioss", [])).toBe("axios");
  });

  it("the project's own files clear a name of nothing, and are what others are compared with", () => {
    expect(packageLike("PyPI", "reqeusts", ["reqeusts"])).toBe("requests");
    expect(packageLike("npm", "shop_ledger", ["shop-ledger"])).toBeNull();
    expect(packageLike("npm", "sh0pledger", ["shopledger"])).toBe("shopledger");
  });
});

describe("a host that looks like another", () => {
  it.each([
    ["registry.example.org.cdn-pkg.io", "cdn-pkg.io", "registry.example.org"],
    ["github.com.evil.example.net", "example.net", "github.com"],
    ["githud.com", "githud.com", "github.com"],
    ["xn--gthub-n2e.com", "xn--gthub-n2e.com", "github.com"],
  ])("%s is %s, and looks like %s", (host, is, looksLike) => {
    expect(hostLike(host, [])).toEqual({ is, looksLike });
  });

  it.each([
    "github.com",
    "api.github.com",
    "docs.example.com",
    "eu.api.example.net",
    "www.example.org",
    "127.0.0.1",
    "xn--80a1acny.xn--p1ai",
  ])("%s is none", (host) => {
    expect(hostLike(host, [])).toBeNull();
  });

  it("hosts that the project has used are known, and what is nearly one of them is not", () => {
    expect(hostLike("api.exarnple.net", [])).toBeNull();
    expect(hostLike("api.exarnple.net", ["api.example.net"])).toEqual({ is: "exarnple.net", looksLike: "example.net" });
    expect(hostLike("api.example.net", ["api.example.net"])).toBeNull();
  });
});

describe("an address that is nearly another remote's", () => {
  it.each([
    ["/acrne/shop", "github.com/acme/shop"],
    ["/acme/sh0p", "github.com/acme/shop"],
    ["/acme/shop", null],
    ["/somebody-else/shop", null],
    ["/acme/shop/wiki", null],
  ])("%s: %s", (path, like) => {
    expect(addressLike("github.com", path, [{ host: "github.com", path: "/acme/shop" }])).toBe(like);
  });

  it("on another host it is none", () => {
    expect(addressLike("example.org", "/acrne/shop", [{ host: "github.com", path: "/acme/shop" }])).toBeNull();
  });
});
