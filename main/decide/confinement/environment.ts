import { holdsUrlSecret } from "@metnos-gate/shell-reading/files";

/** Which environment variables get into a box. Everything that isn't listed is dropped before it starts. */

/** Variables that name a certificate file or a folder of them. */
export const CERTIFICATE_VARIABLES = [
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "PIP_CERT",
  "GIT_SSL_CAINFO",
  "NIX_SSL_CERT_FILE",
] as const;

/** Names; one that ends in `*` is how names begin. */
const KEPT: readonly string[] = [
  // The terminal, the language, the user
  ...["PATH", "TERM", "COLORTERM", "COLUMNS", "LINES", "LANG", "LANGUAGE", "LC_*", "TZ", "USER", "LOGNAME", "SHELL"],
  ...["PAGER", "MANPAGER", "EDITOR", "VISUAL", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LS_COLORS"],
  ...["CI", "DEBUG", "VERBOSE", "SOURCE_DATE_EPOCH", "DEBIAN_FRONTEND", "CLAUDECODE", "AI_AGENT"],
  // git
  ...["GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_OPTIONAL_LOCKS", "GIT_MERGE_AUTOEDIT"],
  ...["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"],
  ...["GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE"],
  // Compilers and what they build with
  ...["CC", "CXX", "CPP", "AR", "LD", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "MAKEFLAGS", "CMAKE_*"],
  ...["PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"],
  // Languages and the programs that choose their versions
  ...["NODE_ENV", "NODE_OPTIONS", "NODE_PATH", "NVM_DIR", "NVM_BIN", "NVM_INC", "FNM_*", "VOLTA_HOME", "N_PREFIX"],
  ...["BUN_INSTALL", "DENO_INSTALL", "PNPM_HOME", "COREPACK_HOME", "TSX_*", "VITEST*", "JEST_*"],
  ...["PYTHON*", "PYENV_*", "VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT", "CONDA_*", "MAMBA_*", "PIPX_*", "UV_PYTHON*"],
  ...["PIP_DISABLE_PIP_VERSION_CHECK", "PYTEST_*", "RUST*", "CARGO_HOME", "CARGO_BUILD_*", "CARGO_INCREMENTAL"],
  ...["CARGO_TERM_*", "CARGO_TARGET_DIR", "CARGO_PROFILE_*", "GOROOT", "GOPATH", "GOFLAGS", "GOOS", "GOARCH"],
  ...["GOTOOLCHAIN", "GOEXPERIMENT", "GOMAXPROCS", "GO111MODULE", "CGO_*", "JAVA_HOME"],
  ...["JDK_HOME", "SDKMAN_*", "MAVEN_HOME", "M2_HOME", "GRADLE_HOME", "KOTLIN_HOME", "ANDROID_HOME"],
  ...["ANDROID_SDK_ROOT", "DOTNET_*", "RBENV_*", "RUBYOPT", "RUBYLIB", "GEM_HOME", "GEM_PATH", "NODENV_*", "JENV_*"],
  ...["ASDF_*", "MISE_*", "GOENV_*", "NIX_PATH", "NIX_PROFILES", "HOMEBREW_PREFIX", "HOMEBREW_CELLAR", "PERL5LIB"],
  ...["PERL_MM_OPT", "PERL_LOCAL_LIB_ROOT", "GHCUP_*", "JULIA_*", "OPAM*", "COMPOSER_HOME", "MIX_ENV", "RAILS_ENV"],
  ...["RACK_ENV", "APP_ENV", "DJANGO_SETTINGS_MODULE", "FLASK_APP", "FLASK_ENV"],
  // Files without a secret
  ...CERTIFICATE_VARIABLES,
];

/** Names that look like a secret's are dropped even where a pattern takes them, whatever their letters' case. */
const SECRET_WORDS = ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "KEY", "AUTH", "DSN"];

/** Personal access tokens, by the last word of a name: `PATH` holds the same letters. */
const TOKEN_NAME = /(?:^|_)PAT$/;

const NAMES: ReadonlySet<string> = new Set(KEPT.filter((word) => !word.includes("*")));
const BEGINNINGS = KEPT.filter((word) => word.includes("*")).map((word) => word.slice(0, -1));

/** Whether a variable with this value gets into a box. @param askedFor names from the configuration: kept whatever they look like */
export function getsIn(name: string, value: string, askedFor: readonly string[]): boolean {
  return isKept(name, askedFor) && (askedFor.includes(name) || !holdsUrlSecret(value));
}

/** The same by its name alone. */
export function isKept(name: string, askedFor: readonly string[]): boolean {
  if (askedFor.includes(name) || NAMES.has(name)) return true;
  const upper = name.toUpperCase();
  if (SECRET_WORDS.some((word) => upper.includes(word)) || TOKEN_NAME.test(upper)) return false;
  return BEGINNINGS.some((begin) => name.startsWith(begin));
}
