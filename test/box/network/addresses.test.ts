import { networkInterfaces } from "node:os";
import { describe, expect, it, vi } from "vitest";
import { isLocalName, isPublicAddress } from "../../../main/box/network/addresses.ts";
import { absoluteDestination, connectDestination, namesDestination } from "../../../main/box/network/destination.ts";
import { addressesOf, PUBLIC_ADDRESSES } from "../../../main/box/network/lookup.ts";

const PRIVATE_4 = [
  "0.0.0.0",
  "0.1.2.3",
  "0.255.255.255",
  "10.0.0.0",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.0",
  "100.64.0.1",
  "100.100.100.200",
  "100.127.255.255",
  "127.0.0.0",
  "127.0.0.1",
  "127.0.0.53",
  "127.1.2.3",
  "127.255.255.255",
  "169.254.0.0",
  "169.254.0.1",
  "169.254.169.254",
  "169.254.170.2",
  "169.254.255.255",
  "172.16.0.0",
  "172.16.0.1",
  "172.17.0.1",
  "172.31.255.255",
  "192.0.0.0",
  "192.0.0.1",
  "192.0.0.170",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.0",
  "192.168.0.1",
  "192.168.1.1",
  "192.168.255.255",
  "198.18.0.0",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.7",
  "203.0.113.9",
  "224.0.0.0",
  "224.0.0.1",
  "224.0.0.251",
  "239.255.255.250",
  "240.0.0.1",
  "250.1.2.3",
  "255.255.255.254",
  "255.255.255.255",
  "168.63.129.16",
];

const PRIVATE_6 = [
  "::",
  "::1",
  "::2",
  "::127.0.0.1",
  "::7f00:1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:10.0.0.1",
  "::ffff:192.168.1.1",
  "::ffff:169.254.169.254",
  "::ffff:a9fe:a9fe",
  "::ffff:0.0.0.0",
  "::ffff:100.64.0.1",
  "::ffff:172.16.0.1",
  "::ffff:224.0.0.1",
  "0:0:0:0:0:ffff:127.0.0.1",
  "0000:0000:0000:0000:0000:FFFF:7F00:0001",
  "::ffff:0:127.0.0.1",
  "::ffff:0:7f00:1",
  "64:ff9b::127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b::10.0.0.1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b::c0a8:101",
  "64:ff9b:1::1",
  "64:ff9b:1::8.8.8.8",
  "64:ff9b:1:ffff::1",
  "100::",
  "100::1",
  "2001::",
  "2001::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:1ff:ffff::1",
  "2001:db8::",
  "2001:db8::1",
  "2001:0db8:ffff::8",
  "2002::1",
  "2002:7f00:1::",
  "2002:7f00:1::1",
  "2002:a00:1::1",
  "2002:a9fe:a9fe::",
  "2002:c0a8:101::1",
  "2002:808:808::1",
  "3fff::1",
  "3fff:fff::1",
  "5f00::1",
  "fc00::",
  "fc00::1",
  "fd00::1",
  "fd00:ec2::254",
  "fd20:ce::254",
  "fdff:ffff:ffff::1",
  "fe80::",
  "fe80::1",
  "fe80::1%eth0",
  "febf::1",
  "fec0::1",
  "feff::1",
  "ff00::",
  "ff01::1",
  "ff02::1",
  "ff02::fb",
  "ff05::2",
  "ff0e::1",
  "1000::1",
  "4000::1",
  "8000::1",
  "2606:4700::1111%lo",
];

const NONE = [
  "",
  "localhost",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "1.2.3",
  "1.2.3.4.5",
  "256.1.1.1",
  "[::1]",
  "8.8.8.8 ",
  "::g",
  "8.8.8.8%lo",
];

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.1",
  "93.184.216.34",
  "100.63.255.255",
  "100.128.0.1",
  "126.255.255.255",
  "128.0.0.1",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.1",
  "192.0.1.1",
  "192.167.255.255",
  "192.169.0.1",
  "198.17.255.255",
  "198.20.0.1",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2001:4860:4860::8888",
  "2a00:1450:4001::1",
  "2003::1",
  "::ffff:8.8.8.8",
  "64:ff9b::8.8.8.8",
  "64:ff9b::808:808",
];

describe("an address", () => {
  it("is refused in each of more than a hundred forms that aren't public", () => {
    const refused = [
      ...PRIVATE_4,
      ...PRIVATE_6,
      ...PRIVATE_4.map((address) => `::ffff:${address}`),
      ...PRIVATE_4.map((address) => `64:ff9b::${address}`),
    ];
    expect(refused.length).toBeGreaterThan(200);
    expect(refused.filter((address) => isPublicAddress(address))).toEqual([]);
  });

  it("is refused where it is none in the one form of addresses", () => {
    expect(NONE.filter((address) => isPublicAddress(address))).toEqual([]);
  });

  it("is allowed where it is public", () => {
    expect(PUBLIC.filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  it("of this machine is refused, public or not", () => {
    const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((address) => isPublicAddress(address))).toEqual([]);
    const interfaces = { eth0: [{ address: "93.184.216.34", family: "IPv4" }] } as never;
    expect(["93.184.216.34", "::ffff:93.184.216.34"].filter((address) => isPublicAddress(address, interfaces))).toEqual(
      [],
    );
    expect(isPublicAddress("93.184.216.34", {})).toBe(true);
    expect(own.filter((address) => PUBLIC_ADDRESSES.isAllowed(address, 443))).toEqual([]);
  });
});

describe("a name", () => {
  it("of this machine or its network is refused before anybody is asked", () => {
    const refused = [
      "localhost",
      "a.localhost",
      "router",
      "printer.local",
      "db.internal",
      "metadata.google.internal",
      "nas.lan",
      "x.home.arpa",
      "a.onion",
      "host.localdomain",
    ];
    expect(refused.filter((name) => !isLocalName(name))).toEqual([]);
    expect(refused.map((name) => connectDestination(`${name}:443`)).filter((found) => "ok" in found)).toEqual([]);
    expect(isLocalName("registry.example.org") || isLocalName("localhost.example.com")).toBe(false);
  });

  it("is refused as a whole where one of its addresses isn't public", async () => {
    const found = connectDestination("a.example.com:443");
    if (!("ok" in found)) throw new Error(found.why);
    const leadingTo = (...addresses: string[]) =>
      addressesOf(found.ok, { resolve: async () => addresses, isAllowed: (address) => isPublicAddress(address) });
    expect(await leadingTo("93.184.216.34")).toEqual({ ok: ["93.184.216.34"] });
    for (const address of ["127.0.0.1", "::1", "::ffff:10.0.0.1", "169.254.169.254"])
      expect(await leadingTo("93.184.216.34", address)).toEqual({
        why: "a.example.com leads to an address that isn't public",
      });
    expect(await leadingTo()).toEqual({ why: "a.example.com has no address" });
  });

  it("is looked up with a dot at its end: no domain of the machine's is put behind it", async () => {
    const found = connectDestination("a.example.com:443");
    const resolve = vi.fn(async () => ["93.184.216.34"]);
    if ("ok" in found) await addressesOf(found.ok, { resolve, isAllowed: (address) => isPublicAddress(address) });
    expect(resolve).toHaveBeenCalledWith("a.example.com.");
  });
});

describe("a destination", () => {
  it.each([
    ["Example.COM:443", "example.com", 443],
    ["example.com.:443", "example.com", 443],
    ["xn--bcher-kva.example:8443", "xn--bcher-kva.example", 8443],
    ["93.184.216.34:443", "93.184.216.34", 443],
    ["[2606:4700::1111]:443", "[2606:4700::1111]", 443],
  ])("%s is read as one host", (target, host, port) => {
    expect(connectDestination(target)).toMatchObject({ ok: { host, port } });
  });

  it.each([
    "",
    ":443",
    "example.com",
    "example.com:",
    "example.com:0",
    "example.com:22",
    "example.com:25",
    "example.com:1023",
    "example.com:65536",
    "example.com:0443",
    "example.com:+443",
    "example.com:443 ",
    " example.com:443",
    "user@example.com:443",
    "example.com@evil.test:443",
    "example.com/..:443",
    "example.com#:443",
    "example.com?:443",
    "example.com\\@evil.test:443",
    "exa mple.com:443",
    "example.com:443:443",
    "0x7f.1:443",
    "2130706433:443",
    "0177.0.0.1:443",
    "127.1:443",
    "1.2.3:443",
    "bücher.example:443",
    "ex%61mple.com:443",
    "[::1:443",
    "::1:443",
    "[::ffff:127.0.0.1]:443",
    "[fe80::1%25eth0]:443",
    "-a.test:443",
    "a..com:443",
    ".example.com:443",
    "https://example.com:443",
    "*.example.com:443",
  ])("%j is refused", (target) => {
    expect(connectDestination(target)).not.toHaveProperty("ok");
  });

  it.each([
    "/",
    "*",
    "https://example.com/",
    "ftp://example.com/",
    "http:/example.com/",
    "http:example.com",
    "http:///example.com",
    "http://",
    "http://user@example.com/",
    "http://example.com:22/",
    "http://example.com\\@evil.test/",
    "http://localhost:8080/",
    "http://127.1/",
    "http://0x7f000001/",
    "http://router/",
    "example.com:80",
    "http://example.com/a b",
    "http://example.com/ü",
    "http://example.com#a",
  ])("%j is refused as an address of a request", (target) => {
    expect(absoluteDestination(target)).not.toHaveProperty("ok");
  });

  it("is what the path of a request is left out of", () => {
    expect(absoluteDestination("http://Example.com?q=1")).toEqual({
      ok: {
        to: { host: "example.com", port: 80, address: undefined, url: "http://example.com" },
        path: "/?q=1",
        authority: "Example.com",
      },
    });
  });

  it("is named by a Host header that means the same host and port alone", () => {
    const found = absoluteDestination("http://example.com:8080/");
    if (!("ok" in found)) throw new Error(found.why);
    const names = (header: string) => namesDestination(header, found.ok.to);
    expect(["example.com:8080", "EXAMPLE.com.:8080"].filter(names)).toHaveLength(2);
    expect(
      [
        "example.com",
        "evil.test:8080",
        "example.com:8081",
        "",
        "example.com:8080, evil.test",
        "a@example.com:8080",
      ].filter(names),
    ).toEqual([]);
  });
});
