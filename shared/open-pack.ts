import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isConflict } from '#kit'
import type { Only } from './dev/index.ts'
import { mergeOverrides, readOverrides, requireSandboxProfiles } from './faces/cli/index.ts'
import {
  createPack,
  openPostgresStore,
  openSqliteStore,
  readKeyring,
  systemClock,
  type Pack,
  type PackOptions,
} from './pack.ts'
import type { Recorder } from './recorder/index.ts'
import type { Sandbox } from './sandbox/index.ts'
import { directoryOf, keySettings, packSettings, runContentsMs } from './settings.ts'
import type { Configuration } from './settings.ts'
import {
  readApprovalRulesFile,
  readClientsFile,
  readJwtFile,
  readLimitsFile,
  readLocales,
  readLoginFile,
} from './settings-files.ts'

export type Log = NonNullable<PackOptions['log']>
/** `documented`: the sandbox follows the documented profiles, whatever profile is picked. */
export type OpenPackOptions = {
  sandbox: boolean
  documented?: boolean
  store: 'directory' | 'memory' | 'temporary'
  log?: Log
  recorder?: Recorder | undefined
  only?: Only
  tracing?: PackOptions['tracing'] | undefined
}
export type OpenPack = {
  pack: Pack
  directory: string
  publicUrl: string | undefined
  sandbox: Sandbox | undefined
  isShared?: boolean
  close(): Promise<void>
}

export const readVersion = async () =>
  (JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version

/** By which two builds of a version are told apart; `source` in a checkout, which is not built. */
export const readBuild = async (): Promise<string> =>
  (await readFile(new URL('build-id.txt', import.meta.url), 'utf8').catch(() => 'source')).trim()

/** The caller on a server without tenants. */
export const caller = { tenant: 'default' }

/** Closes in reverse order; all are closed even if one fails, and the first failure is thrown. */
export const closeAll = async (closers: (() => Promise<unknown>)[]) => {
  const failed: unknown[] = []
  for (const close of closers.toReversed()) await close().catch((error: unknown) => failed.push(error))
  if (failed.length > 0) throw failed[0]
}

/**
 * Stores the sandbox's accounts as ordinary connections, with their app secrets, so that everything works without
 * setup.
 */
const connectSandbox = async (pack: Pack, { accounts }: Sandbox) => {
  for (const { integration, app, ...account } of accounts) {
    if (app) await pack.apps.put(caller, integration, app)
    const [storedConnection] = await pack.connections.list(caller, { integration, externalId: 'sandbox' })
    if (storedConnection) {
      try {
        await pack.connections.patch(caller, storedConnection.id, { secrets: account.secrets, disabled: false })
        continue
      } catch (thrown) {
        // A data directory of an older version has other accounts, and a connection never changes to another account.
        if (!isConflict(thrown)) throw thrown
        await pack.connections.remove(caller, storedConnection.id)
      }
    }
    await pack.connections.create(caller, { integration, ...account, externalId: 'sandbox' })
  }
}

/** Whether the store is a database that other servers use too. The sandbox always has data of its own. */
const isShared = ({ databaseUrl }: Configuration, { sandbox, store, only }: OpenPackOptions) =>
  databaseUrl !== undefined && store === 'directory' && !sandbox && !only

const openStore = async (configuration: Configuration, options: OpenPackOptions, directory: string) => {
  if (options.store === 'memory') return {}
  const log: Log = options.log ?? (() => {})
  const store = isShared(configuration, options)
    ? await openPostgresStore({
        url: configuration.databaseUrl!,
        ...(configuration.databasePool === undefined ? {} : { connections: configuration.databasePool }),
        clock: systemClock,
        log,
        version: await readVersion(),
      })
    : await openSqliteStore({ directory, now: Date.now, log })
  try {
    const { lostMasterKeys: lost } = configuration
    const masterKey = await readKeyring({ ...keySettings(configuration, directory), store, lost })
    return { store, lostKeys: lost, masterKey }
  } catch (error) {
    await store.close()
    throw error
  }
}

/**
 * Starts the sandbox with the profiles that the pack is configured with. With a data directory it uses the same ports
 * every time.
 */
const openSandbox = async (
  { store, log, documented }: OpenPackOptions,
  directory: string,
  overrides: NonNullable<PackOptions['wire']>,
): Promise<Sandbox> => {
  const profiles = documented
    ? {}
    : Object.fromEntries(Object.entries(overrides).map(([id, override]) => [id, override['profile']]))
  if (store !== 'directory') return (await import('./sandbox/index.ts')).startSandbox({ profiles })
  const { sandbox, taken } = await (
    await import('./sandbox/stored-ports.ts')
  ).startSandboxOnStoredPorts(directory, profiles)
  for (const port of taken)
    log?.('warn', 'sandbox.port_taken', {
      port,
      reason: 'Another program uses this port, so the sandbox uses another one from now on.',
    })
  return sandbox
}

const isForThisMachineOnly = ({ host, publicUrl }: Configuration) =>
  publicUrl === undefined && /^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host)

/** A pack with its store and, if wanted, its sandbox; closing it closes all of them. */
export const openPack = async (configuration: Configuration, options: OpenPackOptions): Promise<OpenPack> => {
  const closers: (() => Promise<unknown>)[] = []
  try {
    const { only, recorder } = options
    if (options.sandbox && !options.documented)
      requireSandboxProfiles(configuration, (await import('./sandbox/index.ts')).spokenProfiles)
    const overrides = only?.overrides ?? (await readOverrides(configuration))
    const jwt = await readJwtFile(configuration.jwtFile)
    const login = await readLoginFile(configuration.loginFile)
    const oauthClients = await readClientsFile(configuration.oauthClientsFile)
    const approvalRules = await readApprovalRulesFile(configuration.approvalRulesFile)
    let directory = directoryOf(configuration, options.sandbox)
    if (options.store === 'temporary') {
      directory = await mkdtemp(join(tmpdir(), 'toolyard-'))
      closers.push(() => rm(directory, { recursive: true, force: true }))
    }
    const { store, masterKey, lostKeys = [] } = await openStore(configuration, options, directory)
    let ownsStore = store !== undefined
    closers.push(async () => (ownsStore ? store?.close() : undefined))
    const sandbox = options.sandbox ? await openSandbox(options, directory, overrides) : undefined
    if (sandbox) closers.push(() => sandbox.close())
    const keptMs = runContentsMs(configuration, options.sandbox)
    const publicUrl = options.store === 'temporary' ? undefined : configuration.publicUrl
    const pack = await createPack({
      ...(store ? { store, masterKey, lostKeys } : {}),
      ...(options.log ? { log: options.log } : {}),
      ...(only ? { integrations: [only.integration] } : {}),
      ...(recorder ? { onExchange: recorder.onExchange } : {}),
      ...(options.tracing ? { tracing: options.tracing } : {}),
      wire: mergeOverrides(overrides, sandbox?.wire ?? {}),
      ...(jwt ? { jwt } : {}),
      ...(login ? { login } : {}),
      ...(oauthClients ? { oauthClients } : {}),
      ...(approvalRules ? { approvalRules } : {}),
      ...(publicUrl === undefined ? {} : { publicUrl }),
      egress: {
        loopbackAgents:
          only !== undefined ||
          (sandbox !== undefined && (options.store === 'temporary' || isForThisMachineOnly(configuration))),
        privateOrigins: [...configuration.privateOrigins, ...(only?.origins ?? [])],
        fileOrigins: configuration.fileOrigins,
        production: configuration.production,
        ownOrigins: sandbox?.places.map(({ origin }) => origin) ?? [],
      },
      ...packSettings(configuration),
      ...(keptMs === undefined ? {} : { runContentsMs: keptMs }),
      limits: { tenant: await readLimitsFile(configuration.limitsFile) },
      locales: await readLocales(configuration.localesFolder),
      ...(configuration.scanMs === undefined ? {} : { scanMs: configuration.scanMs }),
    })
    ownsStore = false
    closers.push(() => pack.close())
    if (sandbox) await connectSandbox(pack, sandbox)
    return {
      pack,
      directory,
      publicUrl,
      sandbox,
      isShared: isShared(configuration, options),
      close: () => closeAll(closers),
    }
  } catch (error) {
    await closeAll(closers).catch(() => undefined)
    throw error
  }
}
