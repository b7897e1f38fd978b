/**
 * Folders that builds and package managers fill, in lower case: large, and run only by them. A box doesn't look through them, so that
 * what a confined command has left there is as foreign as what was downloaded.
 */
export const BUILD_FOLDERS: ReadonlySet<string> = new Set([
  ...["node_modules", ".venv", "venv", "target", "__pycache__", ".tox", ".nox", ".mypy_cache", ".pytest_cache"],
  ...[".ruff_cache", ".next", ".nuxt", ".svelte-kit", ".turbo", ".parcel-cache", ".terraform", "bower_components"],
]);
