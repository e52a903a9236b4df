import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Written to the data directory while a server runs on it, so that the command line finds the server. */
export type ServerNote = { address: string; pid: number; sandbox: boolean; since: string }

const noteFile = (directory: string) => join(directory, 'server.json')

/** Writes the note; the returned function removes it. */
export const noteServer = async (directory: string, note: ServerNote) => {
  // With a PostgreSQL database, nothing else has created the directory.
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await writeFile(noteFile(directory), `${JSON.stringify(note)}\n`, { mode: 0o600 })
  return () => rm(noteFile(directory), { force: true })
}

/** The note, or undefined. A killed server leaves its note behind, so readers must try the address. */
export const readServerNote = async (directory: string): Promise<ServerNote | undefined> => {
  try {
    return JSON.parse(await readFile(noteFile(directory), 'utf8')) as ServerNote
  } catch {
    return undefined
  }
}
