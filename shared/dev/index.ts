import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { inspect } from 'node:util'
import { fail, failField, isFailure } from '#kit'
import type { Integration } from '#kit'
import {
  firstToken,
  noteServer,
  requireDevelopment,
  requireStart,
  withFreePort,
  withProfiles,
} from '../faces/cli/index.ts'
import { readWireFile } from '../settings-files.ts'
import type { DevCall } from '../faces/cli/index.ts'
import type { Configuration } from '../settings.ts'
import type { HttpApp } from '../faces/http/index.ts'
import { checkWire, overlay } from '../pack.ts'
import type { Pack } from '../pack.ts'
import type { Log } from '../runtime/ports/index.ts'
import { createRecorder } from '../recorder/index.ts'
import type { Recorder } from '../recorder/index.ts'
import { openFolder } from './folder.ts'
import type { Folder } from './folder.ts'
import { watchFiles } from './watch.ts'

type Overrides = Record<string, Record<string, unknown>>
/**
 * The one integration to serve instead of the shipped ones. `origins`: origins of its provider that may be private or
 * use plain http.
 */
export type Only = { integration: Integration; overrides: Overrides; origins: string[] }
type House = { pack: Pack; directory: string; close(): Promise<void> }
type Serving = { http: HttpApp; opened: House; address: string; stop(): Promise<void> }

type DevServerOptions = {
  configuration: Configuration
  call: DevCall
  env: Record<string, string | undefined>
  version: string
  log: Log
  openPack(configuration: Configuration, only: Only, recorder: Recorder): Promise<House>
  listen(http: HttpApp, configuration: Configuration): Promise<string>
  drain(http: HttpApp, opened: House): Promise<void>
  exampleLines(address: string, token: string | undefined, step: string, input: Record<string, unknown>): string[]
  stopped: Promise<unknown>
  out(text: string): void
  err(text: string): void
}

/** Enough frames to see past the runtime's own down to a handler. */
const stackFrames = 50

const isLoopback = ({ hostname }: URL) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

/** The provider's origins that are on this machine or use plain http, which only development allows. */
export const openOrigins = (profile: object): string[] => {
  const origins = Object.entries(profile).flatMap(([name, value]): string[] => {
    if (typeof value === 'object' && value !== null) return openOrigins(value)
    if (typeof value !== 'string' || !name.endsWith('Url') || !URL.canParse(value)) return []
    const url = new URL(value)
    return url.protocol === 'http:' || (url.protocol === 'https:' && isLoopback(url)) ? [url.origin] : []
  })
  return [...new Set(origins)]
}

const readOverrides = async ({ id }: Integration, file: string | undefined, isOurs: boolean): Promise<Overrides> => {
  const all = await readWireFile(file, isOurs ? '--wire' : 'TOOLYARD_WIRE')
  if (isOurs && all[id] === undefined)
    throw failField('wire', `--wire names ${file}, which has no entry for "${id}". Write { "${id}": { … } }.`)
  return all[id] === undefined ? {} : { [id]: all[id] }
}

/** A failure's message is written for its reader; a defect is shown with its whole stack. */
const sayWhy = (thrown: unknown): string => (isFailure(thrown) ? thrown.message : inspect(thrown))

const findFolder = async (path: string, cwd: string): Promise<string> => {
  const folder = resolve(cwd, path)
  const isThere = await stat(join(folder, 'manifest.ts')).catch(() => undefined)
  if (isThere) return folder
  throw failField(
    'folder',
    `${folder} has no manifest.ts. Give the folder of an integration, or write one with: npm run new -- <id>`,
    'not_found',
  )
}

const summaryOf = ({ steps, triggers = [] }: Integration): string =>
  [
    `  ${'Steps'.padEnd(16)} ${[...steps.map(({ id }) => id), 'find-endpoints', 'api-call'].join(', ')}`,
    `  ${'Triggers'.padEnd(16)} ${triggers.map(({ id }) => id).join(', ') || 'none'}`,
  ].join('\n')

const printBanner = async (
  parts: DevServerOptions,
  folder: Folder,
  { opened, address }: Serving,
  integration: Integration,
  path: string,
) => {
  const { configuration, version, exampleLines, out } = parts
  const { text, from } = await firstToken(opened.pack, configuration, opened.directory)
  const isShown = from === 'file' && process.stdout.isTTY
  const file = join(opened.directory, 'token')
  const step = integration.steps.find(({ effect }) => effect === 'read') ?? integration.steps[0]
  const token = isShown ? text : from === 'file' ? `$(cat ${file})` : undefined
  const lines = [
    `toolyard ${version} serves ${path} and reloads it on change. Ctrl-C stops it.`,
    '',
    `  ${'Address'.padEnd(16)} ${address}`,
    `  ${'Token'.padEnd(16)} ${from === 'environment' ? 'the one in TOOLYARD_TOKEN' : isShown ? `${text} (saved in ${file})` : `in ${file}`}`,
    summaryOf(integration),
    '',
    'For other commands, in another terminal:',
    `export TOOLYARD_DATA=${opened.directory}`,
    '',
    'Try:',
    ...exampleLines(
      address,
      token,
      `${integration.id}/${step?.id ?? 'api-call'}`,
      (step && (await folder.exampleInput(step.id))) ?? {},
    ),
    '',
  ]
  out(`${lines.join('\n')}\n`)
}

/** Loads the integration's current files. Checks everything that can be checked before the running one is stopped. */
const loadOnly = async (folder: Folder, { configuration, call }: DevServerOptions): Promise<Only> => {
  const integration = await folder.load()
  const file = call.wireFile ?? configuration.wireFile
  const { id, wire, profiles = {} } = integration
  const { [id]: picked } = configuration.profiles
  const ofFile = await readOverrides(integration, file, call.wireFile !== undefined)
  const overrides = withProfiles(ofFile, { ...configuration, profiles: picked === undefined ? {} : { [id]: picked } }, [
    integration,
  ])
  checkWire(overrides, [integration])
  const { [id]: override = {} } = overrides
  return {
    integration,
    overrides,
    origins: openOrigins(overlay(profiles[String(override['profile'])]?.() ?? wire, override)),
  }
}

const startServing = async (
  parts: DevServerOptions,
  configuration: Configuration,
  only: Only,
  path: string,
): Promise<Serving> => {
  const { version, log, openPack, listen, drain } = parts
  const recorder = createRecorder({ folder: path })
  const opened = await openPack(configuration, only, recorder)
  try {
    const { createHttp } = await import('../faces/http/index.ts')
    await firstToken(opened.pack, configuration, opened.directory)
    const pack = recorder.watch(opened.pack)
    const http = await createHttp({ pack, version, log, publicUrl: configuration.publicUrl, recorder })
    const address = await listen(http, configuration)
    await opened.pack.start()
    const forget = await noteServer(opened.directory, {
      address,
      pid: process.pid,
      sandbox: false,
      since: new Date().toISOString(),
    })
    const stop = async () => {
      await forget()
      http.server.closeAllConnections()
      await drain(http, opened)
    }
    return { http, opened, address, stop }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Serves until stopped. When the folder cannot be loaded after a change, the previous version keeps running. */
const serveUntilStopped = async (parts: DevServerOptions, configuration: Configuration, path: string) => {
  const { call, out, err, stopped } = parts
  const folder = openFolder(path)
  let serving: Serving | undefined
  try {
    let only = await loadOnly(folder, parts)
    serving = await startServing(parts, configuration, only, path)
    // Reloads keep the address, which clients may already use.
    const same = { ...configuration, port: Number(new URL(serving.address).port) }
    await printBanner(parts, folder, serving, only.integration, path)
    const reload = async () => {
      try {
        only = await loadOnly(folder, parts)
      } catch (thrown) {
        err(`Not reloaded, the former state goes on: ${sayWhy(thrown)}\n`)
        return
      }
      try {
        await serving?.stop()
        serving = undefined
        serving = await startServing(parts, same, only, path)
        out(`Reloaded.\n${summaryOf(only.integration)}\n`)
      } catch (thrown) {
        err(`Not serving until the next change: ${sayWhy(thrown)}\n`)
      }
    }
    const unwatch = watchFiles(path, call.wireFile ?? configuration.wireFile, reload)
    await stopped
    await unwatch()
  } finally {
    await serving?.stop()
    folder.close()
  }
}

/** `toolyard dev`: serves the integration in one folder, for its author. Returns the exit code. */
export const serveFolder = async (parts: DevServerOptions): Promise<number> => {
  const { call, env } = parts
  requireDevelopment(parts.configuration, env)
  const path = await findFolder(call.folder, call.cwd)
  Error.stackTraceLimit = stackFrames
  const settings = await withFreePort(parts.configuration)
  const { port } = parts.configuration
  if (settings.port !== port)
    parts.err(`Port ${port} is in use by another program; this server uses ${settings.port}.\n`)
  const temporary = call.data === undefined ? await mkdtemp(join(tmpdir(), 'toolyard-dev-')) : undefined
  const directory = temporary ?? resolve(call.cwd, call.data!)
  // Only `serve` sends traces.
  const configuration = { ...settings, data: directory, wireFile: undefined, traces: undefined }
  try {
    await requireStart({ configuration, directory, isServed: false })
    await serveUntilStopped(parts, configuration, path)
    return 0
  } catch (thrown) {
    if (isFailure(thrown)) throw thrown
    throw fail('invalid_input', `${path} cannot be loaded: ${sayWhy(thrown)}`)
  } finally {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true })
  }
}
