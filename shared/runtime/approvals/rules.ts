import { randomUUIDv7 } from 'node:crypto'
import { describeDefect, fail, failField, isFailure } from '#kit'
import type { z } from '#kit'
import { requireToolSet } from '../catalogue/tool-sets.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { ApprovalRule, Clock, Cluster, Log, Store } from '../ports/index.ts'
import { operatorRules } from '../../api/resources/approval-rule.ts'
import type { ApprovalRule as RuleView } from '../../api/resources/approval-rule.ts'
import type { ApprovalRules } from './types.ts'

/** How many rules a tenant has at most. */
const maxRules = 200
/** How long what is read stays, in ms. `shared`: how long a process may miss a rule that another one made. */
const refreshMs = { shared: 2_000, own: 60_000 }

const ofOperator = ''
const iso = (at: number) => new Date(at).toISOString()

const viewRule = ({ tenant, id, name, when, by, expiresMinutes, createdAt, updatedAt }: ApprovalRule): RuleView => ({
  id,
  name,
  when,
  by,
  expiresMinutes,
  source: tenant === ofOperator ? 'operator' : 'workspace',
  createdAt: tenant === ofOperator ? null : iso(createdAt),
  updatedAt: tenant === ofOperator ? null : iso(updatedAt),
})

const absent = (id: string) => fail('not_found', `There is no approval rule "${id.slice(0, 60)}".`)

/** @throws Failure `invalid_input` for an integration, step or tool set that there is not */
const requireKnown = (
  registry: Registry,
  { when: { integrations = [], steps = [], toolSets = [] } }: Pick<ApprovalRule, 'when'>,
) => {
  for (const [index, id] of integrations.entries())
    if (!registry.all.some(({ integration }) => integration.id === id))
      throw failField(`/when/integrations/${index}`, `There is no integration "${id}".`)
  for (const [index, name] of steps.entries()) {
    const [integration, step] = name.split('/')
    const loaded = registry.all.find((candidate) => candidate.integration.id === integration)
    if (!loaded?.steps.has(step ?? ''))
      throw failField(`/when/steps/${index}`, `There is no step "${name}". Steps are named integration/step.`)
  }
  for (const [index, set] of toolSets.entries()) requireToolSet(registry.all, set, `/when/toolSets/${index}`)
}

/** The same for a rule that the operator has set: the message names the setting. */
const requireKnownOfOperator = (registry: Registry, rule: ApprovalRule) => {
  try {
    requireKnown(registry, rule)
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown
    throw fail('invalid_input', `TOOLYARD_APPROVAL_RULES (approvalRules), ${rule.id}: ${thrown.message}`)
  }
}

const operatorRulesOf = (registry: Registry, operator: RulesDependencies['operator']): ApprovalRule[] =>
  (operator ? operatorRules().parse(operator) : []).map(({ name = null, when, by, expiresMinutes }, index) => {
    const id = `operator-${index + 1}`
    const rule = { tenant: ofOperator, id, name, when, by, expiresMinutes, createdAt: 0, updatedAt: 0 }
    requireKnownOfOperator(registry, rule)
    return rule
  })

type RulesDependencies = {
  store: Pick<Store, 'approvalRules' | 'approvals' | 'connections'> & { cluster?: Pick<Cluster, 'tell'> | undefined }
  registry: Registry
  clock: Clock
  log: Log
  /** Rules for every tenant. */
  operator?: z.input<ReturnType<typeof operatorRules>> | undefined
}

export type RuleBook = ReturnType<typeof createRuleBook>

/**
 * The rules of all tenants, in memory: whether a run may be held is asked before each run, and costs nothing where
 * nobody wants to be asked.
 */
export const createRuleBook = ({ store, registry, clock, log, operator }: RulesDependencies) => {
  const everywhere = operatorRulesOf(registry, operator)
  let byTenant = new Map<string, ApprovalRule[]>()
  /** With rules, or with rows that a repeated call could find. */
  const concerned = new Set<string>()
  /** When a tenant was noted, by the number of the read that had begun last. */
  const notes = new Map<string, number>()
  const reads = { begun: 0, applied: 0, at: -Infinity }
  let isStale = false

  const read = async () => {
    reads.at = clock.monotonic()
    const place = (reads.begun += 1)
    const [rules, tenants] = await Promise.all([store.approvalRules.list(), store.approvals.tenants()])
    // An earlier read that took longer saw less.
    if (place < reads.applied) return
    reads.applied = place
    isStale = false
    byTenant = Map.groupBy(rules, ({ tenant }) => tenant)
    for (const [tenant, since] of notes) if (since < place) notes.delete(tenant)
    for (const tenant of concerned) if (!notes.has(tenant)) concerned.delete(tenant)
    for (const tenant of tenants) concerned.add(tenant)
  }
  const note = (tenant: string) => {
    notes.set(tenant, reads.begun)
    concerned.add(tenant)
  }
  /** Until the rules could be read again, each run of the tenant tries to. */
  const change = async <T>(tenant: string, write: () => Promise<T>): Promise<T> => {
    isStale = true
    note(tenant)
    const changed = await write()
    // Others read the rules every few seconds anyway.
    await store.cluster
      ?.tell({ kind: 'approvals', tenant, id: '' })
      .catch((error: unknown) => log('warn', 'approval_rules.not_told', describeDefect(error)))
    isStale = true
    await read()
    return changed
  }
  const find = async (tenant: string, id: string): Promise<ApprovalRule> => {
    const rule = everywhere.find((candidate) => candidate.id === id) ?? (await store.approvalRules.get(tenant, id))
    if (!rule) throw absent(id)
    return rule
  }
  const own = async (tenant: string, id: string): Promise<ApprovalRule> => {
    const rule = await find(tenant, id)
    if (rule.tenant !== ofOperator) return rule
    throw fail('not_allowed', `The operator has set "${id}" for every workspace (TOOLYARD_APPROVAL_RULES).`)
  }

  const requireConnections = async (tenant: string, { connections = [] }: ApprovalRule['when']) => {
    for (const [index, id] of connections.entries())
      if (!(await store.connections.get(tenant, id)))
        throw failField(`/when/connections/${index}`, `There is no connection "${id}". Name connections by their ids.`)
  }

  const verbs: ApprovalRules = {
    async list({ tenant }, { cursor }) {
      // All of them fit on a page.
      if (cursor !== undefined) return { items: [] }
      return { items: [...everywhere, ...(await store.approvalRules.list(tenant))].map(viewRule) }
    },
    get: async ({ tenant }, id) => viewRule(await find(tenant, id)),
    async create({ tenant }, { name = null, when, by, expiresMinutes }) {
      requireKnown(registry, { when })
      await requireConnections(tenant, when)
      const now = clock.now()
      const id = `rule_${randomUUIDv7()}`
      const rule = { tenant, id, name, when, by, expiresMinutes, createdAt: now, updatedAt: now }
      if (!(await change(tenant, () => store.approvalRules.add(rule, maxRules))))
        throw fail('conflict', `This workspace has ${maxRules} approval rules, which is the most. Delete one first.`)
      return viewRule(rule)
    },
    async patch({ tenant }, id, changes) {
      const { name, when, by, expiresMinutes, ...former } = await own(tenant, id)
      const rule: ApprovalRule = {
        ...former,
        name: changes.name === undefined ? name : changes.name,
        when: changes.when ?? when,
        by: changes.by ?? by,
        expiresMinutes: changes.expiresMinutes ?? expiresMinutes,
        updatedAt: clock.now(),
      }
      requireKnown(registry, rule)
      await requireConnections(tenant, rule.when)
      if (!(await change(tenant, () => store.approvalRules.change(rule)))) throw absent(id)
      return viewRule(rule)
    },
    async remove({ tenant }, id) {
      await own(tenant, id)
      if (!(await change(tenant, () => store.approvalRules.remove(tenant, id)))) throw absent(id)
    },
  }

  return {
    verbs,
    read,
    /** The tenants whose runs may be held, or wait already. */
    tenants: everywhere.length > 0 ? { has: (_: string) => true } : concerned,
    note,
    /** Whether a repeated call could find something of this tenant. */
    mayHaveRows: (tenant: string) => concerned.has(tenant),
    of: (tenant: string): readonly ApprovalRule[] => [...everywhere, ...(byTenant.get(tenant) ?? [])],
    /**
     * Reads the rules again where they could not be read after a change, where another process may have changed them,
     * or where tenants may have nothing left that waits.
     */
    async refresh(): Promise<void> {
      const age = clock.monotonic() - reads.at
      if (isStale || age >= (store.cluster ? refreshMs.shared : concerned.size > 0 ? refreshMs.own : Infinity))
        await read()
    },
  }
}
