import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { failures, isConflict } from '#kit'
import {
  askOnTerminal,
  cancelOnSignal,
  cannotListen,
  exampleLines,
  firstToken,
  formatStart,
  greetingOf,
  invocationOf,
  mergeOverrides,
  noteServer,
  outliveReaders,
  plain,
  readOverrides,
  releaseStartMemory,
  requireSpoken,
  requireStart,
  runCommand,
  servingFields,
  startReceiver,
  storeFor,
  typed,
  untilStopped,
  withFreePort,
} from './faces/cli/index.ts'
import { directoryOf, packSettings, readJwtFile, readLimitsFile, readLocales } from './settings.ts'
import type { DevCall, InProcess, McpCall, Terminal } from './faces/cli/index.ts'
import type { Configuration } from './settings.ts'
import type { HttpApp } from './faces/http/index.ts'
import { readConsoleFiles } from './console-files.ts'
import { createPack, openPostgresStore, openSqliteStore, readKeyring, systemClock, type Pack, type PackOptions } from './pack.ts'
import type { Only } from './dev/index.ts'
import type { Recorder } from './recorder.ts'
import type { Sandbox } from './sandbox/index.ts'

type Log = NonNullable<PackOptions['log']>
/** `documented`: the sandbox is as the documents show, whatever profile is picked. */
type Wanted = { sandbox: boolean; documented?: boolean; store: 'directory' | 'memory' | 'temporary'; log?: Log; recorder?: Recorder | undefined; only?: Only }
type OpenPack = { pack: Pack; directory: string; publicUrl: string | undefined; sandbox: Sandbox | undefined; isShared?: boolean; close(): Promise<void> }

/** After this time, requests in progress are cut off, which cancels their runs. */
const drainMs = 10_000

/** Where other servers share the database, a balancer has this time to find that this one is not ready, and to send nothing more. */
const leaveMs = 3_000

/** Time for readers of our output to read the last lines. */
const exitDelayMs = 5_000

const caller = { tenant: 'default' }

/** Closes in reverse order; each is tried even if another one failed. */
const closeAll = async (closers: (() => Promise<unknown>)[]) => {
  const failed: unknown[] = []
  for (const close of closers.toReversed()) await close().catch((error: unknown) => failed.push(error))
  if (failed.length > 0) throw failed[0]
}

/** Stores the sandbox's accounts as connections like any others, with their app secrets, so that everything works without setup. */
const connectSandbox = async (pack: Pack, { accounts }: Sandbox) => {
  for (const { integration, app, ...given } of accounts) {
    if (app) await pack.apps.put(caller, integration, app)
    const [known] = await pack.connections.list(caller, { integration, externalId: 'sandbox' })
    if (known) {
      try {
        await pack.connections.patch(caller, known.id, { secrets: given.secrets, disabled: false })
        continue
      } catch (thrown) {
        // A data directory of an older version has other accounts, and a connection never changes to another account.
        if (!isConflict(thrown)) throw thrown
        await pack.connections.remove(caller, known.id)
      }
    }
    await pack.connections.create(caller, { integration, ...given, externalId: 'sandbox' })
  }
}

/** The sandbox has data of its own, whatever database there is. */
const isShared = ({ databaseUrl }: Configuration, { sandbox, store, only }: Wanted) => databaseUrl !== undefined && store === 'directory' && !sandbox && !only

const openStore = async (configuration: Configuration, wanted: Wanted, directory: string) => {
  if (wanted.store === 'memory') return {}
  const log: Log = wanted.log ?? (() => {})
  const store = isShared(configuration, wanted)
    ? await openPostgresStore({ url: configuration.databaseUrl!, clock: systemClock, log, version: await readVersion() })
    : await openSqliteStore({ directory, now: Date.now, log })
  try {
    const { masterKey: env, previousMasterKeys: previous, lostMasterKeys: lostKeys } = configuration
    return { store, lostKeys, masterKey: await readKeyring({ env, previous, file: join(directory, 'master.key'), store, lost: lostKeys }) }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** With a data directory it uses the same ports every time. It speaks the profiles that the pack is configured with. */
const openSandbox = async ({ store, log, documented }: Wanted, directory: string, overrides: NonNullable<PackOptions['wire']>): Promise<Sandbox> => {
  const profiles = documented ? {} : Object.fromEntries(Object.entries(overrides).map(([id, override]) => [id, override['profile']]))
  if (store !== 'directory') return (await import('./sandbox/index.ts')).startSandbox({ profiles })
  const { sandbox, taken } = await (await import('./sandbox/kept-ports.ts')).startKeptSandbox(directory, profiles)
  for (const port of taken)
    log?.('warn', 'sandbox.port_taken', { port, reason: 'Another program uses this port, so the sandbox uses another one from now on.' })
  return sandbox
}

const isForThisMachineOnly = ({ host, publicUrl }: Configuration) => publicUrl === undefined && /^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host)

/** A pack with its store and, if wanted, its sandbox; closing it closes all of them. */
const openPack = async (configuration: Configuration, wanted: Wanted): Promise<OpenPack> => {
  const closers: (() => Promise<unknown>)[] = []
  try {
    const { only, recorder } = wanted
    if (wanted.sandbox && !wanted.documented) requireSpoken(configuration, (await import('./sandbox/index.ts')).spokenProfiles)
    const overrides = only?.overrides ?? (await readOverrides(configuration))
    const jwt = await readJwtFile(configuration.jwtFile)
    let directory = directoryOf(configuration, wanted.sandbox)
    if (wanted.store === 'temporary') {
      directory = await mkdtemp(join(tmpdir(), 'toolyard-'))
      closers.push(() => rm(directory, { recursive: true, force: true }))
    }
    const { store, masterKey, lostKeys = [] } = await openStore(configuration, wanted, directory)
    let ownsStore = store !== undefined
    closers.push(async () => (ownsStore ? store?.close() : undefined))
    const sandbox = wanted.sandbox ? await openSandbox(wanted, directory, overrides) : undefined
    if (sandbox) closers.push(() => sandbox.close())
    const publicUrl = wanted.store === 'temporary' ? undefined : configuration.publicUrl
    const pack = await createPack({
      ...(store ? { store, masterKey, lostKeys } : {}),
      ...(wanted.log ? { log: wanted.log } : {}),
      ...(only ? { integrations: [only.integration] } : {}),
      ...(recorder ? { onExchange: recorder.onExchange } : {}),
      wire: mergeOverrides(overrides, sandbox?.wire ?? {}),
      ...(jwt ? { jwt } : {}),
      ...(publicUrl === undefined ? {} : { publicUrl }),
      egress: {
        loopbackAgents: only !== undefined || (sandbox !== undefined && (wanted.store === 'temporary' || isForThisMachineOnly(configuration))),
        privateOrigins: [...configuration.privateOrigins, ...(only?.origins ?? [])],
        fileOrigins: configuration.fileOrigins,
        production: configuration.production,
        ownOrigins: sandbox?.places.map(({ origin }) => origin) ?? [],
      },
      ...packSettings(configuration),
      limits: { tenant: await readLimitsFile(configuration.limitsFile) },
      locales: await readLocales(configuration.localesFolder),
      ...(configuration.scanMs === undefined ? {} : { scanMs: configuration.scanMs }),
    })
    ownsStore = false
    closers.push(() => pack.close())
    if (sandbox) await connectSandbox(pack, sandbox)
    return { pack, directory, publicUrl, sandbox, isShared: isShared(configuration, wanted), close: () => closeAll(closers) }
  } catch (error) {
    await closeAll(closers).catch(() => undefined)
    throw error
  }
}

const listen = async (http: HttpApp, configuration: Configuration): Promise<string> => {
  const { host, port } = configuration
  await http.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, configuration)
  })
  const bound = http.server.address()
  const boundPort = typeof bound === 'object' && bound ? bound.port : port
  // The wildcard address cannot be called.
  const callable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${callable.includes(':') ? `[${callable}]` : callable}:${boundPort}`
}

const whenStopped = () => {
  const controller = new AbortController()
  void untilStopped(process).then(() => controller.abort())
  return controller.signal
}

const drain = async (http: HttpApp, opened: Pick<OpenPack, 'pack' | 'close' | 'isShared'>) => {
  if (opened.isShared) {
    await opened.pack.leave()
    await systemClock.sleep(leaveMs)
  }
  const cut = setTimeout(() => http.server.closeAllConnections(), drainMs)
  // At the same time, so that the process ends by itself within the half minute that process managers allow.
  await Promise.all([http.close(), opened.pack.drain()])
  clearTimeout(cut)
  await opened.close()
}

const openLog = async ({ logFormat, logLevel }: Configuration) =>
  (await import('./faces/http/log.ts')).openLog(process.stderr, { format: logFormat, level: logLevel })

const serve = async (settings: Configuration, { sandbox }: { sandbox: boolean }, version: string, self: string): Promise<number> => {
  const configuration = sandbox ? await withFreePort(settings) : settings
  // Whatever prevents the start is found before a directory or a key is created.
  await requireStart({ configuration, directory: directoryOf(configuration, sandbox), isServed: false })
  const stopped = untilStopped(process)
  const { createHttp } = await import('./faces/http/index.ts')
  const log = await openLog(configuration)
  const opened = await openPack(configuration, { sandbox, store: 'directory', log })
  let http: HttpApp | undefined
  try {
    const token = await firstToken(opened.pack, configuration, opened.directory)
    const { publicUrl, maxConnections, trustedProxies } = configuration
    http = await createHttp({
      pack: opened.pack,
      version,
      log,
      publicUrl,
      ofProcess: true,
      maxConnections,
      trustedProxies,
      console: readConsoleFiles,
      sandbox: opened.sandbox && { places: opened.sandbox.places, agent: opened.sandbox.agent.url },
    })
    const address = await listen(http, configuration)
    opened.pack.watchAccounts()
    // Providers verify hooks by a request to this server, so this starts once it listens.
    await opened.pack.start()
    const forget = await noteServer(opened.directory, { address, pid: process.pid, sandbox, since: new Date().toISOString() })
    const { pack, directory } = opened
    const busyPort = configuration.port === settings.port ? undefined : settings.port
    const isTerminal = process.stdout.isTTY
    const greeting = { version, address, busyPort, pack, directory, publicUrl, sandbox: opened.sandbox, token, isTerminal, self }
    // Whoever reads the log as JSON has no use for a text on another stream.
    if (configuration.logFormat === 'json') log('info', 'serving', servingFields(greeting))
    else process.stdout.write(await greetingOf(greeting))
    setImmediate(releaseStartMemory)
    log('info', 'stopping', { signal: await stopped })
    await forget()
  } catch (error) {
    await http?.close()
    await opened.close()
    throw error
  }
  await drain(http, opened)
  log('info', 'stopped')
  return 0
}

const dev = async (configuration: Configuration, call: DevCall, version: string): Promise<number> => {
  const { serveFolder } = await import('./dev/index.ts')
  const log = await openLog({ ...configuration, logFormat: configuration.logFormat ?? 'text' })
  return serveFolder({
    configuration,
    call,
    env: process.env,
    version,
    log,
    openPack: (settings, only, recorder) => openPack(settings, { sandbox: false, store: 'directory', log, only, recorder }),
    listen,
    drain,
    exampleLines,
    stopped: untilStopped(process),
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  })
}

/** For a command that opens the data itself: the pack behind its HTTP API, without a socket. */
const openInProcess = async (
  configuration: Configuration,
  { records = false, ...wanted }: Wanted & { records?: boolean | undefined },
  version: string,
  signal: AbortSignal,
): Promise<InProcess> => {
  const recorder = records ? (await import('./recorder.ts')).createRecorder() : undefined
  const { pack, publicUrl, close } = await openPack(configuration, { ...wanted, recorder })
  try {
    const { createInProcess } = await import('./faces/http/index.ts')
    const log: Log = (level, event, fields) => void (level === 'error' && process.stderr.write(`${JSON.stringify({ event, ...fields })}\n`))
    const { close: closeHttp, ...api } = await createInProcess({ pack, caller, version, publicUrl, log, signal, recorder })
    return { ...api, close: () => closeAll([close, closeHttp]) }
  } catch (error) {
    await close()
    throw error
  }
}

const mcp = async (configuration: Configuration, { server, sandbox, offered }: McpCall, version: string, self: string): Promise<number> => {
  const { bridgeToServer, endpointOf, serveOverStdio } = await import('./faces/mcp/index.ts')
  const log = await openLog(configuration)
  // Standard output belongs to the protocol, so nothing else is written there.
  const channel = { input: process.stdin, output: process.stdout, signal: whenStopped() }
  if (server) {
    await bridgeToServer(endpointOf(server.address, offered), server.token, log, channel)
    return 0
  }
  const { pack, close } = await openPack(configuration, { sandbox, store: await storeFor(configuration, sandbox, { self }) })
  try {
    await serveOverStdio(pack, { caller, version, log, ...offered }, channel)
    return 0
  } finally {
    await close()
  }
}

const demo = async (configuration: Configuration, version: string, terminal: Terminal): Promise<number> => {
  const { pack, sandbox, close } = await openPack(configuration, { sandbox: true, documented: true, store: 'temporary' })
  try {
    const { playDemo } = await import('./demo/index.ts')
    const { out, err, signal } = terminal
    return await playDemo({
      pack,
      caller,
      sandbox: sandbox!,
      out,
      err,
      signal,
      plain,
      typed: (words) => typed(terminal, words),
      formatStart,
      startReceiver: (onStart, onForged) => startReceiver(0, onStart, onForged),
      async listen() {
        const { createHttp } = await import('./faces/http/index.ts')
        const http = await createHttp({ pack, version })
        await http.listen({ host: '127.0.0.1', port: 0 })
        return http
      },
    })
  } finally {
    await close()
  }
}

const readVersion = async () => (JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version

const main = async () => {
  outliveReaders(process)
  const argv = process.argv.slice(2)
  const version = await readVersion()
  const self = invocationOf({ script: process.argv[1]!, execPath: process.execPath, cwd: process.cwd(), env: process.env })
  const isLasting = argv[0] === 'serve' || argv[0] === 'dev' || argv[0] === 'mcp'
  const quit = () => process.exit(failures.cancelled.exit)
  const terminal: Terminal = {
    out: (line) => void process.stdout.write(line),
    err: (line) => void process.stderr.write(line),
    readStdin: () => text(process.stdin),
    ask: process.stdin.isTTY && process.stderr.isTTY ? (question) => askOnTerminal(process, question) : undefined,
    width: process.stdout.columns ?? 120,
    status: process.stderr.isTTY ? (line) => void process.stderr.write(`\r\u001b[2K${line}`) : undefined,
    signal: isLasting ? new AbortController().signal : cancelOnSignal(process, () => performance.now(), quit),
    self,
  }
  return runCommand({
    argv,
    env: process.env,
    cwd: process.cwd(),
    version,
    terminal,
    serve: (configuration, options) => serve(configuration, options, version, self),
    mcp: (configuration, call) => mcp(configuration, call, version, self),
    demo: (configuration) => demo(configuration, version, terminal),
    dev: (configuration, call) => dev(configuration, call, version),
    async openInProcess(configuration, { sandbox, store, records }) {
      const wanted = { sandbox, records, store: store === 'directory' ? await storeFor(configuration, sandbox, terminal) : store }
      return openInProcess(configuration, wanted, version, terminal.signal)
    },
  })
}

process.exitCode = await main()
// A log reader that has stopped would keep the process alive until it reads on.
setTimeout(() => process.exit(), exitDelayMs).unref()
