// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import { CODE, commands, READ_OUTSIDE, section } from "../row.ts";

/** C3: which value a variable has depends on the way that the line took. */

export const CONTROL_FLOW = section("C3", CODE, [
  ...commands("a loop is left with what it assigned", [
    "a=echo; for i in a; do a=bash; break; done; $a x.sh",
    "a=echo; while true; do a=bash; break; done; $a x.sh",
  ]),
  ...commands("a loop's body runs again with what it assigned", [
    "a=echo; for ((i=0;i<3;i++)); do $a x.sh; a=bash; done",
    "a=echo b=echo c=echo; while sleep .1; do $a x.sh; a=$b; b=$c; c=bash; done",
    "a=echo b=echo c=echo; until sleep .1; do $a x.sh; a=$b; b=$c; c=bash; done",
  ]),
  ...commands("a case falls through", [
    "a=echo; case a in a) a=bash;& b) $a x.sh;; esac",
    "a=echo; case a in a) a=bash;;& *) $a x.sh;; esac",
  ]),
  ...commands(":= assigns wherever it is", [
    "a=; for i in ${a:=bash}; do :; done; $a echo",
    "a=; case ${a:=bash} in *) ;; esac; $a echo",
    "a=; select i in ${a:=bash}; do break; done < a.txt; $a echo",
    "a=; [[ ${a:=bash} ]]; $a echo",
    "a=; cat < ${a:=bash}; $a echo",
    "a=; cat <<< ${a:=bash}; $a echo",
    "a=; cat <<EOF\n${a:=bash}\nEOF\n$a echo",
  ]),
  ...commands("an array's first element is the variable itself", [
    "a=echo; a[0]=bash; $a x.sh",
    "a=(x echo); a[01]=bash; ${a[1]} x.sh",
    "a=echo; a+=([0]=bash); $a x.sh",
    "a=(x echo) i=1; a[i]=bash; ${a[1]} x.sh",
    "a=(x echo); a[-1]=bash; ${a[1]} x.sh",
    "a=(x echo); a[1+0]=bash; ${a[1]} x.sh",
  ]),
  ...commands("the same for what is read", [
    "a=a.txt; for i in a; do a=../other/secret; break; done; cat $a",
    "a=a.txt; while true; do a=../other/secret; break; done; cat $a",
    "a=a.txt; case a in a) a=../other/secret;& b) cat $a;; esac",
    "a=a.txt; a[0]=../other/secret; cat $a",
  ]),
  ...commands("for over literals: its word is known", ["for f in ../other/secret; do cat $f; done"], {
    expected: READ_OUTSIDE,
  }),
  ...commands("for over literals: nothing else may name the variable", [
    "for f in a.txt; do f=../other/secret; cat $f; done",
    "for f in bash; do $f x.sh; done",
    "for f in a.txt; do cat ${f}; done; cat $f",
  ]),
]);
