/**
 * A pack in this process, its providers on loopback and accounts there. What is opened is closed after the test, or
 * after the suite; see `closing.ts`.
 */
import { createPack } from '../../shared/pack.ts'
import type { Caller, Pack, PackOptions, StepCall } from '../../shared/pack.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox, SandboxOptions } from '../../shared/sandbox/index.ts'
import { createCloser } from './closing.ts'

export const caller: Caller = { tenant: 'default' }
export type LogLine = { level: string; event: string } & Record<string, unknown>

/** A sandbox of one provider, or a server whose responses the test decides. */
export type Provider = { origin: string; override?: Record<string, unknown>; credentials?: object }
type NewConnection = Parameters<Pack['connections']['create']>[1]

export type WorldOptions = PackOptions & {
  /** By integration id. `wire` overrides single facts of a provider. */
  providers?: Record<string, Provider>
}

const accountAt = (integration: string, provider: Provider | undefined) =>
  integration === 'work-board'
    ? {
        type: 'key-token',
        name: 'Board',
        secrets: provider?.credentials ?? { key: '0'.repeat(32), token: '0'.repeat(64) },
      }
    : { type: 'api-key', name: 'Data', secrets: provider?.credentials ?? { apiKey: 'a-key-0123456789' } }

export const openWorld = async ({ providers = {}, wire, egress, ...packOptions }: WorldOptions = {}) => {
  const { close, add } = createCloser()
  const lines: LogLine[] = []
  const log: NonNullable<PackOptions['log']> = (level, event, fields) => void lines.push({ level, event, ...fields })
  const wireOfProviders = Object.entries(providers).map(([id, { origin, override }]) => [
    id,
    { ...(override ?? { baseUrl: origin }), ...wire?.[id] },
  ])
  const origins = Object.values(providers).map(({ origin }) => origin)
  const pack = await createPack({
    log,
    ...packOptions,
    wire: { ...wire, ...Object.fromEntries(wireOfProviders) },
    egress: { ...egress, ownOrigins: [...origins, ...(egress?.ownOrigins ?? [])] },
  })
  add(() => pack.close())
  return {
    pack,
    log: packOptions.log ?? log,
    /** What was logged, unless the options name another log. */
    lines,
    close,
    /** Connects an account; without secrets, one that the provider accepts. */
    connect: (integration: string, request: Partial<NewConnection> = {}, by = caller) =>
      pack.connections.create(by, {
        integration,
        ...accountAt(integration, providers[integration]),
        ...request,
      } as NewConnection),
    /** Runs a step, named as `integration/step`. */
    run(name: string, input: unknown = {}, more: Partial<StepCall> = {}, by = caller) {
      const [integration = '', step = ''] = name.split('/')
      return pack.steps.run(by, { integration, step, input, ...more })
    },
  }
}
export type World = Awaited<ReturnType<typeof openWorld>>

export type SandboxWorldOptions = WorldOptions & {
  /** Absent: new sandboxes. Those of another world stay open. */
  sandbox?: Sandbox | SandboxOptions
  /** Which accounts are connected; default: none. */
  accounts?: 'none' | 'board' | 'all'
  /** Stores our app at the board, which signs webhooks and is needed to connect in a browser. */
  hasApp?: boolean
}

/** What an owner would enter to connect the board of a sandbox. */
export const secretsOf = ({ board }: Sandbox) => ({ key: board.credentials.key, token: board.credentials.token })

const providersOf = ({ places, accounts, wire }: Sandbox): Record<string, Provider> =>
  Object.fromEntries(
    places.map(({ integration, origin }) => [
      integration,
      {
        origin,
        override: wire[integration]!,
        credentials: accounts.find((account) => account.integration === integration)!.secrets,
      },
    ]),
  )

const startOwn = async (options: SandboxOptions, add: (end: () => unknown) => void) => {
  const sandbox = await startSandbox(options)
  add(() => sandbox.close())
  return sandbox
}

/** A world whose providers are the sandboxes that ship with the pack. */
export const openSandboxWorld = async (options: SandboxWorldOptions = {}) => {
  const { sandbox: choice = {}, accounts = 'none', hasApp = false, ...worldOptions } = options
  const { close, add } = createCloser()
  const sandbox = 'close' in choice ? choice : await startOwn(choice, add)
  const world = await openWorld({ providers: providersOf(sandbox), ...worldOptions })
  add(world.close)
  const { key, appSecret, oauth2 } = sandbox.board.credentials
  if (hasApp) await world.pack.apps.put(caller, 'work-board', { key, secret: appSecret, ...oauth2 })
  if (accounts === 'board') await world.connect('work-board')
  if (accounts === 'all')
    for (const { integration, type, name, secrets } of sandbox.accounts)
      await world.connect(integration, { type, name, secrets })
  return { ...world, sandbox, close }
}
export type SandboxWorld = Awaited<ReturnType<typeof openSandboxWorld>>
