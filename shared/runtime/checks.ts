import { isFailure } from '#kit'
import type { Audit } from './admin/audit.ts'
import type { Keys } from './admin/keys.ts'
import type { Limits } from './admin/limits.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { clockRemedy, describeClock, judgeClock } from './clock-difference.ts'
import type { AnyAccount } from './people/any-account.ts'
import type { Connection, Hook, Store, SubscriptionState } from './ports/index.ts'
import type { HookView } from './triggers/views.ts'
import type { Check } from '../api/resources/check.ts'

export type { Check }

/** Checks this installation over all tenants. Sends nothing to a provider. */
export type RunChecks = () => Promise<Check[]>

type CheckDependencies = {
  store: Store
  catalogue: Pick<Catalogue, 'list' | 'manifest'>
  keys: Pick<Keys, 'get'>
  audit: Pick<Audit, 'verify' | 'head' | 'backlog'>
  limits: Pick<Limits, 'of'>
  anyAccount: Pick<AnyAccount, 'uses'>
  viewHook(row: Hook): Pick<HookView, 'state' | 'stateReason'>
}

const maxListed = 50
/** Rows. A longer audit log takes seconds to verify; the operator verifies it on demand. */
const maxVerified = 5_000
const nearShare = 0.9
const megabyte = 2 ** 20

const ok = (id: string, title: string, detail: string): Check => ({ id, level: 'ok', title, detail, remedy: null })
const finding =
  (level: 'warning' | 'problem') =>
  (id: string, title: string, detail: string, remedy: string, about?: Check['about']): Check => ({
    id,
    level,
    title,
    detail,
    remedy,
    ...(about ? { about } : {}),
  })
const warning = finding('warning')
const problem = finding('problem')

const plural = (count: number, singular: string, many = `${singular}s`) => `${count} ${count === 1 ? singular : many}`
const of = (tenant: string) => (tenant === 'default' ? '' : ` of the tenant ${tenant}`)
/** The first `maxListed` results, and how many more there are. */
const atMost = (results: Check[]): Check[] =>
  results.length <= maxListed
    ? results
    : [
        ...results.slice(0, maxListed),
        { ...results[maxListed]!, detail: `And ${results.length - maxListed} more like these.` },
      ]

const checkStore = async ({ store }: CheckDependencies): Promise<Check[]> => {
  await store.check()
  return [ok('store', 'store', 'It can be read and written.')]
}

/** Different versions are no problem: servers are upgraded one after the other. */
const checkNodes = async ({ store: { cluster } }: CheckDependencies): Promise<Check[]> => {
  if (!cluster) return []
  const alive = (await cluster.members()).filter(({ isAlive }) => isAlive)
  const versions = [...new Set(alive.map(({ version }) => version).filter((version) => version !== ''))]
  const which = versions.length === 0 ? '' : ` (version ${versions.join(' and ')})`
  return [ok('nodes', 'servers', `${plural(alive.length, 'server')}${which} on this PostgreSQL database`)]
}

/** Checks the clocks of all servers, because the load balancer decides which server answers this check. */
const checkClocks = async ({ store: { cluster } }: CheckDependencies): Promise<Check[]> => {
  if (!cluster) return []
  const title = 'clocks'
  const results = (await cluster.members()).flatMap(({ node, isAlive, startedAt, clockAheadMs }) => {
    const verdict = clockAheadMs === null || !isAlive ? 'right' : judgeClock(clockAheadMs)
    if (verdict === 'right') return []
    const which = node === cluster.node ? 'This server' : `The server started at ${new Date(startedAt).toISOString()}`
    const detail = `${which} has a clock that is ${describeClock(clockAheadMs!)}.`
    return verdict === 'wrong'
      ? problem(`clock.${node}`, title, `${detail} It says that it is not ready.`, clockRemedy)
      : warning(`clock.${node}`, title, detail, clockRemedy)
  })
  return results.length > 0
    ? atMost(results)
    : [ok('clocks', title, 'Those of all servers agree with that of the database.')]
}

const checkKeys = async ({ keys }: CheckDependencies): Promise<Check[]> => {
  const title = 'stored secrets'
  const { present, previous, rows } = await keys.get()
  const lost = Object.entries(rows).filter(([id]) => id !== present && !previous.includes(id))
  if (lost.length === 0) {
    const sealed = Object.values(rows).reduce((sum, count) => sum + count, 0)
    return [ok('keys', title, `${sealed} sealed values, all with available keys`)]
  }
  const remedy = 'Add that key to TOOLYARD_OLD_MASTER_KEYS, or reconnect the accounts.'
  return lost.map(([id, count]) =>
    problem(`keys.${id}`, title, `${count} are sealed under the master key ${id}, which is missing.`, remedy, {
      kind: 'keys',
      tenant: null,
      id: null,
    }),
  )
}

/** Names the callers that the default account `any` still helps. */
const checkAnyAccount = async ({ anyAccount, store }: CheckDependencies): Promise<Check[]> => {
  const title = 'accounts of people'
  const remedy =
    'Let these callers name the person in "person" or an account in "connection", or bind their token to the person. The next version has no "any".'
  const results = await Promise.all(
    anyAccount.uses().map(async ({ tenant, token, integration }) => {
      const name = token === null ? undefined : (await store.tokens.get(tenant, token))?.name
      const who = token === null ? 'The host of the library' : `The token ${name === undefined ? token : `"${name}"`}`
      const detail = `${who}${of(tenant)} relied on TOOLYARD_DEFAULT_ACCOUNT=any: it named nobody and took a person's account of ${integration}.`
      return warning(`account.${tenant}.${token ?? 'library'}.${integration}`, title, detail, remedy)
    }),
  )
  return atMost(results)
}

const checkWire = async ({ catalogue }: CheckDependencies): Promise<Check[]> => {
  const checkOne = async (id: string): Promise<Check[]> => {
    const { wire, ready, steps } = await catalogue.manifest(id)
    const title = `settings of ${id}`
    const guesses = Object.keys(wire.assumed)
    const facts =
      guesses.length === 0
        ? []
        : [
            ok(
              `assumed.${id}`,
              `assumed facts of ${id}`,
              `${guesses.length} in the profile "${wire.profile}": ${guesses.join(', ')}`,
            ),
          ]
    const hasSeveral = wire.profiles.length > 1
    if (ready) {
      const without = steps.filter((step) => !step.ready).map((step) => step.id)
      const other = hasSeveral ? ` (TOOLYARD_PROFILES chooses another: ${wire.profiles.join(', ')})` : ''
      return [
        ok(
          `wire.${id}`,
          title,
          without.length === 0
            ? 'all set'
            : `all set; the profile "${wire.profile}" does not offer ${without.join(', ')}${other}`,
        ),
        ...facts,
      ]
    }
    // A missing field name is no problem: the field is just not offered.
    const unset = wire.unset.filter((setting) => !/\.fields\.[^.]+$/.test(setting))
    const some = unset.slice(0, 4).join(', ')
    const choose = hasSeveral ? ', or choose a profile that has them with TOOLYARD_PROFILES' : ''
    return [
      warning(
        `wire.${id}`,
        title,
        `${unset.length} are not set: ${some}${unset.length > 4 ? ', …' : ''}.`,
        `Set them in the file that TOOLYARD_WIRE names${choose}; docs/configuration.md shows how. Steps that need them fail with wire_unset.`,
      ),
      ...facts,
    ]
  }
  return (await Promise.all(catalogue.list().map(({ id }) => checkOne(id)))).flat()
}

/** Only a reconnect repairs these. */
const brokenStates: { [state in Connection['state']]?: string } = {
  needs_reconnect: 'has to be reconnected',
  revoked: 'was revoked at the provider',
}

const checkConnections = async ({ store }: CheckDependencies): Promise<Check[]> => {
  const rows = await store.connections.all()
  const bad = rows
    .filter(({ state }) => brokenStates[state] !== undefined)
    .map(({ id, tenant, name, integration, state, stateReason }) =>
      problem(
        `connection.${id}`,
        `connection "${name}"`,
        `This account of ${integration}${of(tenant)} ${brokenStates[state]}. ${stateReason ?? ''}`.trim(),
        'Ask its owner to reconnect it. Name, bindings and subscriptions are kept.',
        { kind: 'connection', tenant, id },
      ),
    )
  if (bad.length > 0) return atMost(bad)
  const unverified = rows.filter(({ state }) => state === 'unverified').length
  const verified = unverified === 0 ? '' : `; ${unverified} not verified yet (the first run verifies them)`
  return [
    ok(
      'connections',
      'connections',
      rows.length === 0 ? 'There are none yet.' : `${rows.length}; none needs to be reconnected${verified}`,
    ),
  ]
}

const checkHooks = async ({ store, viewHook }: CheckDependencies): Promise<Check[]> => {
  const rows = (await store.hooks.all()).filter(({ state }) => state !== 'deleting')
  const results = rows.flatMap((row) => {
    const { state, stateReason } = viewHook(row)
    const what = `${row.integration}, ${row.model}${of(row.tenant)}`
    if (state === 'broken' || state === 'failing')
      return problem(
        `hook.${row.id}`,
        'hooks',
        `${what}: ${stateReason ?? 'the provider does not deliver'}`,
        'Fix the cause; the server then registers the webhook again automatically.',
      )
    if (state !== 'wanted') return []
    return warning(
      `hook.${row.id}`,
      'hooks',
      `${what}: not registered yet${stateReason === null ? '' : `: ${stateReason}`}`,
      'Wait a minute. If this persists, the provider cannot reach the public address.',
    )
  })
  if (results.length > 0) return atMost(results)
  return [
    ok('hooks', 'hooks', rows.length === 0 ? 'No subscription needs one.' : `${rows.length} registered and working`),
  ]
}

/** Subscriptions that wait for an account are not listed: the check of the connection reports them. */
const brokenSubscriptions = {
  failing: [
    'its agent did not take the last start',
    'Repair the agent or its address. The next start that it takes makes the subscription active again.',
  ],
  paused_agent: [
    'its agent failed for days and was switched off',
    'Repair the agent, then resume the subscription: it gets what waited.',
  ],
  paused_model: [
    'what it watches is gone, or its account no longer sees it',
    'Open what it watches again, or let the account see it. It then goes on automatically.',
  ],
} satisfies { [state in SubscriptionState]?: [what: string, remedy: string] }

const checkSubscriptions = async ({ store }: CheckDependencies, tenants: string[]): Promise<Check[]> => {
  const results: Check[] = []
  for (const tenant of tenants) {
    for (const [state, [what, remedy]] of Object.entries(brokenSubscriptions) as [
      keyof typeof brokenSubscriptions,
      [string, string],
    ][]) {
      const { items } = await store.subscriptions.list(tenant, { limit: maxListed + 1 }, { state })
      for (const { id, integration, trigger, stateReason } of items) {
        const detail = `${integration}, ${trigger}${of(tenant)}: ${what}. ${stateReason ?? ''}`.trim()
        const about = { kind: 'subscription' as const, tenant, id }
        results.push(problem(`subscription.${id}`, 'subscriptions', detail, remedy, about))
      }
    }
  }
  return results.length > 0 ? atMost(results) : [ok('subscriptions', 'subscriptions', 'None fails.')]
}

const checkStarts = async ({ store }: CheckDependencies): Promise<Check[]> => {
  const { deadStarts } = await store.load()
  if (deadStarts === 0) return [ok('starts', 'agent starts', 'none failed for good')]
  const detail = `Failed for good, because the agent did not accept them: ${deadStarts}.`
  const about = { kind: 'starts' as const, tenant: null, id: null }
  return [warning('starts', 'agent starts', detail, 'Fix the agent, then replay them.', about)]
}

const checkUndecodable = async ({ store }: CheckDependencies, tenants: string[]): Promise<Check[]> => {
  const results: Check[] = []
  for (const tenant of tenants) {
    const { items, next } = await store.undecodable.list(tenant, { limit: maxListed })
    if (items.length === 0) continue
    const count = `${items.length}${next === undefined ? '' : ' or more'}`
    results.push(
      warning(
        `undecodable.${tenant}`,
        'deliveries',
        `${count} verified${of(tenant)} could not be decoded. The newest: ${items[0]!.reason}`,
        'Report it with GET /v1/undecodable: the provider sends something that this version does not know.',
      ),
    )
  }
  return results.length > 0 ? atMost(results) : [ok('undecodable', 'deliveries', 'all could be decoded')]
}

const checkAudit = async ({ audit }: CheckDependencies, tenants: string[]): Promise<Check[]> => {
  const title = 'audit log'
  const results: Check[] = []
  const { owed, oldestMs, dropped } = audit.backlog()
  if (owed > 0) {
    const detail = `${plural(owed, 'row')} could not be written yet, the oldest for ${Math.round(oldestMs / 1000)} s.`
    results.push(
      problem(
        'audit.owed',
        title,
        detail,
        'See the log of the server. Until they are written, the tenants they are of change nothing.',
      ),
    )
  }
  if (dropped > 0)
    results.push(
      warning(
        'audit.dropped',
        title,
        `${plural(dropped, 'row')} were dropped since the start.`,
        'The log of the server has each of them.',
      ),
    )
  let [rows, long] = [0, 0]
  for (const tenant of tenants) {
    const { seq } = await audit.head(tenant)
    rows += seq
    if (seq > maxVerified) {
      long += 1
      continue
    }
    const verdict = await audit.verify(tenant)
    if (verdict.ok) continue
    const remedy =
      'The database was changed from outside. Compare it with an exported copy or a backup: docs/operating.md shows how.'
    const detail = `It is broken at row ${verdict.seq}${of(tenant)}: ${verdict.reason}`
    results.push(problem(`audit.${tenant}`, title, detail, remedy, { kind: 'audit', tenant, id: null }))
  }
  const left = long === 0 ? '' : `; those of ${plural(long, 'tenant')} are too long to verify here`
  return results.length > 0 ? atMost(results) : [ok('audit', title, `${plural(rows, 'row')} so far, unchanged${left}`)]
}

const checkQuotas = async ({ store, limits }: CheckDependencies, tenants: string[]): Promise<Check[]> => {
  const connections = Map.groupBy(await store.connections.all(), ({ tenant }) => tenant)
  const results: Check[] = []
  for (const tenant of tenants) {
    const most = limits.of(tenant)
    const files = await store.files.usage(tenant)
    const used: [limit: keyof typeof most, used: number][] = [
      ['connections', connections.get(tenant)?.length ?? 0],
      ['subscriptions', await store.subscriptions.count(tenant)],
      ['files', files.files],
      ['filesMegabytes', Math.round(files.bytes / megabyte)],
      ['keyedMegabytes', Math.round((await store.intents.bytes(tenant)) / megabyte)],
    ]
    for (const [limit, count] of used) {
      const max = most[limit] ?? Infinity
      if (count < max * nearShare) continue
      const remedy = `Raise the limit "${limit}" of this tenant, or remove what is not needed.`
      const detail = `${count} of ${max} are used${of(tenant)}.`
      const about = { kind: 'limits' as const, tenant, id: null }
      results.push(warning(`quota.${tenant}.${limit}`, `limit of ${limit}`, detail, remedy, about))
    }
  }
  return results.length > 0 ? atMost(results) : [ok('quotas', 'limits of tenants', 'None is nearly reached.')]
}

const checks: [id: string, title: string, run: (parts: CheckDependencies, tenants: string[]) => Promise<Check[]>][] = [
  ['nodes', 'servers', checkNodes],
  ['clocks', 'clocks', checkClocks],
  ['keys', 'stored secrets', checkKeys],
  ['wire', 'settings', checkWire],
  ['account', 'accounts of people', checkAnyAccount],
  ['connections', 'connections', checkConnections],
  ['hooks', 'hooks', checkHooks],
  ['subscriptions', 'subscriptions', checkSubscriptions],
  ['starts', 'agent starts', checkStarts],
  ['undecodable', 'deliveries', checkUndecodable],
  ['audit', 'audit log', checkAudit],
  ['quotas', 'limits of tenants', checkQuotas],
]

/**
 * Checks of what only a running server knows about itself. `doctor` adds what the command line can check: environment,
 * files, and whether providers answer.
 */
export const createChecks =
  (parts: CheckDependencies): RunChecks =>
  async () => {
    const results: Check[] = []
    const attempt = async (id: string, title: string, run: () => Promise<Check[]>) => {
      try {
        results.push(...(await run()))
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown
        results.push(problem(id, title, thrown.message, 'See the log of the server.'))
      }
    }
    await attempt('store', 'store', () => checkStore(parts))
    const tenants = (await parts.store.tenants.list()).map(({ id }) => id)
    for (const [id, title, run] of checks) await attempt(id, title, () => run(parts, tenants))
    return results
  }
