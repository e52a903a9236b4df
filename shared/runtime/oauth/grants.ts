import { fail, failField } from '#kit'
import type { Grant as GrantView, GrantChanges } from '../../api/resources/grant.ts'
import type { Scope } from '../../api/rules.ts'
import type { Audit } from '../admin/audit.ts'
import { endOf } from '../admin/tokens.ts'
import { isBound, mayCall } from '../bounds.ts'
import { isBoundToPerson } from '../people/act-for.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { Budget, Caller, Clock, GrantedToken, Listed, Log, Page, Store } from '../ports/index.ts'
import { rightsAfter } from './grant-rights.ts'

export type { GrantView, GrantChanges }

export type Grants = {
  /**
   * Newest first. Everybody sees their own: what their token signed, and what is for their person; a program sees
   * itself. Those of others are for tokens that are bound to nothing.
   */
  list(caller: Caller, page: Page & { person?: string | undefined }): Promise<Listed<GrantView>>
  /** @throws Failure `not_found` */
  get(caller: Caller, id: string): Promise<GrantView>
  /**
   * Takes something away from a grant, at once.
   * @throws Failure `not_found`; `not_allowed` for one of others without the scope for them; `invalid_input` for more than
   * it has; `conflict` when others narrow it too
   */
  patch(caller: Caller, id: string, changes: GrantChanges): Promise<GrantView>
  /** Ends a grant: its tokens are refused at once. */
  remove(caller: Caller, id: string): Promise<void>
}

type GrantsDependencies = {
  store: Pick<Store, 'grants' | 'tokens' | 'budgets'>
  registry: Pick<Registry, 'all'>
  clock: Pick<Clock, 'now'>
  audit: Pick<Audit, 'changed'>
  log: Log
  limitCredits(tenant: string, id: string, credits: number): Promise<unknown>
}

/** Attempts to narrow a grant that others narrow at the same time. */
const maxTries = 3
const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

/** Whether it is the caller's: they signed it, it is for their person, or they are the program. */
const isOwn = (caller: Caller, { grant, token }: GrantedToken) => {
  if (caller.token !== undefined && (caller.token === grant.id || caller.token === grant.signedBy)) return true
  return !caller.program && isBoundToPerson(caller) && caller.person === token.person
}

/** Whether the caller is let at the grants of others, by one of these scopes. */
const mayOthers = (caller: Caller, access: readonly [Scope, ...Scope[]]) =>
  !caller.program && !isBound(caller) && !isBoundToPerson(caller) && mayCall(caller, { access })
const seesOthers = (caller: Caller) => mayOthers(caller, ['connections', 'read'])

export const createGrants = ({ store, registry, clock, audit, log, limitCredits }: GrantsDependencies) => {
  /** The smallest: two requests at once may each have set one. */
  const budgetOf = (budgets: Budget[], id: string): Budget | undefined =>
    budgets
      .filter(({ scope, subject }) => scope === 'token' && subject === id)
      .toSorted((a, b) => a.credits - b.credits)[0]

  const view = ({ grant, token }: GrantedToken, budgets: Budget[]): GrantView => ({
    id: grant.id,
    client: { id: grant.client, name: grant.clientName, host: grant.clientHost },
    resource: grant.resource,
    scopes: grant.scopes,
    steps: token.steps,
    connections: token.connections,
    person: token.person ?? null,
    who: grant.who,
    monthlyCredits: budgetOf(budgets, grant.id)?.credits ?? null,
    createdAt: iso(grant.createdAt)!,
    lastUsedAt: iso(grant.lastUsedAt),
    expiresAt: iso(token.expiresAt)!,
  })

  const mustGet = async (caller: Caller, id: string): Promise<GrantedToken> => {
    const granted = await store.grants.get(caller.tenant, id)
    const isOpen = granted && endOf(granted.token, clock.now()) === undefined
    if (isOpen && (isOwn(caller, granted) || seesOthers(caller))) return granted
    throw fail('not_found', `There is no grant "${id.slice(0, 60)}".`)
  }

  const mustGetToChange = async (caller: Caller, id: string): Promise<GrantedToken> => {
    const granted = await mustGet(caller, id)
    if (isOwn(caller, granted) || mayOthers(caller, ['connections'])) return granted
    throw fail(
      'not_allowed',
      'Somebody else let this program in. To change that, use a token with the scope "connections".',
    )
  }

  const end = async (tenant: string, id: string): Promise<boolean> => {
    const granted = await store.grants.get(tenant, id)
    if (!granted || granted.token.revokedAt !== null) return false
    await store.tokens.revoke(tenant, id, clock.now())
    const budget = budgetOf(await store.budgets.list(tenant), id)
    if (budget) await store.budgets.remove(tenant, budget.id)
    return true
  }

  /** Ends what a token signed, once that token has ended for good. */
  const endSignedBy = async (tenant: string, signer: string): Promise<void> => {
    for (;;) {
      const { items } = await store.grants.list(tenant, { limit: 100 }, clock.now(), { own: { token: signer } })
      if (items.length === 0) return
      for (const { grant } of items) {
        if (!(await end(tenant, grant.id))) continue
        const reason = 'the token that signed it was revoked'
        log('warn', 'grant.ended', { id: grant.id, client: grant.client.slice(0, 100), reason })
        await audit.changed({ tenant, token: grant.id }, { what: 'grants.end', decision: `${grant.id}: ${reason}` })
      }
    }
  }

  const get = async (caller: Caller, id: string): Promise<GrantView> =>
    view(await mustGet(caller, id), await store.budgets.list(caller.tenant))

  /** Narrows a grant as it is now; false when somebody else narrows it at the same time. */
  const narrow = async (caller: Caller, id: string, changes: GrantChanges): Promise<boolean> => {
    const { tenant } = caller
    const granted = await mustGet(caller, id)
    const { monthlyCredits } = changes
    const budget = monthlyCredits === undefined ? undefined : budgetOf(await store.budgets.list(tenant), id)
    if (monthlyCredits !== undefined && budget && monthlyCredits > budget.credits)
      throw failField(
        'monthlyCredits',
        `The grant may spend ${budget.credits} credits a month, and not more. A grant can only be narrowed.`,
      )
    const { rights, scopes } = rightsAfter(registry, granted, changes)
    if (!(await store.grants.narrow(granted.grant, rights, scopes))) return false
    if (monthlyCredits === undefined) return true
    if (budget) return store.budgets.lower(tenant, budget.id, monthlyCredits, clock.now())
    await limitCredits(tenant, id, monthlyCredits)
    return true
  }

  const verbs: Grants = {
    async list(caller, { person, ...page }) {
      const own = {
        token: caller.token ?? '',
        person: isBoundToPerson(caller) && !caller.program ? caller.person : undefined,
      }
      const of = seesOthers(caller) ? { person: person ?? caller.person } : { person, own }
      const { items, next } = await store.grants.list(caller.tenant, page, clock.now(), of)
      const budgets = await store.budgets.list(caller.tenant)
      return { items: items.map((granted) => view(granted, budgets)), ...(next === undefined ? {} : { next }) }
    },
    get,
    async patch(caller, id, changes) {
      await mustGetToChange(caller, id)
      for (let left = maxTries; left > 0; left -= 1) if (await narrow(caller, id, changes)) return get(caller, id)
      throw fail('conflict', 'The grant is being narrowed by others. Look at it, and try again.')
    },
    async remove(caller, id) {
      await mustGetToChange(caller, id)
      await end(caller.tenant, id)
    },
  }
  return { verbs, end, endSignedBy }
}
