import { readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fail, isUnavailable } from '#kit'
import { openSqlite } from './sqlite.ts'

/** Name of the database in a data directory. */
export const databaseFile = 'toolyard.db'

type Holder = { pid: number; host: string; since: string }

/**
 * Locks the data directory for this process. The lock is an open exclusive transaction on `lock.db`: the operating
 * system releases it however the process ends, so no stale lock can remain. `lock.json` only names the holder.
 * @throws Failure `unavailable` naming the holder
 */
export const lockDirectory = async (directory: string, now: () => number): Promise<{ release(): void }> => {
  const db = openSqlite(join(directory, 'lock.db'), { busyMs: 0 })
  const note = join(directory, 'lock.json')
  try {
    db.script('begin exclusive')
  } catch (error) {
    db.close()
    if (!isUnavailable(error) || !error.message.includes('locked')) throw error
    throw fail(
      'unavailable',
      `The data directory ${directory} is in use by ${await describeHolder(note)}. Talk to that running server (the command line does so by itself), or stop it first.`,
      { cause: error },
    )
  }
  const holder: Holder = { pid: process.pid, host: hostname(), since: new Date(now()).toISOString() }
  await writeFile(note, JSON.stringify(holder) + '\n', { mode: 0o600 })
  return { release: () => db.close() }
}

const describeHolder = async (note: string): Promise<string> => {
  try {
    const holder = JSON.parse(await readFile(note, 'utf8')) as Holder
    return `process ${holder.pid} on ${holder.host} since ${holder.since}`
  } catch {
    // The other process has the lock but has not written lock.json yet.
    return 'another process'
  }
}
