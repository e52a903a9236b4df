import { describe, expect, it } from 'vitest'
import { circlesOf, filesIn, readSource, targetOf } from './support/source.ts'
import type { Source } from './support/source.ts'

/**
 * Design rule "who may import whom". A room is a folder or a file; a file belongs to the most specific room that holds
 * it. A room imports its own files, values (and types) of the rooms in `values`, and types alone of those in `types`.
 */
type Rule = { values: string[]; types?: string[]; packages?: (string | RegExp)[]; node?: string[] | true }

const kit = 'shared/kit'
/** The contract of the faces: operations, and the schemas of what they take and give. */
const api = 'shared/api'
/** Of the contract, what the runtime checks its own input with, and whose types its views have. */
const resources = 'shared/api/resources'
/** Who may call what, without schemas: the pack enforces it. */
const apiRules = 'shared/api/rules.ts'
const ports = 'shared/runtime/ports'
const wire = 'shared/wire'
const pack = 'shared/pack.ts'
const packServer = 'shared/pack-server.ts'
const packParts = ['shared/examples.ts', 'shared/locales.ts', 'shared/pack-types.ts', 'shared/tracing.ts']
const runtime = (...folders: string[]) => folders.map((folder) => `shared/runtime/${folder}`)

const rules: Record<string, Rule> = {
  [kit]: { values: [], packages: ['zod', 'tldts'] },
  [api]: { values: [kit] },
  // Each integration is a room of its own: see `roomOf`.
  'integrations/*': { values: [kit], packages: ['zod'] },
  'integrations/index.ts': { values: ['integrations'] },

  [wire]: { values: [kit, wire] },
  'shared/wire/guard': { values: [kit], types: ['shared/wire/types.ts'], packages: ['ipaddr.js'], node: true },
  'shared/wire/rate-limit': { values: [kit], types: ['shared/wire/types.ts'], packages: ['lru-cache'] },
  'shared/wire/exchange': {
    values: [kit, 'shared/wire/guard', 'shared/wire/rate-limit'],
    types: ['shared/wire/types.ts'],
    packages: [/^undici(\/|$)/],
    node: ['node:zlib'],
  },
  'shared/wire/oauth': {
    values: [kit, 'shared/wire/guard', 'shared/wire/exchange'],
    types: ['shared/wire/types.ts'],
    packages: ['oauth-1.0a', 'openid-client', 'ky'],
    node: ['node:crypto'],
  },

  [ports]: { values: [kit], types: [apiRules] },
  'shared/runtime/catalogue': { values: [kit, wire, ports, resources, 'shared/api/schema-version.ts'], types: [api] },
  'shared/runtime/admin': {
    values: [kit, apiRules, wire, ports, ...runtime('people', 'catalogue', 'deferred-writes.ts')],
    types: runtime('connections', 'leases.ts'),
    packages: ['jose', 'lru-cache'],
    node: ['node:crypto'],
  },
  'shared/runtime/connections': {
    values: [
      kit,
      apiRules,
      wire,
      ports,
      ...runtime('people', 'bounds.ts', 'catalogue', 'admin', 'notices.ts', 'shared-work.ts'),
    ],
    types: runtime('leases.ts'),
    packages: ['lru-cache'],
    node: ['node:crypto'],
  },
  // Whom a call acts for, and which connection it uses: everything else asks it.
  'shared/runtime/people': { values: [kit], types: [ports, resources], packages: ['lru-cache'] },
  // Below steps, lookups and jobs, which it holds and has sent again by what is passed in.
  'shared/runtime/approvals': {
    values: [
      kit,
      apiRules,
      ports,
      resources,
      ...runtime(
        'people',
        'admin',
        'catalogue',
        'sentences',
        'bounds.ts',
        'notices.ts',
        'idempotency.ts',
        'stored-outcomes.ts',
      ),
    ],
    types: [wire, ...runtime('connections')],
    node: ['node:crypto'],
  },
  // Loaded with the first request of a client that people let in.
  'shared/runtime/oauth': {
    values: [kit, apiRules, ports, ...runtime('people', 'admin', 'catalogue', 'bounds.ts')],
    types: [wire],
    packages: ['lru-cache'],
    node: ['node:crypto'],
  },
  // Beside the folders: what they share.
  'shared/runtime/checks.ts': { values: [kit, ...runtime('clock-difference.ts')], types: ['shared/runtime'] },
  'shared/runtime/clock-difference.ts': { values: [kit], types: [ports] },
  'shared/runtime/csv-cells.ts': { values: [] },
  'shared/runtime/notices.ts': { values: [kit], types: [ports] },
  'shared/runtime/guard.ts': {
    values: [kit, ...runtime('bounds.ts')],
    types: [apiRules, ports, ...runtime('admin', 'catalogue', 'people')],
  },
  'shared/runtime/bounds.ts': {
    values: [kit, apiRules, ...runtime('people', 'catalogue', 'idempotency.ts')],
    types: [ports],
  },
  'shared/runtime/owner-filter.ts': { values: [], types: [ports] },
  'shared/runtime/leases.ts': { values: [kit], types: [ports], node: ['node:async_hooks'] },
  'shared/runtime/recovery.ts': { values: [kit], types: [ports, ...runtime('idempotency.ts', 'leases.ts')] },
  'shared/runtime/deferred-writes.ts': { values: [kit], types: [ports] },
  'shared/runtime/unwritten-ends.ts': { values: [kit], packages: ['lru-cache'] },
  'shared/runtime/shared-work.ts': { values: [kit], types: [ports] },
  'shared/runtime/unknown-outcomes.ts': { values: [kit, ...runtime('admin')], types: [ports], packages: ['lru-cache'] },
  'shared/runtime/stored-outcomes.ts': { values: [kit], types: [ports] },
  'shared/runtime/keyed-runs.ts': {
    values: [kit, ...runtime('unwritten-ends.ts', 'stored-outcomes.ts')],
    types: [ports, ...runtime('admin')],
  },
  'shared/runtime/idempotency.ts': {
    values: [kit, ...runtime('keyed-runs.ts', 'shared-work.ts', 'stored-outcomes.ts', 'unknown-outcomes.ts')],
    types: [ports, ...runtime('admin')],
    node: ['node:crypto'],
  },
  'shared/runtime/options.ts': {
    values: [
      kit,
      ports,
      ...runtime('people', 'bounds.ts', 'catalogue', 'connections', 'gate', 'session', 'endpoints', 'steps'),
    ],
    types: runtime('privacy', 'sentences'),
    packages: ['lru-cache'],
  },
  'shared/runtime/privacy': {
    values: [kit, ports, ...runtime('admin', 'files')],
    types: runtime('gate'),
    node: ['node:crypto'],
  },
  // What is stored, in words, and the names that were learned.
  'shared/runtime/sentences': {
    values: [kit],
    types: [ports, ...runtime('catalogue', 'privacy')],
    packages: ['lru-cache'],
  },
  'shared/runtime/credits': {
    values: [kit, ports, ...runtime('people', 'bounds.ts', 'notices.ts')],
    types: runtime('catalogue'),
    node: ['node:crypto'],
  },
  'shared/runtime/gate': {
    values: [kit, wire, ports, ...runtime('catalogue', 'connections', 'credits')],
    types: runtime('admin'),
  },
  'shared/runtime/files': {
    values: [kit, wire, ports, ...runtime('people', 'admin', 'bounds.ts', 'idempotency.ts')],
    types: runtime('files/pdf-worker.ts'),
    node: ['node:crypto', 'node:worker_threads'],
  },
  // The code of a thread of its own.
  'shared/runtime/files/pdf-worker.ts': {
    values: [],
    types: [kit],
    packages: ['unpdf'],
    node: ['node:worker_threads'],
  },
  'shared/runtime/session': {
    values: [kit, wire, ports, ...runtime('connections', 'gate', 'files', 'tables')],
    types: runtime('catalogue'),
  },
  'shared/runtime/endpoints': {
    values: [kit, wire, ports, ...runtime('catalogue', 'connections', 'gate', 'session', 'shared-work.ts')],
    packages: ['lru-cache'],
    node: ['node:crypto'],
  },
  'shared/runtime/steps': {
    values: [
      kit,
      wire,
      ports,
      ...runtime(
        'approvals',
        'people',
        'catalogue',
        'connections',
        'admin',
        'credits',
        'files',
        'gate',
        'sentences',
        'session',
        'endpoints',
        'bounds.ts',
        'deferred-writes.ts',
        'idempotency.ts',
        'notices.ts',
        'unwritten-ends.ts',
        'owner-filter.ts',
        'shared-work.ts',
        'csv-cells.ts',
      ),
    ],
    types: runtime('privacy'),
    packages: ['lru-cache'],
    node: ['node:crypto'],
  },
  'shared/runtime/tables': {
    values: [kit, ...runtime('csv-cells.ts')],
    packages: ['csv-parse', /^csv-stringify(\/|$)/],
    node: ['node:stream'],
  },
  'shared/runtime/bulk-jobs': {
    values: [
      kit,
      apiRules,
      ports,
      ...runtime('approvals', 'people', 'admin', 'catalogue', 'tables', 'bounds.ts', 'idempotency.ts', 'csv-cells.ts'),
      ...runtime('lookups/waterfall/record-fields.ts', 'lookups/waterfall/segments.ts'),
    ],
    types: runtime('files', 'leases.ts', 'privacy', 'lookups/waterfall'),
    node: ['node:crypto'],
  },
  'shared/runtime/people-lists': {
    values: [
      kit,
      apiRules,
      ports,
      ...runtime('people', 'files', 'tables', 'bulk-jobs', 'bounds.ts', 'idempotency.ts', 'csv-cells.ts'),
    ],
    types: runtime('catalogue', 'steps'),
    node: ['node:crypto'],
  },
  // What it needs of steps is passed in.
  'shared/runtime/lookups': {
    values: [kit, ports, ...runtime('people', 'admin', 'catalogue', 'bounds.ts', 'shared-work.ts')],
    types: runtime('session', 'endpoints', 'steps', 'connections'),
    node: ['node:crypto'],
  },
  'shared/runtime/lookups/waterfall': {
    values: [kit, apiRules, ports, resources, ...runtime('people', 'catalogue', 'bounds.ts', 'idempotency.ts')],
    types: runtime('approvals', 'connections', 'session', 'endpoints', 'steps'),
  },
  'shared/runtime/triggers': {
    values: [
      kit,
      wire,
      ports,
      resources,
      ...runtime(
        'people',
        'catalogue',
        'connections',
        'credits/event-charges.ts',
        'admin',
        'files/cipher.ts',
        'gate',
        'sentences',
        'session',
        'steps/context.ts',
      ),
      ...runtime('bounds.ts', 'deferred-writes.ts', 'idempotency.ts', 'leases.ts', 'notices.ts', 'owner-filter.ts'),
    ],
    types: runtime('people-lists/watch-lists.ts'),
    packages: ['jose', 'lru-cache', 'p-queue', 'standardwebhooks'],
    node: ['node:crypto'],
  },

  'shared/store': { values: [kit], types: [ports], packages: ['pg', 'pg-boss'], node: true },
  'shared/sandbox': { values: [], packages: ['fastify'], node: true },
  'shared/tracing.ts': { values: [kit], types: ['shared/runtime', wire], packages: ['@opentelemetry/api'] },
  // Loaded by a server that exports traces.
  'shared/traces': {
    values: [kit, 'shared/tracing.ts', 'shared/traces/settings.ts'],
    types: ['shared/runtime', 'shared/faces/http'],
    node: ['node:async_hooks', 'node:crypto'],
  },
  'shared/traces/settings.ts': {
    values: [kit, 'shared/setting-names.ts', 'shared/trace-environment.ts', 'shared/traces/sampler.ts'],
    types: ['shared/tracing.ts'],
  },
  'shared/examples.ts': { values: [kit], types: ['shared/runtime'], node: ['node:fs/promises'] },
  'shared/icons.ts': { values: [], node: ['node:fs'] },
  'shared/locales.ts': { values: [kit], types: ['shared/runtime'], node: ['node:fs/promises'] },
  'shared/pack-types.ts': { values: [kit], types: ['shared/runtime', wire, 'shared/store', 'shared/tracing.ts'] },
  [packServer]: { values: ['shared/icons.ts', 'shared/runtime', 'shared/store'] },
  'shared/pack': {
    values: [
      'integrations/index.ts',
      kit,
      apiRules,
      'shared/runtime',
      'shared/store',
      wire,
      'shared/examples.ts',
      'shared/locales.ts',
      'shared/tracing.ts',
    ],
    types: ['shared/pack-types.ts'],
    node: ['node:timers/promises'],
  },
  [pack]: {
    values: [
      'integrations/index.ts',
      kit,
      apiRules,
      resources,
      'shared/runtime',
      'shared/store',
      wire,
      'shared/pack',
      ...packParts,
    ],
    node: ['node:timers/promises'],
  },

  'shared/faces/http': {
    values: [kit, api, pack, packServer, 'shared/faces/http/mcp.ts'],
    types: ['shared/runtime'],
    packages: ['fastify', /^@fastify\//, 'fastify-type-provider-zod', 'lru-cache', 'pino', 'prom-client'],
    node: true,
  },
  // The one file in which a face knows another: MCP is served on routes of HTTP.
  'shared/faces/http/mcp.ts': {
    values: [kit, pack, 'shared/faces/http', 'shared/faces/mcp'],
    types: ['shared/runtime'],
    packages: ['fastify'],
  },
  'shared/faces/mcp': {
    values: [kit, apiRules, pack, packServer],
    types: ['shared/runtime'],
    packages: [/^@modelcontextprotocol\/(server|client)(\/|$)/, 'lru-cache'],
    node: ['node:crypto', 'node:stream'],
  },
  'shared/setting-names.ts': { values: [kit] },
  'shared/secret-files.ts': { values: [kit, pack, 'shared/setting-names.ts'], node: true },
  'shared/trace-environment.ts': { values: ['shared/setting-names.ts', 'shared/secret-files.ts'] },
  'shared/setting-values.ts': { values: [pack, 'shared/setting-names.ts'], node: true },
  'shared/settings.ts': {
    values: [
      kit,
      pack,
      'shared/setting-names.ts',
      'shared/setting-values.ts',
      'shared/secret-files.ts',
      'shared/trace-environment.ts',
    ],
    node: true,
  },
  'shared/settings-files.ts': {
    values: [api, pack, 'shared/settings.ts'],
    types: ['shared/runtime', resources],
    node: true,
  },
  'shared/faces/cli': {
    values: [kit, api, pack, packServer, 'shared/settings.ts', 'shared/settings-files.ts', 'shared/traces/settings.ts'],
    types: ['shared/runtime'],
    packages: ['commander', 'ky'],
    node: true,
  },
  // Runs in a browser: it knows the HTTP API and the manifests by their types alone.
  'shared/faces/console': {
    values: ['shared/faces/console'],
    types: [api],
    packages: [/^preact(\/|$)/, '@preact/signals', 'preact-iso/lazy', 'preact-iso/router'],
  },
  'shared/console-files.ts': { values: [], node: true },
  'shared/faces/library': {
    values: [kit, pack],
    types: ['shared/runtime', 'manifests/types.ts', 'shared/faces/typed-steps.ts'],
  },
  'shared/faces/typed-steps.ts': { values: [], types: ['manifests/types.ts'] },
  // Runs anywhere: of the contract it has what is built from it.
  'shared/faces/client': {
    values: ['manifests/operations.ts'],
    types: [kit, 'shared/faces/typed-steps.ts'],
    packages: ['ky'],
  },
  // A story about the sandbox's providers; what it needs of other rooms is passed in.
  'shared/demo': { values: [kit], types: [pack, 'shared/runtime', 'shared/sandbox'], node: ['node:timers/promises'] },
  'shared/recorder': {
    values: [kit, pack],
    types: ['shared/pack-types.ts', 'shared/runtime'],
    node: ['node:async_hooks'],
  },
  // The part of the process that serves one folder for its author.
  'shared/dev': {
    values: [kit, pack, 'shared/faces', 'shared/recorder', 'shared/settings.ts', 'shared/settings-files.ts'],
    types: ['shared/runtime'],
    node: true,
  },
  // Packages for other platforms are made from the built manifests alone. The client is copied into them as source.
  'scripts/packages': {
    values: ['scripts/packages/client', 'scripts/packages/openapi.ts'],
    types: ['shared/api/manifest.ts'],
    packages: ['esbuild'],
    node: true,
  },
  // A server answers with the same document, so that one function of a manifest makes both.
  'scripts/packages/openapi.ts': {
    values: ['shared/runtime/catalogue/agent-document.ts'],
    types: ['scripts/packages'],
  },
  'scripts/packages/client': { values: [], node: ['node:crypto'] },
  'scripts/packages/n8n/runtime': { values: [], packages: ['n8n-workflow'], node: ['node:crypto'] },
  'shared/open-pack.ts': {
    values: [kit, pack, 'shared/faces', 'shared/sandbox', 'shared/settings.ts', 'shared/settings-files.ts'],
    types: ['shared/dev', 'shared/recorder'],
    node: true,
  },
  'shared/main.ts': {
    values: [
      kit,
      pack,
      'shared/faces',
      'shared/demo',
      'shared/dev',
      'shared/recorder',
      'shared/traces',
      'shared/console-files.ts',
      'shared/settings.ts',
      'shared/settings-files.ts',
      'shared/open-pack.ts',
    ],
    node: true,
  },
}

/** Rooms that pass resources on know their types: the runtime, and all above it. */
const readsResources = /^shared\/(runtime|pack|faces|demo|dev)\b/

const within = (file: string, room: string) => file === room || file.startsWith(`${room}/`)

const roomOf = (file: string): { rule: Rule; own: string } | undefined => {
  if (/^integrations\/[^/]+\//.test(file)) return { rule: rules['integrations/*']!, own: file.split('/', 2).join('/') }
  const own = Object.keys(rules)
    .filter((room) => within(file, room))
    .toSorted((room, other) => other.length - room.length)[0]
  return own === undefined ? undefined : { rule: rules[own]!, own }
}

/** What a file imports that its room may not. */
const wrongImports = ({ file, imports }: Source): string[] => {
  const room = roomOf(file)
  if (!room) return [`${file} belongs to no room`]
  const { rule, own } = room
  const isAllowed = (name: string, isType: boolean) => {
    if (name.startsWith('node:')) return isType || rule.node === true || rule.node?.includes(name) === true
    const target = targetOf(file, name)
    if (target === undefined)
      return (
        rule.packages?.some((allowed) => (typeof allowed === 'string' ? allowed === name : allowed.test(name))) === true
      )
    if (roomOf(target)?.own === own) return true
    const types = readsResources.test(own) ? [resources, ...(rule.types ?? [])] : (rule.types ?? [])
    return [...rule.values, ...(isType ? types : [])].some((allowed) => within(target, allowed))
  }
  return imports
    .filter(({ name, isType }) => !isAllowed(name, isType))
    .map(({ name, isType }) => `${file} imports ${isType ? 'types of ' : ''}${targetOf(file, name) ?? name}`)
}

const sources = [...filesIn('shared'), ...filesIn('integrations'), ...filesIn('scripts/packages')].map((file) =>
  readSource(file),
)

describe('rooms', () => {
  for (const [room, rule] of Object.entries(rules)) {
    it(`${room} imports only what it may`, () => {
      const files = sources.filter(({ file }) => roomOf(file)?.rule === rule)
      expect(files.length).toBeGreaterThan(0)
      expect(files.flatMap(wrongImports)).toEqual([])
    })
  }
  it('hold every file', () => {
    expect(sources.filter(({ file }) => roomOf(file) === undefined).map(({ file }) => file)).toEqual([])
  })

  it.each([
    ['integrations/a/manifest.ts', "import { readFileSync } from 'node:fs'"],
    ['integrations/a/manifest.ts', "import wire from '../b/wire.ts'"],
    ['integrations/a/manifest.ts', "import ky from 'ky'"],
    ['integrations/a/manifest.ts', "import type { Pack } from '../../shared/pack.ts'"],
    ['shared/kit/step.ts', "import { fetch } from 'undici'"],
    ['shared/wire/guard/guard.ts', "export * from '../../runtime/ports/index.ts'"],
    ['shared/wire/guard/guard.ts', "import { send } from '../exchange/exchange.ts'"],
    ['shared/runtime/steps/run-step.ts', "import type { Triggers } from '../triggers/index.ts'"],
    ['shared/runtime/catalogue/manifest.ts', "const steps = await import('../steps/run-step.ts')"],
    ['shared/store/sqlite.ts', "import { createTokens } from '../runtime/admin/tokens.ts'"],
    ['shared/store/sqlite.ts', "import { ports } from '../runtime/ports/index.ts'"],
    ['shared/sandbox/board/index.ts', "import { fail } from '#kit'"],
    ['shared/pack.ts', "import { startSandbox } from './sandbox/index.ts'"],
    ['shared/faces/library/tools.ts', "import { toolInput } from '../../runtime/catalogue/manifest.ts'"],
    ['shared/faces/mcp/server.ts', "type App = import('../http/index.ts').HttpApp"],
    ['shared/faces/http/handlers/steps.ts', "export type { Mcp } from '../../mcp/index.ts'"],
    ['scripts/packages/index.ts', "import type { Manifest } from '../../shared/runtime/catalogue/manifest.ts'"],
    ['scripts/packages/index.ts', "import board from '../../integrations/work-board/manifest.ts'"],
    ['scripts/packages/openapi.ts', "import { toolInput } from '../../shared/runtime/catalogue/manifest.ts'"],
    ['scripts/packages/client/client.ts', "import { readFileSync } from 'node:fs'"],
    ['scripts/packages/client/client.ts', "import { readManifests } from '../manifests.ts'"],
    ['shared/somewhere/new.ts', ''],
  ])('finds a wrong import in %s: %s', (file, text) => {
    expect(wrongImports(readSource(file, text))).not.toEqual([])
  })

  it.each([
    ['integrations/a/steps/x.ts', "import wire from '../wire.ts'\nimport { z } from '#kit'"],
    ['shared/faces/mcp/server.ts', "import type { Caller } from '../../runtime/ports/index.ts'"],
    ['shared/faces/http/mcp.ts', "import { createEndpoint } from '../mcp/endpoint.ts'"],
  ])('accepts %s: %s', (file, text) => {
    expect(wrongImports(readSource(file, text))).toEqual([])
  })
})

describe('circles', () => {
  const planted = (names: string) => [
    readSource('shared/runtime/a.ts', `import ${names} from './b.ts'`),
    readSource('shared/runtime/b.ts', "const c = import('./c.ts')"),
    readSource('shared/runtime/c.ts', "import { kit } from '#kit'\nexport * from './a.ts'"),
    readSource('shared/runtime/d.ts', "import { a } from './a.ts'"),
  ]
  const circle = ['shared/runtime/a.ts', 'shared/runtime/b.ts', 'shared/runtime/c.ts']

  it('has none of values', () => expect(circlesOf(sources, { types: false })).toEqual([]))
  it('has none of types', () => {
    const open = ['shared/faces/mcp/server.ts']
    expect(circlesOf(sources, { types: true }).filter((circle) => !open.some((file) => circle.includes(file)))).toEqual(
      [],
    )
  })
  it('finds a circle of values', () => expect(circlesOf(planted('{ b }'), { types: false })).toEqual([circle]))
  it('finds a circle of types', () => {
    expect(circlesOf(planted('type { B }'), { types: false })).toEqual([])
    expect(circlesOf(planted('type { B }'), { types: true })).toEqual([circle])
  })
})

describe('words of one provider', () => {
  const words = /\b(boards?|cards?|shortLink|idBoard|idList|idModel)\b/i
  const findBoardWords = ({ file, text }: Source) =>
    text.split('\n').flatMap((line, index) => (words.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []))
  const mayHave = ['shared/sandbox', 'shared/demo', 'shared/store/migrations.ts']

  it('are in no shared file outside the sandbox, its demo and the migrations', () => {
    const checked = sources.filter(({ file }) => within(file, 'shared') && !mayHave.some((room) => within(file, room)))
    expect(checked.flatMap(findBoardWords)).toEqual([])
  })
  it('are found', () => {
    for (const line of ['// the lists of a Board', 'const idModel = 1', '--card: #fff', "'cards'"])
      expect(findBoardWords(readSource('shared/a.ts', `// ${line}`))).not.toEqual([])
    expect(findBoardWords(readSource('shared/a.ts', '// discards a cardinal clipboard'))).toEqual([])
  })
})

describe('doors', () => {
  const filesWith = (pattern: RegExp, all: Source[]) =>
    all.filter(({ text }) => pattern.test(text)).map(({ file }) => file)
  const environment = /process\.env/
  const undici = /from ['"]undici|require\(['"]undici/
  const fetch = /(?<![.\w])fetch\((?!ctx)/

  it('has one reader of the environment and one door to the network', () => {
    const shared = sources.filter(({ file }) => within(file, 'shared'))
    expect(filesWith(environment, shared).filter((file) => file !== 'shared/main.ts')).toEqual([])
    expect(filesWith(undici, shared)).toEqual(['shared/wire/exchange/transport.ts'])
    expect(
      filesWith(
        fetch,
        shared.filter(({ file }) => !within(file, 'shared/sandbox') && file !== 'shared/faces/console/api/client.ts'),
      ),
    ).toEqual([])
  })
  it('finds others', () => {
    const sourcesOf = (text: string) => [readSource('shared/a.ts', text)]
    expect(filesWith(environment, sourcesOf('const port = process.env.PORT'))).toEqual(['shared/a.ts'])
    expect(filesWith(undici, sourcesOf("import { request } from 'undici'"))).toEqual(['shared/a.ts'])
    expect(filesWith(fetch, sourcesOf("await fetch('https://example.com')"))).toEqual(['shared/a.ts'])
  })
})

describe('the gate to providers', () => {
  const gate = 'shared/runtime/gate'
  /** What takes the wire, or a part of it that reaches providers, by its type, and what takes it out of a gate. */
  const isWire = /\b(?:Wire|ProviderWire|providerWire|createWire)\b/
  const sends = /\b\w*[wW]ire\w*\.(?:exchange|preview|pageQuery|classify)\(/
  const importsOf = (text: string) => text.match(/^(?:import|export) [^'"]*from ['"][^'"]+['"]/gm) ?? []
  const besideIt = (all: Source[]) =>
    all
      .filter(({ file }) => within(file, 'shared/runtime') && !within(file, gate))
      .filter(({ text }) => importsOf(text).some((line) => isWire.test(line)) || sends.test(text))
      .map(({ file }) => file)

  it('is the only way there', () => expect(besideIt(sources)).toEqual([]))
  it.each([
    "import type { Reply, Wire } from '../../wire/types.ts'",
    "import type {\n  ProviderWire,\n} from '../../wire/types.ts'",
    "import { createWire } from '../../wire/index.ts'",
    "import { providerWire } from '../gate/pass.ts'",
    'const reply = await parts.wire.exchange(call)',
    'session.wire.preview(call)',
  ])('is not passed by: %s', (text) =>
    expect(besideIt([readSource('shared/runtime/steps/a.ts', text)])).toEqual(['shared/runtime/steps/a.ts']),
  )
})

describe('sizes', () => {
  const maxFileLines = 400
  const maxFunctionLines = 120
  const tooLong = ({ file, text, functions }: Source) => [
    ...(text.trimEnd().split('\n').length > maxFileLines ? [file] : []),
    ...functions
      .filter(({ lines }) => lines > maxFunctionLines)
      .map(({ line, lines }) => `${file}:${line} (${lines} lines)`),
  ]

  it('no file has more than 400 lines, and no function more than 120', () => {
    expect(sources.filter(({ file }) => !within(file, 'shared/sandbox')).flatMap(tooLong)).toEqual([])
  })
  it('finds a long file and a long function', () => {
    const body = (lines: number) => 'work()\n'.repeat(lines)
    expect(tooLong(readSource('shared/a.ts', body(400)))).toEqual([])
    expect(tooLong(readSource('shared/a.ts', body(401)))).toEqual(['shared/a.ts'])
    expect(tooLong(readSource('shared/a.ts', `const a = () => {\n${body(118)}}`))).toEqual([])
    expect(tooLong(readSource('shared/a.ts', `work()\nconst a = () => {\n${body(119)}}`))).toEqual([
      'shared/a.ts:2 (121 lines)',
    ])
  })
})
