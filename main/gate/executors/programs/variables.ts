/** Variables that change how a program prints, and nothing else. */
export const HARMLESS_VARIABLES = /^(?:LANG|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|TERM|CI|DEBUG)$/;
/** Variables that a shell or a program may take a program, a file or another place from. */
export const TELLING_VARIABLES =
  /^(?:PATH|PWD|OLDPWD|IFS|ENV|HOME|SHELL|TMPDIR|CDPATH|PS\d|PROMPT.*|EDITOR|VISUAL|LANG|TZ|TERM|LS_COLORS|GREP_.*|RIPGREP_.*|LESS.*|.*PAGER|BASH.*|LD_.*|DYLD_.*|GIT_.*|TAR_.*|RSYNC_.*|CURL_.*|WGET.*|XDG_.*|NODE.*|NPM.*|PYTHON.*|PERL.*|RUBY.*|JAVA.*|SSL_.*|.*_proxy|.*_PROXY|LC_.*|LOC.*|MAGIC|POSIXLY.*|JQ_.*|GCONV.*|NLS.*|TERMINFO.*|MALLOC.*|GLIBC.*|METNOS.*)$/;
