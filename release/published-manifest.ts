/**
 * The checkout's package.json as it is published: without what is for the checkout alone. npm asks about scripts that run at an installation,
 * and `prepare`, which builds, has nothing to build in a package.
 * @throws SyntaxError where the text is no JSON
 */
export function publishedManifest(text: string): string {
  const { workspaces: _, allowScripts: __, ...manifest } = JSON.parse(text) as Record<string, unknown>;
  const { prepare: ___, ...scripts } = (manifest.scripts ?? {}) as Record<string, string>;
  return `${JSON.stringify({ ...manifest, scripts }, null, 2)}\n`;
}
