/**
 * Words that a line may be kept with: what many programs call what they do, and their options. Each is public, so that none of them can be
 * anybody's secret; a word that isn't here is kept only where something else says what it is.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** What programs are to do, and what scripts of projects are usually called. */
const SUBCOMMANDS = words(`
  access account activate add aliases allow amend analyze annotate api app apply archive artifact attach audit auth autoremove bench benchmark
  bind bisect blame boot branch branches browse build builder bump bundle cache catalog cat-file check check-ignore checkout cherry cherry-pick
  ci clean cleanup clear clippy clone cluster codegen collect compile compose config configure connect container containers context convert copy
  cordon cover coverage create daemon-reload data db debug dedupe default delete dep dependencies deploy deployment describe dev develop device
  diff disable disk dist dlx doc docs doctor down download drain dump e2e edit enable env environment events exec explain export expose fetch
  filter-branch find fix flash fmt for-each-ref force-push fork format fsck fund gc gen generate get gist graph grep group groups health help
  history hook hooks idea image images import index info init inspect install integration invoke is-active issue job jobs journal keys kill
  label lint list list-units load lock log login logout logs ls ls-files ls-remote ls-tree maintenance make manifest merge merge-base metadata
  migrate migrations mod mode module monitor mount mv name-rev network new node notes open outdated output owner pack package packages pass patch
  pause pin plan play plugin plugins pod pods port port-forward pr prepare preview print prod profile project prompt proxy prune ps publish pull
  purge push query range-diff rebase rebuild recipe recv reflog refresh register reinstall release releases reload remote remove rename repair
  replace replicaset repo report request reset resolve resource restart restore resume rev-list rev-parse revert revision rm rollback rollout root
  route rule run run-script sbom scale scan schema script search secret secrets seed self send serve server service services session set set-url
  setup shell shortlog show show-ref showconfig sign snapshot sparse-checkout spec squash ssh stack stage start start-dev state stash stats status
  stop storybook stream submodule subscribe switch sync system tag tags target task template test tests token tool tools top touch tree trust types
  typecheck type-check uncordon undo unfreeze unit uninstall unlink unlock unmount unpack unpause unpublish unset up update upgrade upload user users
  validate vendor verify version versions vet view volume volumes wait watch weaver which why worktree workflow workspace workspaces write
  write-tree zip`);

/** What long options are put together of: `--force-with-lease`. */
const OPTION_WORDS = words(`
  abbrev abort accept access add after all allow amend and annotate any append apply approve archive args as ask async at attach audit author auto
  automatic backup bail base batch before binary body branch branches break browser buffer build bundle by cache cached cascade case cert chain
  changed check checkout ci class clean clear clobber close cloud code color colour column columns command commit committer compact compare complete
  compress concurrency config confirm connect container content context continue copy count cover coverage create current cwd daemon data date debug
  dedupe deep default defaults delay delete delta dependencies depth dest destination detach detached detail details dev device diff dir directory
  directories dirty disable discard disk display dist dns do domain down download draft driver dry dump each edit edge empty enable encoding end engine
  entrypoint env environment error errors every exact exclude exec exists exit expand expire explain export extended extension extra fail failed fallback
  fast features fetch field fields file filename files filter find first fix fixed flat flush follow follows for force foreground format from frozen full
  functions fund fuzzy gc generate get git global gpg graph group grep hard head header headed headers headless help here hidden hide history host hosts
  hot html http https human id if ignore image images implicit import in include index info init inline input insecure insensitive inspect install
  interactive interval into invert ip is isolated issue it items job jobs join json keep key kind label labels last latest lease left legacy length level
  levels library limit limits line lines link linked links lint list listen local location lock locked lockfile log login logs long loop machine maintainers
  make manifest map mark match matches max maximum memory merge merges message messages meta metadata method min minimal minimum mirror missing mode model
  modified module more mount multiline name names namespace native net network never new newer next no node nodes non none not notes null number numbers
  numeric object offline oldest on once one oneline only open optimize optional options or order origin orphan out output overwrite owner pack package
  packages page paginate parallel parent parents partial password patch path paths pattern pending permissions pick pid pipe plain plan platform plugin
  point policy pool pop port porcelain ports prefix prefer preserve pretty preview print privileged process processes prod production profile progress
  project projects prompt property protocol provider proxy prune public publish pull purge push quick quiet quoted random range raw read readonly ready
  rebase rebuild record recreate recurse recursive recurse ref refs refresh regex region registry reinstall reject related relative release reload remote
  remotes remove rename renames repeat replace replicas report reporter repo repository request require reset resolve resource resolution restart restore
  result results resume retries retry reverse revert revision right root rows rule rules run runtime safe save scale scan schema scope scope script scripts
  search secret section seed select separator server service session set sets setup shallow shared shell short show shuffle sign signed signoff silent simple
  since single size skip snapshot socket soft sort source sources space spaces spawn spec split squash stable stack stage staged start stat state stats status
  step stop store stream strict string strip style submodules subject sub suite summary suppress switch symbolic sync system tag tags tail target targets task
  tasks template test tests text theirs threads threshold thorough time timeout timestamp title to token tool top topo total trace track tree trim truncate trust
  tty type types unified unit unsafe unset until unused unstaged up update updated upgrade upload upstream url use user utf8 validate value values verbose verify
  version versions view volume volumes wait warn warning warnings watch web weak where width with without word workers workspace workspaces working worktree
  write yes yaml your zero`);

/** True for a word that says what a program is to do, whatever the program is. */
export function isKnownSubcommand(word: string): boolean {
  return word
    .split(":")
    .every((part, at, all) => SUBCOMMANDS.has(part) || (at > 0 && all.length < 4 && OPTION_WORDS.has(part)));
}

/** True for an option (`--no-verify`, `-auto-approve`) that consists of known words. */
export function isKnownOption(option: string): boolean {
  const bare = option.replace(/^--?/, "");
  return bare.length > 1 && bare.split("-").every((part) => OPTION_WORDS.has(part) || SUBCOMMANDS.has(part));
}
