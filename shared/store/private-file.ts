type FileOwnership = { mode: number; uid: number }

/**
 * What is wrong with the mode of a file that holds a secret, and the command that fixes it; undefined if nobody else
 * can read or write the file. If another user, such as root, owns the file, its group may read it: the server then belongs
 * to that group. `user`: id of this process's user; undefined on Windows, which has no modes.
 */
export const exposureOf = (
  file: string,
  { mode, uid }: FileOwnership,
  user: number | undefined = process.getuid?.(),
): string | undefined => {
  const [refused, wanted] = uid === user ? [0o077, '600'] : [0o037, '640']
  if (user === undefined || (mode & refused) === 0) return undefined
  return `can be read or written by others (mode ${(mode & 0o777).toString(8)}). Run: chmod ${wanted} ${file}`
}
