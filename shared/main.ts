import { text } from 'node:stream/consumers'
import { failures } from '#kit'
import {
  askOnTerminal,
  cancelOnSignal,
  cannotListen,
  exampleLines,
  firstToken,
  formatStart,
  greetingOf,
  invocationOf,
  noteServer,
  outliveReaders,
  plain,
  releaseIdleMemory,
  releaseStartMemory,
  requireStart,
  runCommand,
  servingFields,
  startReceiver,
  storeFor,
  typed,
  untilStopped,
  withFreePort,
} from './faces/cli/index.ts'
import { deprecatedSettings, directoryOf } from './settings.ts'
import { readBrandFile } from './settings-files.ts'
import type { DevCall, InProcess, McpCall, Terminal } from './faces/cli/index.ts'
import type { Configuration } from './settings.ts'
import type { HttpApp } from './faces/http/index.ts'
import { readConsoleFiles } from './console-files.ts'
import { caller, closeAll, openPack, readBuild, readVersion } from './open-pack.ts'
import type { Log, OpenPack, OpenPackOptions } from './open-pack.ts'
import { isTracingRegistered, systemClock } from './pack.ts'

/** After this time in ms, requests in progress are cut off, which cancels their runs. */
const drainMs = 10_000

/**
 * Where other servers share the database, a load balancer has this time, in ms, to notice that this one is not ready
 * and to send it nothing more.
 */
const leaveMs = 3_000

/** Time in ms for readers of our output to read the last lines. */
const exitDelayMs = 5_000

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
  // Both at the same time, so that the process ends within the half minute that process managers allow.
  await Promise.all([http.close(), opened.pack.drain()])
  clearTimeout(cut)
  await opened.close()
}

const openLog = async ({ logFormat, logLevel }: Configuration) =>
  (await import('./faces/http/log.ts')).openLog(process.stderr, { format: logFormat, level: logLevel })

/** Undefined where no collector is set, and where the process exports traces by OpenTelemetry's own SDK. */
const tracesOf = async ({ traces }: Configuration, version: string, log: Log) => {
  if (!traces || isTracingRegistered()) return undefined
  if ('refused' in traces) {
    log('warn', 'traces.off', traces.refused)
    return undefined
  }
  const { openTraces, readTraceSettings } = await import('./traces/index.ts')
  const settings = readTraceSettings(traces.read())
  // oxlint-disable-next-line no-restricted-globals -- the operator names the collector; the transport is for providers
  return openTraces({ settings, version, log, clock: systemClock, send: fetch })
}

const serve = async (
  settings: Configuration,
  { sandbox }: { sandbox: boolean },
  version: string,
  self: string,
): Promise<number> => {
  const configuration = sandbox ? await withFreePort(settings) : settings
  // Anything that prevents the start is found before a directory or a key is created.
  await requireStart({ configuration, directory: directoryOf(configuration, sandbox), isServed: false })
  const stopped = untilStopped(process)
  const { createHttp } = await import('./faces/http/index.ts')
  const log = await openLog(configuration)
  for (const deprecated of deprecatedSettings(configuration)) log('warn', 'setting.deprecated', deprecated)
  const traces = await tracesOf(configuration, version, log)
  const opened = await openPack(configuration, { sandbox, store: 'directory', log, tracing: traces?.tracing })
  let http: HttpApp | undefined
  try {
    const token = await firstToken(opened.pack, configuration, opened.directory)
    const { publicUrl, maxConnections, trustedProxies, embedOrigins } = configuration
    const brand = await readBrandFile(configuration.brandFile)
    http = await createHttp({
      pack: opened.pack,
      version,
      build: await readBuild(),
      log,
      publicUrl,
      ofProcess: true,
      maxConnections,
      trustedProxies,
      console: readConsoleFiles,
      brand,
      embedOrigins,
      tracing: traces?.http,
      sandbox: opened.sandbox && { places: opened.sandbox.places, agent: opened.sandbox.agent.url },
    })
    const address = await listen(http, configuration)
    opened.pack.watchAccounts()
    // Providers verify hooks by a request to this server, so the background work starts once it listens.
    await opened.pack.start()
    const forget = await noteServer(opened.directory, {
      address,
      pid: process.pid,
      sandbox,
      since: new Date().toISOString(),
    })
    const { pack, directory } = opened
    const busyPort = configuration.port === settings.port ? undefined : settings.port
    const isTerminal = process.stdout.isTTY
    const greeting = {
      version,
      address,
      busyPort,
      pack,
      directory,
      publicUrl,
      sandbox: opened.sandbox,
      token,
      isTerminal,
      self,
    }
    // A reader of the JSON log has no use for text on another stream.
    if (configuration.logFormat === 'json') log('info', 'serving', servingFields(greeting))
    else process.stdout.write(await greetingOf(greeting))
    setImmediate(() => {
      releaseStartMemory()
      releaseIdleMemory()
    })
    log('info', 'stopping', { signal: await stopped })
    await forget()
  } catch (error) {
    await http?.close()
    await opened.close()
    await traces?.close()
    throw error
  }
  await drain(http, opened)
  await traces?.close()
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
    openPack: (settings, only, recorder) =>
      openPack(settings, { sandbox: false, store: 'directory', log, only, recorder }),
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
  { records = false, ...options }: OpenPackOptions & { records?: boolean | undefined },
  version: string,
  signal: AbortSignal,
): Promise<InProcess> => {
  const recorder = records
    ? (await import('./recorder/index.ts')).createRecorder({ keepsPeople: options.sandbox })
    : undefined
  const { pack, publicUrl, close } = await openPack(configuration, { ...options, recorder })
  try {
    const { createInProcess } = await import('./faces/http/index.ts')
    const log: Log = (level, event, fields) =>
      void (level === 'error' && process.stderr.write(`${JSON.stringify({ event, ...fields })}\n`))
    const { close: closeHttp, ...api } = await createInProcess({
      pack,
      caller,
      version,
      publicUrl,
      log,
      signal,
      recorder,
    })
    return { ...api, close: () => closeAll([close, closeHttp]) }
  } catch (error) {
    await close()
    throw error
  }
}

const mcp = async (
  configuration: Configuration,
  { server, sandbox, offered }: McpCall,
  version: string,
  self: string,
): Promise<number> => {
  const { bridgeToServer, endpointOf, serveOverStdio } = await import('./faces/mcp/index.ts')
  const log = await openLog(configuration)
  // Standard output belongs to the protocol, so nothing else is written there.
  const channel = { input: process.stdin, output: process.stdout, signal: whenStopped() }
  if (server) {
    await bridgeToServer(endpointOf(server.address, offered), server.token, log, channel)
    return 0
  }
  const { pack, close } = await openPack(configuration, {
    sandbox,
    store: await storeFor(configuration, sandbox, { self }),
  })
  try {
    await serveOverStdio(pack, { caller, version, log, ...offered }, channel)
    return 0
  } finally {
    await close()
  }
}

const demo = async (configuration: Configuration, version: string, terminal: Terminal): Promise<number> => {
  const { pack, sandbox, close } = await openPack(configuration, {
    sandbox: true,
    documented: true,
    store: 'temporary',
  })
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

const main = async () => {
  outliveReaders(process)
  const argv = process.argv.slice(2)
  const version = await readVersion()
  const self = invocationOf({
    script: process.argv[1]!,
    execPath: process.execPath,
    cwd: process.cwd(),
    env: process.env,
  })
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
      const options = {
        sandbox,
        records,
        store: store === 'directory' ? await storeFor(configuration, sandbox, terminal) : store,
      }
      return openInProcess(configuration, options, version, terminal.signal)
    },
  })
}

process.exitCode = await main()
// A log reader that has stopped reading would keep the process alive until it reads on.
setTimeout(() => process.exit(), exitDelayMs).unref()
