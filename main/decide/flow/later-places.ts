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
    "package.json pnpm-workspace.yaml deno.json deno.jsonc turbo.json turbo.jsonc package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb rush.json project.json workspace.json moon.yml .moon/ nx.json lerna.json binding.gyp",
  "build tools for JavaScript, linters, formatters and test runners, which run their settings":
    "*.config.js *.config.cjs *.config.mjs *.config.jsx *.config.ts *.config.cts *.config.mts *.conf.js *.conf.cjs *.conf.mjs *.conf.ts jest.setup.* jest.config.json babel.config.json .jestrc* .taprc .c8rc.json vitest.setup.* vitest.workspace.* gulpfile.* gruntfile.* gatsby-*.js gatsby-*.ts knexfile.* .storybook/ angular.json .eslintrc* .babelrc* .mocharc* .prettierrc* .stylelintrc* .postcssrc* .swcrc .nycrc* .releaserc* .release-it.* .simple-git-hooks.* simple-git-hooks.* .pre-commit-hooks.yaml nodemon.json .nodemonrc ecosystem.* .dependency-cruiser.* .size-limit.* .lighthouserc.* lighthouserc.* .remarkrc* .textlintrc* .markdownlint* .svgrrc* .parcelrc .graphqlrc* codegen.yml codegen.ts ormconfig.* .sequelizerc .umirc.* .fatherrc* .dumirc* .ncurc* .syncpackrc* .xo-config.* .oxlintrc.json .eleventy.js .angular-cli.json webpack.mix.js ember-cli-build.js brunch-config.* testem.* plopfile.* cakefile jakefile jakefile.* schema.prisma tsconfig.json tsconfig.*.json tslint.json",
  "make, cmake, autotools, meson, scons, waf, just, task, mage, ant, premake, xmake, tup, ninja, conan":
    "makefile gnumakefile *.mk *.mak cmakelists.txt cmakepresets.json cmakeuserpresets.json configure configure.ac makefile.am makefile.in makefile.inc makefile.local makefile.include kbuild *.cmake meson.build sconstruct sconscript site_scons/ wscript justfile .justfile *.just taskfile.yml taskfile.yaml taskfile.dist.yml taskfile.dist.yaml magefile.go magefiles/ premake4.lua premake5.lua xmake.lua tupfile tuprules.tup build.ninja conanfile.py build.xml",
  "pip, build backends, pytest, tox, nox, servers and linters of Python, some by plugins that they name":
    "pyproject.toml setup.py setup.cfg conftest.py pytest.ini tox.ini noxfile.py fabfile.py mypy.ini .mypy.ini .pytest.ini .coveragerc .flake8 toxfile.py dodo.py pavement.py pipfile poetry.lock uv.lock pixi.toml pdm.lock hatch.toml snakefile *.smk manage.py conf.py gunicorn.conf.py celeryconfig.py locustfile.py alembic.ini mkdocs.yml dvc.yaml mlproject jupyter_*_config.py ipython_config.py *.pth .pylintrc pylintrc sitecustomize.py usercustomize.py",
  "Cargo and Go, as they build, and what is run beside them":
    "cargo.toml cargo.lock build.rs makefile.toml tauri.conf.json trunk.toml cross.toml anchor.toml bacon.toml nextest.toml go.mod go.work .golangci.* .goreleaser.* goreleaser.* .air.toml air.toml modd.conf buf.gen.yaml sqlc.yaml",
  "gradle, maven, sbt, mill":
    "*.gradle *.gradle.kts gradle.properties gradle-wrapper.properties gradle-wrapper.jar libs.versions.toml gradlew.bat mvnw.cmd gradlew mvnw buildsrc/ pom.xml .mvn/ *.sbt build.mill build.sc build.properties .sbtopts .jvmopts .scalafix.conf bleep.yaml",
  "bundler, rake, guard, capistrano, rspec, danger, fastlane":
    "gemfile *.gemspec rakefile *.rake guardfile capfile .rspec spec_helper.rb rails_helper.rb test_helper.rb .rubocop.yml .simplecov .bundle/ gemfile.lock config.ru deploy.rb thorfile *.thor berksfile appraisals steepfile dangerfile* fastfile fastlane/",
  "composer, PHP and its servers, phpunit, artisan, linters; Perl":
    "composer.json composer.lock phpunit.xml phpunit.xml.dist artisan phpstan.neon* psalm.xml phpcs.xml* .phpcs.xml* .php-cs-fixer.* .php_cs* rector.php ecs.php castor.php robofile.php deploy.php codeception.yml behat.yml .user.ini .htaccess makefile.pl build.pl",
  "msbuild, xcodebuild, swift, cocoapods":
    "*.csproj *.fsproj *.vbproj *.vcxproj directory.build.* *.targets *.props *.proj *.tasks build.cake nuget.config dotnet-tools.json launchsettings.json *.runsettings *.pbxproj package.swift project.swift workspace.swift *.xcscheme *.xcconfig podfile *.podspec",
  "mix, rebar, leiningen, clojure, cabal, dune, zig, bazel, buck, pants, nix, nim, lua, dart, R, quarto":
    "mix.exs rebar.config rebar.config.script .formatter.exs .credo.exs config.exs runtime.exs project.clj deps.edn bb.edn shadow-cljs.edn build.boot profiles.clj user.clj tests.edn *.cabal cabal.project package.yaml stack.yaml setup.lhs dune dune-project *.opam setup.hs build.zig module.bazel build.bazel workspace.bazel *.bzl .bazelrc .buckconfig *.bazelrc .bazelversion pants.toml default.nix *.nimble *.nims nim.cfg .luacheckrc .busted *.rockspec melos.yaml build.yaml analysis_options.yaml pubspec.yaml .lintr _targets.r _quarto.yml",
  "docker, podman, vagrant, tilt, earthly, skaffold, foreman, homebrew, ansible":
    "dockerfile dockerfile.* *.dockerfile containerfile containerfile.* *.containerfile docker-bake.* compose.yml compose.yaml compose.*.yml compose.*.yaml docker-compose*.yml docker-compose*.yaml vagrantfile tiltfile earthfile skaffold.yaml procfile procfile.* process-compose.* mprocs.* .overmind.env .tmuxinator.yml .tmuxp.* .smug.yml podman-compose.yml devfile.yaml .devfile.yaml devspace.yaml okteto.* garden.yml project.garden.yml werf.yaml helmfile.yaml terragrunt.hcl brewfile ansible.cfg",
  "services that build what is pushed":
    ".github/workflows/ .github/actions/ .gitea/workflows/ .gitea/actions/ .forgejo/workflows/ .forgejo/actions/ action.yml action.yaml .gitlab-ci.yml *.gitlab-ci.yml .gitlab/ci/ azure-pipelines*.yml azure-pipelines/ .azure-pipelines/ .azuredevops/ bitbucket-pipelines.yml .travis.yml .circleci/ .drone.yml .drone.jsonnet .drone.star .cirrus.star .woodpecker.yml .woodpecker.yaml .woodpecker/ .buildkite/ appveyor.yml .appveyor.yml .cirrus.yml .semaphore/ .teamcity/ .tekton/ .builds/ .build.yml jenkinsfile jenkinsfile.* *.jenkinsfile buildkite.yml wercker.yml codeship-services.yml codeship-steps.yml .harness/ .zuul.yaml zuul.yaml .zuul.d/ zuul.d/ .packit.yaml screwdriver.yaml .buddy/ buddy.yml .gocd.yaml *.gocd.yaml vela.yml .vela.yml .onedev-buildspec.yml .space.kts ci_scripts/ bitrise.yml codemagic.yaml eas.json .evergreen.yml dagger.json .dagger/ .readthedocs.* readthedocs.yml codefresh.yml buildspec.yml cloudbuild.yaml cloudbuild.yml amplify.yml netlify.toml vercel.json now.json wrangler.json wrangler.jsonc firebase.json app.json heroku.yml nixpacks.toml railway.json railway.toml captain-definition .platform.app.yaml .platform/ .upsun/ .ebextensions/ cloudbuild.json appspec.yml cdk.json wrangler.toml render.yaml fly.toml app.yaml serverless.*",
  "hosts of work spaces, as they open one":
    ".gitpod.yml .gitpod.dockerfile .gitpod/ .codesandbox/ .stackblitzrc .replit replit.nix .idx/",
  "agents, and services that review, as skills, commands, memory or instructions":
    "skill.md memory.md agent.md iflow.md codebuddy.md replit.md knowledge.md memory-bank/ .serena/ .memory/ .claude-plugin/ gemini-extension.json mcp.json .roomodes .kilocodemodes .continuerules .augment-guidelines .openhands_instructions .llmrules .ruler/ .rulesync/ rulesync.jsonc .specify/ .bmad-core/ .taskmaster/ .goose/ .warp/ .codeium/ .firebender/ firebender.json .forge/ forge.yaml .clinerules-* .roorules-* .github/chatmodes/ .pr_agent.toml .coderabbit.yaml .greptile/ .sweep.yaml .ai/",
};

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
