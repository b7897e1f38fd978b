/**
 * What programs print where the system refuses them something, in the languages that the C library has for the most users, and Node's
 * codes.
 */

/** A read-only place (EROFS). */
export const READ_ONLY_TEXTS: readonly string[] = [
  "EROFS",
  "Read-only file system",
  "File system in sola lettura",
  "Das Dateisystem ist nur lesbar",
  "accessible en lecture seulement",
  "Sistema de ficheros de sólo lectura",
  "Sistema de arquivos somente para leitura",
];

/** No network (ENETUNREACH, EAI_AGAIN). */
export const NO_NETWORK_TEXTS: readonly string[] = [
  "ENETUNREACH",
  "EAI_AGAIN",
  "Network is unreachable",
  "La rete non è raggiungibile",
  "Das Netzwerk ist nicht erreichbar",
  "Le réseau n'est pas accessible",
  "La red es inaccesible",
  "A rede está fora de alcance",
  "Temporary failure in name resolution",
  "Errore temporaneo nella risoluzione del nome",
  "Temporärer Fehler bei der Namensauflösung",
  "Échec temporaire dans la résolution du nom",
  "Fallo temporal en la resolución del nombre",
  "Falha temporário na resolução de nome",
  "Could not resolve host",
];

/** A file that isn't there (ENOENT): in a box perhaps only there. */
export const MISSING_TEXTS: readonly string[] = [
  "ENOENT",
  "No such file or directory",
  "File o directory non esistente",
  "Datei oder Verzeichnis nicht gefunden",
  "Aucun fichier ou dossier",
  "No existe el archivo o el directorio",
  "No existe el fichero o el directorio",
  "Arquivo ou diretório inexistente",
];

/** The limit of memory, which counts what they reserve. */
export const SANITIZER_TEXTS: readonly string[] = [
  "AddressSanitizer failed to allocate",
  "ThreadSanitizer failed to allocate",
  "ThreadSanitizer can not mmap",
];

/** With no permission (EACCES, EPERM), a place that can't be moved away or exchanged (EBUSY), and no address space. */
const REFUSAL_TEXTS: readonly string[] = [
  ...READ_ONLY_TEXTS,
  ...NO_NETWORK_TEXTS,
  "EACCES",
  "EPERM",
  "EBUSY",
  "Permission denied",
  "Permesso negato",
  "Keine Berechtigung",
  "Permission non accordée",
  "Permiso denegado",
  "Permissão negada",
  "Operation not permitted",
  "Operazione non permessa",
  "Die Operation ist nicht erlaubt",
  "Opération non permise",
  "Operación no permitida",
  "Operação não permitida",
  "Device or resource busy",
  "Dispositivo o risorsa occupata",
  "Das Gerät oder die Ressource ist belegt",
  "Périphérique ou ressource occupé",
  "Dispositivo o recurso ocupado",
  "Dispositivo ou recurso está ocupado",
  ...SANITIZER_TEXTS,
];

/** True if a program was refused the memory that its sanitizer reserves. */
export function lacksSanitizerMemory(output: string): boolean {
  return SANITIZER_TEXTS.some((text) => output.includes(text));
}

/** True if a program's output says that the system refused it something. */
export function saysRefused(output: string): boolean {
  return REFUSAL_TEXTS.some((text) => output.includes(text));
}
