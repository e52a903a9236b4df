import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPack, openSqliteStore, readKeyring } from '../../shared/pack.ts'

export const entry = fileURLToPath(new URL('../../shared/toolyard.js', import.meta.url))

/** The environment of a child: nothing of ours leaks in. */
const clean = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(TOOLYARD_|OTEL_)/.test(name) && name !== 'NODE_OPTIONS'),
  )

export type Ended = { code: number | null; out: string; err: string }
export type Started = {
  pid: number
  out(): string
  err(): string
  /** Resolves when the text has been printed to standard output; rejects when the process ends before. */
  printed(text: string): Promise<void>
  kill(signal: NodeJS.Signals): void
  /** Stops reading standard output, as `| head` does. */
  closeOutput(): void
  ended: Promise<Ended>
}

/** Starts `toolyard …` in a process of its own. */
export const start = (
  args: string[],
  env: Record<string, string> = {},
  options: { stdin?: string; node?: string; nodeArgs?: string[]; entry?: string } = {},
): Started => {
  const child = spawn(
    options.node ?? process.execPath,
    [...(options.nodeArgs ?? []), options.entry ?? entry, ...args],
    {
      env: { ...clean(), ...env },
      stdio: 'pipe',
    },
  )
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part))
  child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part))
  child.stdin.end(options.stdin ?? '')
  const ended = new Promise<Ended>((done, failed) =>
    child.on('error', failed).on('close', (code) => done({ code, out, err })),
  )
  return {
    pid: child.pid!,
    out: () => out,
    err: () => err,
    printed: (text) =>
      new Promise<void>((done, failed) => {
        const look = () => out.includes(text) && done()
        child.stdout.on('data', look)
        look()
        ended.then(
          ({ code }) => failed(new Error(`ended with ${code} before it printed "${text}":\n${out}\n${err}`)),
          failed,
        )
      }),
    closeOutput: () => void child.stdout.destroy(),
    kill: (signal) => void child.kill(signal),
    ended,
  }
}

export const toolyard = (args: string[], env: Record<string, string> = {}, options: Parameters<typeof start>[2] = {}) =>
  start(args, env, options).ended

/** The lines that a started server prints to be tried with: the variables, and the first request. */
export const tryLines = (out: string): string =>
  `${/^export TOOLYARD_URL=.*$/m.exec(out)![0]}\n${/^curl .*$/m.exec(out)![0]}`

/** A data directory that is gone after the test. */
export const withDirectory = async <T>(work: (directory: string) => Promise<T>): Promise<T> => {
  const directory = await mkdtemp(join(tmpdir(), 'toolyard-faces-'))
  try {
    return await work(directory)
  } finally {
    // A process that was ended but not waited for may still write into it.
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

/** What the first start of a server leaves in a data directory. */
export const makeData = async (directory: string): Promise<void> => {
  const store = await openSqliteStore({ directory, now: Date.now })
  const pack = await createPack({ store, masterKey: await readKeyring({ file: join(directory, 'master.key') }) })
  await pack.apps.put({ tenant: 'default' }, 'work-board', { key: 'k'.repeat(32), secret: 's'.repeat(64) })
  await pack.close()
}
