import { foldedPath } from "@metnos-gate/shell-reading/files";
import { instructsAgents } from "../guard/hazards.ts";

/**
 * Files of a project that something runs, or takes for its settings, as its user continues to work: by their names, wherever they lie. What
 * runs without anybody asking for it is the guard's (`run-later-places.ts`), and asked about without any mark; these are files like any other
 * until then.
 */

/** By what reads them without being given their names. In lower case; `*` is any text in a name, a slash at the end a folder with all below it. */
const READ_BY: Readonly<Record<string, string>> = {
  "npm and its like, deno, turbo, nx, lerna, node-gyp":
    "package.json pnpm-workspace.yaml deno.json deno.jsonc turbo.json nx.json lerna.json binding.gyp",
  "build tools for JavaScript, linters, formatters and test runners, which run their settings":
    "*.config.js *.config.cjs *.config.mjs *.config.jsx *.config.ts *.config.cts *.config.mts *.conf.js *.conf.cjs *.conf.mjs *.conf.ts jest.setup.* vitest.setup.* vitest.workspace.* gulpfile.* gruntfile.* gatsby-*.js gatsby-*.ts knexfile.* .storybook/ angular.json .eslintrc* .babelrc* .mocharc* .prettierrc* .stylelintrc* .postcssrc* .swcrc .nycrc* .releaserc*",
  "make, cmake, meson, scons, waf, just, task, mage, ant":
    "makefile gnumakefile *.mk *.mak cmakelists.txt *.cmake meson.build sconstruct sconscript wscript justfile .justfile taskfile.yml taskfile.yaml magefile.go build.xml",
  "pip, build backends, pytest, tox, nox and linters of Python, some by plugins that they name":
    "pyproject.toml setup.py setup.cfg conftest.py pytest.ini tox.ini noxfile.py fabfile.py mypy.ini .pylintrc pylintrc sitecustomize.py usercustomize.py",
  "Cargo, as it builds": "cargo.toml build.rs",
  "gradle, maven, sbt, mill":
    "*.gradle *.gradle.kts gradle.properties gradle-wrapper.properties gradlew mvnw buildsrc/ pom.xml .mvn/ *.sbt build.mill",
  "bundler, rake, guard, capistrano, rspec": "gemfile *.gemspec rakefile *.rake guardfile capfile .rspec",
  "composer, phpunit, artisan": "composer.json phpunit.xml phpunit.xml.dist artisan",
  "msbuild, xcodebuild, swift, cocoapods":
    "*.csproj *.fsproj *.vbproj *.vcxproj directory.build.* *.targets *.pbxproj package.swift podfile *.podspec",
  "mix, rebar, leiningen, clojure, cabal, zig, bazel, buck":
    "mix.exs rebar.config project.clj deps.edn setup.hs build.zig module.bazel build.bazel workspace.bazel *.bzl .bazelrc .buckconfig",
  "docker, podman, vagrant, tilt, earthly, skaffold, foreman, homebrew, ansible":
    "dockerfile dockerfile.* *.dockerfile containerfile docker-bake.* compose.yml compose.yaml compose.*.yml compose.*.yaml docker-compose*.yml docker-compose*.yaml vagrantfile tiltfile earthfile skaffold.yaml procfile brewfile ansible.cfg",
  "services that build what is pushed":
    ".github/workflows/ .github/actions/ .gitea/workflows/ .gitea/actions/ .forgejo/workflows/ .forgejo/actions/ action.yml action.yaml .gitlab-ci.yml *.gitlab-ci.yml .gitlab/ci/ azure-pipelines*.yml bitbucket-pipelines.yml .travis.yml .circleci/ .drone.yml .woodpecker.yml .woodpecker.yaml .woodpecker/ .buildkite/ appveyor.yml .appveyor.yml .cirrus.yml .semaphore/ .teamcity/ .tekton/ .builds/ .build.yml jenkinsfile codefresh.yml buildspec.yml cloudbuild.yaml cloudbuild.yml amplify.yml netlify.toml vercel.json wrangler.toml render.yaml fly.toml app.yaml serverless.yml serverless.yaml",
  "hosts of work spaces, as they open one": ".gitpod.yml .gitpod.dockerfile .replit replit.nix .idx/",
  "agents, as skills, commands, memory or instructions": "skill.md memory.md agent.md replit.md memory-bank/ .serena/",
};

/** What agents' clients take in by themselves as a session begins, from the top of its project. */
export const READ_AT_START = [
  ...["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md"],
  ...[".cursorrules", ".github/copilot-instructions.md"],
] as const;

const NAMES = Object.values(READ_BY).flatMap((names) => names.split(" "));
const pattern = (name: string): string => name.replaceAll(".", "\\.").replaceAll("*", "[^/]*");
const either = (names: readonly string[]): string => `(?:${names.map(pattern).join("|")})`;

const FILES: ReadonlySet<string> = new Set(NAMES.filter((name) => !/[*/]/.test(name)));
const [ENDS, OTHERS] = [NAMES.filter((name) => /^\*[^*]*$/.test(name)), NAMES.filter((name) => /[^/]\*/.test(name))];
const BY_PART = new RegExp(`^(?:[^/]*${either(ENDS.map((name) => name.slice(1)))}|${either(OTHERS)})$`);
const FOLDERS = new RegExp(`/${either(NAMES.filter((name) => name.endsWith("/")))}`);

/** True for such a file or one that agents read as instructions. @param path absolute; of a folder with a slash behind it */
export function isLaterByName(path: string): boolean {
  const folded = foldedPath(path);
  const name = folded.slice(folded.lastIndexOf("/") + 1);
  return FILES.has(name) || BY_PART.test(name) || FOLDERS.test(folded) || instructsAgents(folded);
}
