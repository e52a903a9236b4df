/**
 * A private PostgreSQL on loopback, run from the programs of Debian's package. `close()` removes everything.
 *
 *     const postgres = describe.skipIf(postgresIsMissing())
 *     const server = await startPostgres()
 *     const url = await server.createDatabase()
 *     const standby = await startPostgres({ standbyOf: server })
 */
import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const execute = promisify(execFile)
const installed = '/usr/lib/postgresql'
const startTimeoutMs = 60_000
const user = 'toolyard'

/** The program folder of the newest installed version. */
const findPrograms = (): string | undefined =>
  (existsSync(installed) ? readdirSync(installed) : [])
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(installed, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')))

/** For `describe.skipIf`: prints that it skips. Throws instead with TOOLYARD_POSTGRES=required. */
export const postgresIsMissing = (): boolean => {
  if (findPrograms()) return false
  const missing = `PostgreSQL is not installed (no ${installed}/*/bin/initdb; on Debian: apt-get install postgresql)`
  if (process.env['TOOLYARD_POSTGRES'] === 'required') throw new Error(`${missing}, and TOOLYARD_POSTGRES=required.`)
  console.warn(`${missing}: its tests are skipped.`)
  return true
}

/** PostgreSQL refuses to run as root, so as root another account is used. */
const findAccount = (): { uid: number; gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8')
  const [, uid, gid] =
    /^postgres:[^:]*:(\d+):(\d+):/m.exec(accounts) ?? /^nobody:[^:]*:(\d+):(\d+):/m.exec(accounts) ?? []
  if (!uid || !gid) throw new Error('PostgreSQL cannot run as root, and there is no user postgres or nobody.')
  return { uid: Number(uid), gid: Number(gid) }
}

/**
 * Ids of a process's children: each PostgreSQL server process leads its own process group, so a signal to the first
 * one's group would not reach them.
 */
const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1]) === parent
      } catch {
        return false
      }
    })
    .map(Number)

const settings = {
  listen_addresses: '127.0.0.1',
  fsync: 'on',
  synchronous_commit: 'on',
  max_connections: '200',
  // A zone that is neither UTC nor that of the person who runs the tests.
  timezone: 'Pacific/Chatham',
}

/** Fills the data folder: with an empty server, or with a copy of a running server that from then on follows it. */
const fill = async (
  programs: string,
  data: string,
  password: string,
  { standbyOf }: PostgresOptions,
  options: object,
) => {
  if (standbyOf) {
    const from = `host=127.0.0.1 port=${standbyOf.port} user=${user} password=${password}`
    const copy = ['-D', data, '-d', from, '--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast']
    return void (await execute(join(programs, 'pg_basebackup'), [...copy, '--no-sync'], options))
  }
  const passwordFile = `${data}.password`
  writeFileSync(passwordFile, password)
  const account = findAccount()
  if (account) chownSync(passwordFile, account.uid, account.gid)
  // Texts are ordered as in most installations, not by bytes. What initdb writes need not survive a power cut.
  const order = ['--encoding=UTF8', '--no-sync', '--locale-provider=icu', '--icu-locale=en-US']
  await execute(
    join(programs, 'initdb'),
    ['-D', data, '-U', user, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, ...order],
    options,
  )
}

export type PostgresOptions = {
  /** The server that this one follows by streaming replication, with the password that both have. */
  standbyOf?: { port: number; password: string }
  /** Settings of this server beside those that all have. */
  set?: Record<string, string>
}
export const startPostgres = async (options: PostgresOptions = {}) => {
  const programs = findPrograms()
  if (!programs) throw new Error('PostgreSQL is not installed.')
  const account = findAccount()
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-postgres-'))
  const data = join(folder, 'data')
  const password = options.standbyOf?.password ?? randomBytes(12).toString('hex')
  if (account) chownSync(folder, account.uid, account.gid)
  const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', PGPASSWORD: password }
  await fill(programs, data, password, options, { ...account, env, cwd: folder })

  const port = await freePort()
  let log = ''
  let server: ChildProcess | undefined
  let ended = Promise.resolve()

  /**
   * True when it accepts connections; false when it ended first, which happens while remnants of a killed server still
   * hold its files.
   */
  const tryStart = () => {
    const set = { ...settings, ...options.set, port: String(port), unix_socket_directories: folder }
    const parameters = Object.entries(set).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const child = spawn(join(programs, 'postgres'), ['-D', data, ...parameters], {
      ...account,
      env,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = child
    ended = new Promise((resolve) => child.once('exit', () => resolve()))
    return new Promise<boolean>((resolve) => {
      let said = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-10_000)
        log = (log + text).slice(-100_000)
        // A standby accepts `read-only connections`.
        if (/ready to accept (read-only )?connections/.test(said)) resolve(true)
      })
      child.once('exit', () => resolve(false))
    })
  }
  const start = async () => {
    for (const end = performance.now() + startTimeoutMs; !(await tryStart()); await wait(100))
      if (performance.now() > end) throw new Error(`PostgreSQL does not start:\n${log.slice(-2000)}`)
  }
  /** Disconnects all clients, flushes to disk and stops. */
  const stop = async () => {
    server?.kill('SIGINT')
    await ended
  }
  /** Ends all its processes with SIGKILL. */
  const kill = async () => {
    const pid = server?.pid
    if (pid === undefined) return
    for (const each of [pid, ...childrenOf(pid)])
      try {
        process.kill(each, 'SIGKILL')
      } catch {
        // The process has already ended.
      }
    await ended
  }
  const url = (database: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`
  const onExit = () => void server?.kill('SIGQUIT')

  await start().catch((thrown: unknown) => {
    rmSync(folder, { recursive: true, force: true })
    throw thrown
  })
  process.once('exit', onExit)
  let databases = 0
  return {
    port,
    password,
    /** Of the process that all others of the server are children of. */
    pid: () => server?.pid,
    /** The folder of all its files. */
    folder,
    url,
    start,
    stop,
    kill,
    /** Its latest log output. */
    log: () => log,
    /** Creates an empty database and returns its connection string. */
    async createDatabase(): Promise<string> {
      const name = `test_${(databases += 1)}`
      await execute(join(programs, 'createdb'), ['-h', '127.0.0.1', '-p', String(port), '-U', user, name], {
        env,
        cwd: folder,
      })
      return url(name)
    },
    /** The whole content of a database as SQL statements, with bytes in hexadecimal. */
    async dump(database: string): Promise<string> {
      const { stdout } = await execute(join(programs, 'pg_dump'), ['--inserts', '-d', database], {
        env,
        cwd: folder,
        maxBuffer: 2 ** 30,
      })
      return stdout
    },
    async close() {
      process.off('exit', onExit)
      server?.kill('SIGQUIT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>
