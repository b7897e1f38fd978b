import { hostOfUrl } from "@metnos-gate/shell-reading/files";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { grantsCovering, hostMatches, normaliseHost, normaliseHostPattern } from "../../main/targets/host.ts";

describe("the host of a URL", () => {
  it("is the one that would be fetched from, whatever is written around it", () => {
    const cases: Record<string, string | null> = {
      "https://example.com/": "example.com",
      "HTTP://EXAMPLE.Com:8080/a?b#c": "example.com",
      "https://example.com./": "example.com",
      "https://example.com@evil.test/": "evil.test",
      "https://example.com:443@evil.test": "evil.test",
      "https://evil.test#@example.com/": "evil.test",
      "https://evil.test?@example.com/": "evil.test",
      "https://ex\u00adample.com/": "example.com",
      "https://exa%6dple.com/": "example.com",
      "https://ｅｘａｍｐｌｅ.com/": "example.com",
      "https://example。com/": "example.com",
      "https://bücher.example/": "xn--bcher-kva.example",
      "https://BÜCHER.example/": "xn--bcher-kva.example",
      "https://xn--bcher-kva.example/": "xn--bcher-kva.example",
      "http://127.0.0.1/": "127.0.0.1",
      "http://127.1/": "127.0.0.1",
      "http://0x7f.0.0.1/": "127.0.0.1",
      "http://2130706433/": "127.0.0.1",
      "http://0177.0.0.1/": "127.0.0.1",
      "http://127.0.0.1./": "127.0.0.1",
      "http://[::1]:80/": "[::1]",
      "http://[0:0:0:0:0:0:0:1]/": "[::1]",
      "http://[::ffff:127.0.0.1]/": "[::ffff:7f00:1]",
      // What a browser mends, curl and Python read as another host, or as none.
      "https://evil.test\\@example.com/": null,
      "https://example.com\\.evil.test/": null,
      "https:/\texample.com\n/": null,
      "https://exam\tple.com/": null,
      "https:example.com": null,
      "https:///example.com": null,
      "https:\\\\example.com": null,
      " https://example.com/": null,
      "https://example.com/a\\b?c d": "example.com",
      "ftp://example.com/": null,
      "file:///etc/passwd": null,
      "javascript:alert(1)": null,
      "//example.com/": null,
      "example.com": null,
      "https://": null,
      "https://exa mple.com/": null,
      "": null,
    };
    for (const [url, host] of Object.entries(cases)) expect([url, hostOfUrl(url)]).toEqual([url, host]);
  });
});

describe("a host by its name", () => {
  it("has one normal form", () => {
    const cases: Record<string, string | null> = {
      "EXAMPLE.com": "example.com",
      "example.com.": "example.com",
      localhost: "localhost",
      "bücher.example": "xn--bcher-kva.example",
      "0x7f.1": "127.0.0.1",
      "[::1]": "[::1]",
      "example.com:80": null,
      "user@example.com": null,
      "example.com/x": null,
      "example.com\\x": null,
      "example.com?x": null,
      "example.com#x": null,
      "exa mple.com": null,
      "": null,
      ".": null,
    };
    for (const [name, host] of Object.entries(cases)) expect([name, normaliseHost(name)]).toEqual([name, host]);
  });

  it("a pattern is a host or *. before a domain of two labels at least; nothing wider", () => {
    const cases: Record<string, string | null> = {
      "*.Example.COM": "*.example.com",
      "*.example.com.": "*.example.com",
      "*.bücher.example": "*.xn--bcher-kva.example",
      "Example.com": "example.com",
      "*": null,
      "*.": null,
      "*.com": null,
      "*.com.": null,
      "*.*": null,
      "*.*.com": null,
      "*.example.*": null,
      "a*.example.com": null,
      "api.*.com": null,
      "*example.com": null,
      "*.1.2": null,
      "*.1.2.3": null,
      "*.0.0.1": null,
      "*.example.com:80": null,
      "*.example.com/x": null,
      "*.user@example.com": null,
      "*..com": null,
      "*.[::1]": null,
      "": null,
    };
    for (const [raw, pattern] of Object.entries(cases))
      expect([raw, normaliseHostPattern(raw)]).toEqual([raw, pattern]);
  });
});

describe("matching", () => {
  const label = fc.constantFrom("a", "b", "com", "example", "evil-example", "xn--bcher-kva", "0");
  const host = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join("."));

  /** Label by label, from the right. */
  function naiveMatch(pattern: string, candidate: string): boolean {
    const wanted = pattern.split(".").reverse();
    const given = candidate.split(".").reverse();
    if (wanted.at(-1) !== "*")
      return wanted.length === given.length && wanted.every((name, index) => name === given[index]);
    wanted.pop();
    return given.length > wanted.length && wanted.every((name, index) => name === given[index]);
  }

  it("agrees with a naive comparison label by label", () => {
    fc.assert(
      fc.property(host, host, fc.boolean(), (patternHost, candidate, isWild) => {
        const pattern = isWild ? `*.${patternHost}` : patternHost;
        expect([pattern, candidate, hostMatches(pattern, candidate)]).toEqual([
          pattern,
          candidate,
          naiveMatch(pattern, candidate),
        ]);
      }),
      { numRuns: 2000 },
    );
  });

  it("upper case, a trailing dot, a port, a path and user information change nothing", () => {
    const upper = (text: string, bits: number) =>
      [...text].map((c, i) => ((bits >> (i % 16)) & 1 ? c.toUpperCase() : c)).join("");
    fc.assert(
      fc.property(host, host, fc.nat(65_535), fc.boolean(), fc.boolean(), (first, second, bits, hasDot, hasUser) => {
        const written = `${upper(first, bits)}.${upper(second, bits)}.example`;
        const url = `https://${hasUser ? "www.bank.example:x@" : ""}${written}${hasDot ? "." : ""}:444/a@b?c=d.example`;
        const seen = hostOfUrl(url);
        expect(seen).toBe(`${first}.${second}.example`);
        expect(normaliseHost(`${written}${hasDot ? "." : ""}`)).toBe(seen);
      }),
    );
  });

  it("a lookup by the covering patterns finds exactly the grants that match", () => {
    fc.assert(
      fc.property(host, host, fc.boolean(), (patternHost, candidate, isWild) => {
        const pattern = isWild ? `*.${patternHost}` : patternHost;
        expect(grantsCovering(candidate, false).includes(pattern)).toBe(hostMatches(pattern, candidate));
      }),
      { numRuns: 2000 },
    );
    expect(grantsCovering("[::1]", false)).toEqual(["[::1]", "send:[::1]"]);
    expect(grantsCovering("a.example.com", true)).toEqual(["send:a.example.com", "send:*.example.com", "send:*.com"]);
  });
});
