import { bash, type ToolCall, tool } from "./row.ts";
import type { World } from "./world.ts";

/** Every way that a file is written, replaced, removed or made unreadable by. */

export interface Target {
  /** As the call names it: absolute, or below the project. */
  folder: string;
  /** The folder's own folder. */
  parent: string;
  /** The folder's name. */
  base: string;
  file: string;
}

export const HOST = "example.org";

const join = (...names: string[]) => names.filter((name) => name !== ".").join("/");
const pathOf = ({ folder, file }: Target) => join(folder, file);

/** `settings.json` in two: its stem and its suffix. */
function split({ folder, file }: Target): { stem: string; suffix: string } {
  const dot = file.indexOf(".");
  const at = dot > 0 ? dot : file.length - 2;
  return { stem: join(folder, file.slice(0, at)), suffix: file.slice(at) };
}

/** Puts what the writers take from into a world whose `folder` (below the home) is `target`'s. */
export function prepareSources(world: World, folder: string, { base, file }: Target, exists: boolean): void {
  world.put(`proj/stage/${file}`);
  world.put(`proj/lay/${base}/${file}`);
  world.put("proj/empty/.keep");
  for (const name of ["a.tar", "a.zip", "p.patch"]) world.put(`proj/${name}`);
  world.link("proj/cfg", `${world.home}/${folder}/${file}`);
  world.link("proj/cfgdir", `${world.home}/${folder}`);
  if (exists) {
    world.put(`${folder}/${file}`);
    const { stem } = split({ base, file, folder, parent: "" });
    world.put(stem);
  }
}

type Writer = (target: Target) => ToolCall;

const line =
  (command: (path: string, target: Target) => string): Writer =>
  (target) =>
    bash(command(pathOf(target), target));

export const WRITERS: Readonly<Record<string, Writer>> = {
  Write: (target) => tool("Write", { file_path: pathOf(target), content: "x" }),
  Edit: (target) => tool("Edit", { file_path: pathOf(target), old_string: "a", new_string: "b" }),
  MultiEdit: (target) => tool("MultiEdit", { file_path: pathOf(target), edits: [] }),
  NotebookEdit: (target) => tool("NotebookEdit", { notebook_path: pathOf(target), new_source: "x" }),
  fs_write: (target) => tool("fs_write", { path: pathOf(target), content: "x" }),
  fs_delete: (target) => tool("fs_delete", { path: pathOf(target) }),
  "fs_delete of the folder": ({ folder }) => tool("fs_delete", { path: folder }),
  "an MCP server's tool": (target) => tool("mcp__files__put", { path: pathOf(target), content: "x" }),
  "Write through a link": () => tool("Write", { file_path: "{home}/proj/cfg", content: "x" }),
  "Write below a link": ({ file }) => tool("Write", { file_path: `{home}/proj/cfgdir/${file}`, content: "x" }),

  "echo >": line((path) => `echo '{}' > ${path}`),
  "echo >>": line((path) => `echo '{}' >> ${path}`),
  "echo >|": line((path) => `echo '{}' >| ${path}`),
  "echo &>": line((path) => `echo '{}' &> ${path}`),
  "> alone": line((path) => `> ${path}`),
  "2>": line((path) => `ls 2> ${path}`),
  "jq >": line((path) => `jq .name package.json > ${path}`),
  "cat << >": line((path) => `cat <<'EOF' > ${path}\n{}\nEOF`),
  "echo > after cd": line((_path, { folder, file }) => `cd ${folder} && echo '{}' > ${file}`),
  "echo > in quotes": line((path) => `echo '{}' > "${path}"`),
  "echo > by ..": line((_path, { folder, base, file }) => `echo '{}' > ${folder}/../${base}/${file}`),
  tee: line((path) => `echo '{}' | tee ${path}`),
  "tee -a": line((path) => `echo '{}' | tee -a ${path}`),
  "tee through a link": line(() => "echo '{}' | tee cfg"),
  "tee below a link": line((_path, { file }) => `echo '{}' | tee cfgdir/${file}`),

  cp: line((path, { file }) => `cp stage/${file} ${path}`),
  "cp into the folder": line((_path, { folder, file }) => `cp stage/${file} ${folder}/`),
  "cp -r of the content": line((_path, { folder }) => `cp -r stage/. ${folder}`),
  "cp -rT": line((_path, { folder }) => `cp -rT stage ${folder}`),
  "cp -r --no-target-directory": line((_path, { folder }) => `cp -r --no-target-directory stage ${folder}`),
  "cp -t": line((_path, { folder, file }) => `cp -t ${folder} stage/${file}`),
  "cp --target-directory": line((_path, { folder, file }) => `cp --target-directory=${folder} stage/${file}`),
  "cp -r over the parent": line((_path, { parent }) => `cp -r lay/. ${parent}`),
  "cp -r of the folder": line((_path, { parent, base }) => `cp -r lay/${base} ${parent}`),
  "cp -a of the folder": line((_path, { parent, base }) => `cp -a lay/${base} ${parent}/`),
  "cp of a pattern": line((_path, { folder }) => `cp stage/s* ${folder}`),
  mv: line((path, { file }) => `mv stage/${file} ${path}`),
  "mv into the folder": line((_path, { folder, file }) => `mv stage/${file} ${folder}`),
  "mv -t": line((_path, { folder, file }) => `mv -t ${folder} stage/${file}`),
  "mv -T": line((_path, { folder }) => `mv -T stage ${folder}`),
  "mv of the folder": line((_path, { parent, base }) => `mv lay/${base} ${parent}`),
  "mv away": line((path) => `mv ${path} a.txt`),
  "mv of the folder away": line((_path, { folder }) => `mv ${folder} elsewhere`),
  "ln -s": line((path, { file }) => `ln -s {home}/proj/stage/${file} ${path}`),
  "ln -sf": line((path, { file }) => `ln -sf {home}/proj/stage/${file} ${path}`),
  "ln -sfn": line((_path, { folder }) => `ln -sfn {home}/proj/stage ${folder}`),
  install: line((path, { file }) => `install -m 644 stage/${file} ${path}`),
  "rsync -a": line((_path, { folder }) => `rsync -a stage/ ${folder}/`),
  "rsync --delete": line((_path, { folder }) => `rsync -a --delete empty/ ${folder}/`),
  "rsync -a over the parent": line((_path, { parent }) => `rsync -a lay/ ${parent}/`),

  "sed -i": line((path) => `sed -i p ${path}`),
  "sed -i.bak": line((path) => `sed -i.bak p ${path}`),
  "sed -i with the file's suffix": line((_path, target) => {
    const { stem, suffix } = split(target);
    return `sed -i${suffix} -e p ${stem}`;
  }),
  "sed -i with the file's last letters": line((path) => `sed -i'${path.slice(-2)}' -e p ${path.slice(0, -2)}`),
  "sed --in-place with the file's suffix": line((_path, target) => {
    const { stem, suffix } = split(target);
    return `sed --in-place=${suffix} -e p ${stem}`;
  }),
  "sed w": line((path) => `sed -n 'w ${path}' a.txt`),
  "perl -pi": line((path) => `perl -pi -e 's/a/b/' ${path}`),
  truncate: line((path) => `truncate -s 0 ${path}`),
  touch: line((path) => `touch ${path}`),
  "dd of=": line((path, { file }) => `dd if=stage/${file} of=${path}`),
  "sort -o": line((path) => `sort -o ${path} a.txt`),
  uniq: line((path) => `uniq a.txt ${path}`),

  rm: line((path) => `rm ${path}`),
  "rm -f": line((path) => `rm -f ${path}`),
  "rm -rf of the folder": line((_path, { folder }) => `rm -rf ${folder}`),
  "rm of a pattern": line((_path, { folder, file }) => `rm ${folder}/${file.slice(0, 2)}*`),
  "rm -rf of a pattern": line((_path, { parent, base }) => `rm -rf ${join(parent, `${base.slice(0, 2)}*`)}`),
  "rm after cd": line((_path, { folder, file }) => `cd ${folder} && rm ${file}`),
  rmdir: line((_path, { folder }) => `rmdir ${folder}`),
  unlink: line((path) => `unlink ${path}`),
  shred: line((path) => `shred -u ${path}`),
  "find -delete": line((_path, { folder }) => `find ${folder} -delete`),
  "find -name -delete": line((_path, { parent, file }) => `find ${parent} -name ${file} -delete`),
  "find -exec cp": line((_path, { parent, file }) => `find ${parent} -name ${file} -exec cp stage/${file} {} \\;`),
  "find -exec rm": line((_path, { parent, file }) => `find ${parent} -name ${file} -exec rm {} +`),
  "find -exec chmod": line((_path, { parent, file }) => `find ${parent} -name ${file} -exec chmod 000 {} \\;`),
  "find | xargs rm": line((_path, { parent, file }) => `find ${parent} -name ${file} | xargs rm`),
  "chmod 000": line((path) => `chmod 000 ${path}`),
  "chmod 000 of the folder": line((_path, { folder }) => `chmod 000 ${folder}`),
  chown: line((_path, { folder }) => `chown -R nobody ${folder}`),
  chattr: line((path) => `chattr +i ${path}`),

  "git checkout -- .": line((_path, { parent }) => `cd ${parent} && git checkout -- .`),
  "git checkout of the file": line(
    (_path, { parent, base, file }) => `cd ${parent} && git checkout -- ${base}/${file}`,
  ),
  "git restore": line((_path, { parent }) => `cd ${parent} && git restore .`),
  "git stash": line((_path, { parent }) => `cd ${parent} && git stash`),
  "git apply": line((_path, { parent }) => `cd ${parent} && git apply {home}/proj/p.patch`),
  patch: line((path) => `patch ${path} p.patch`),
  "patch -d": line((_path, { parent }) => `patch -p0 -d ${parent} -i {home}/proj/p.patch`),
  "tar -C": line((_path, { folder }) => `tar xf a.tar -C ${folder}`),
  "tar -C of the parent": line((_path, { parent }) => `tar xf a.tar -C ${parent}`),
  "unzip -d": line((_path, { folder }) => `unzip -o a.zip -d ${folder}`),
  "curl -o": line((path) => `curl -o ${path} https://${HOST}/a`),
  "curl --output": line((path) => `curl --output ${path} https://${HOST}/a`),
  "curl -O": line((_path, { folder, file }) => `cd ${folder} && curl -O https://${HOST}/${file}`),
  "curl -O --output-dir": line((_path, { folder, file }) => `curl -O --output-dir ${folder} https://${HOST}/${file}`),
  "curl -D": line((path) => `curl -D ${path} https://${HOST}/a`),
  "curl -c": line((path) => `curl -c ${path} https://${HOST}/a`),
  "wget -O": line((path) => `wget -O ${path} https://${HOST}/a`),
  "wget -N": line((_path, { folder, file }) => `cd ${folder} && wget -N https://${HOST}/${file}`),
  "wget -P": line((_path, { folder, file }) => `wget -P ${folder} https://${HOST}/${file}`),
  "node -e": line((path) => `node -e "require('fs').writeFileSync('${path}', '')"`),
  "python3 -c": line((path) => `python3 -c "open('${path}', 'w')"`),
};
