import { isFailure, isInvalidInput, once, z } from '#kit'
import type { Store } from '../ports/index.ts'
import { isPersonId } from '../people/act-for.ts'
import type { People } from '../people/people.ts'

/** Whether a tenant or person that is not known yet is made when a claim first names it; else it is refused. */
export const firstUseSettings = once(() =>
  z.strictObject({ tenants: z.boolean().default(false), people: z.boolean().default(false) }).prefault({}),
)
export type FirstUse = z.infer<ReturnType<typeof firstUseSettings>>

/** What an identity provider says about somebody, by the name of the claim. */
export type Claims = Record<string, unknown>

/** Names of the claims that say who somebody is here and what they may do; absent: no claim says it. */
export type ClaimNames = {
  tenant?: string | undefined
  person?: string | undefined
  scopes?: string | undefined
  steps?: string | undefined
  connections?: string | undefined
}

/** Thrown for a claim that cannot be used. The reason is logged; whoever sent the claim does not learn it. */
export class WrongClaim extends Error {
  readonly claim: string
  /** For the log. */
  readonly code: string
  constructor(claim: string, says: string, code = 'wrong_claim') {
    super(says)
    this.claim = claim
    this.code = code
  }
}

/**
 * The list in a claim; undefined when the claim is absent. Any other value is an error, because it would otherwise mean
 * "no limit".
 */
export const listIn = (claims: Claims, name: string | undefined): string[] | undefined => {
  const value = name === undefined ? undefined : claims[name]
  if (name === undefined || value === undefined) return undefined
  if (typeof value === 'string') return value.split(' ').filter((part) => part !== '')
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value
  throw new WrongClaim(name, 'is neither a text nor a list of texts')
}

const tenantIn = (claims: Claims, name: string) => {
  const tenant = claims[name]
  if (typeof tenant === 'string') return tenant
  throw new WrongClaim(name, tenant === undefined ? 'is missing' : 'is no text')
}

const personIn = (claims: Claims, name: string) => {
  const person = claims[name]
  // Without a person the caller would act for nobody, and see what all people have.
  if (isPersonId(person)) return person
  throw new WrongClaim(name, person === undefined ? 'is missing' : 'is no id of a person')
}

/**
 * The tenant, person and rights in the claims; undefined where no claim is named for it.
 * @throws WrongClaim
 */
export const readClaims = (claims: Claims, names: ClaimNames) => ({
  tenant: names.tenant === undefined ? undefined : tenantIn(claims, names.tenant),
  person: names.person === undefined ? undefined : personIn(claims, names.person),
  scopes: listIn(claims, names.scopes),
  steps: listIn(claims, names.steps),
  connections: listIn(claims, names.connections),
})

type KnownDependencies = {
  names: ClaimNames
  firstUse: FirstUse
  store: Pick<Store, 'tenants'>
  /** Adds a tenant that a claim names for the first time. */
  addTenant(id: string): Promise<unknown>
  people: Pick<People, 'note' | 'isKnown'>
}

/**
 * Requires that a tenant and person are known, or makes them where the operator allows it.
 * @throws WrongClaim
 */
export const createRequireKnown = ({ names, firstUse, store, addTenant, people }: KnownDependencies) => {
  const requireTenant = async (tenant: string) => {
    if (await store.tenants.get(tenant)) return
    const claim = names.tenant ?? 'tenant'
    if (!firstUse.tenants) throw new WrongClaim(claim, 'names no tenant of this server', 'unknown_tenant')
    await addTenant(tenant).catch(async (thrown: unknown) => {
      // Another call, at the same time, was first.
      if (await store.tenants.get(tenant)) return
      throw isFailure(thrown) && isInvalidInput(thrown) ? new WrongClaim(claim, thrown.message.slice(0, 200)) : thrown
    })
  }
  return async (tenant: string, person: string | undefined): Promise<void> => {
    await requireTenant(tenant)
    if (person === undefined) return
    if (firstUse.people) people.note(tenant, person)
    else if (!(await people.isKnown(tenant, person)))
      throw new WrongClaim(names.person ?? 'person', 'names no person of this tenant', 'unknown_person')
  }
}
