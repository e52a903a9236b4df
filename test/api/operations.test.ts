import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import type { Operation } from '../../shared/api/operation.ts'
import { allScopes } from '../../shared/api/rules.ts'
import type { BoundRule, OperationId, Scope } from '../../shared/api/rules.ts'
import { digest } from '../../shared/runtime/oauth/secrets.ts'
import { code, granted } from '../store/make.ts'
import { accessOf } from './access.ts'
import { allOperations } from './answers.ts'
import { endless, failing, openObjects, tenant } from './objects.ts'
import type { Ids } from './objects.ts'

/**
 * Every operation, by every kind of caller, on objects that somebody else made. What is expected follows from
 * `access.ts` and from `bound` of the operation; a new operation is tried without being named here, unless it needs a
 * body.
 */
const { clock, face, store, furnish, requestOf, spare } = await openObjects()
const { pack } = face
afterAll(() => face.close())

const scopes: Scope[] = [...allScopes]
await pack.tenants.create({ id: 'blue', name: 'Blue' })

type Answer = { status: number; code: unknown; text: string; ids: Ids }
const tryAs = async (operation: Operation, token: string): Promise<Answer> => {
  const ids = await furnish()
  const [url, request] = requestOf(operation, ids)
  const { status, json, text } = await face.ask(url, { ...request, token })
  return { status, code: (json as { code?: unknown } | undefined)?.code, text, ids }
}
/**
 * Messages repeat what the caller wrote; budgets of connections beside the usage are those that GET /v1/budgets lists.
 */
const repeated = /"(?:message|detail)":"(?:[^"\\]|\\.)*"|"budgets":\[.*/g
const namesTheirs = ({ status, text, ids }: Answer) => {
  const shown = text.replace(repeated, '')
  return status < 300 ? [...Object.values(ids), 'Theirs'].filter((id) => shown.includes(id)) : []
}

const token = async (bounds: object, of: Scope[] = scopes) =>
  (await pack.tokens.create(tenant, { name: 'Caller', scopes: of, ...bounds })).text
/** The scopes that a program can be given at the API. */
const ofPrograms: Scope[] = ['run', 'connections', 'subscriptions', 'read']
/** An access token of a program that somebody let do all that they may. */
const programToken = async (of: Scope[]) => {
  const [id, text] = [`grant_${randomUUID()}`, `tya_${randomUUID()}`]
  const rights = { scopes: of, person: null, expiresAt: clock.now() + 3_600_000 }
  const expiresAt = clock.now() + 600_000
  await store.grants.add(granted(tenant, id, rights, { resource: '/v1' }), code(tenant, id), {
    open: 9_999,
    unredeemed: 9_999,
  })
  const renewal = { family: `family-${id}`, newest: `newest-${id}`, expiresAt }
  const access = { hash: digest(text), tenant, grantId: id, expiresAt }
  await store.grants.begin(code(tenant, id), renewal, access, clock.now())
  return text
}
const revokedOf = async () => {
  const expiresAt = clock.now() + 2_000
  const { text, token: row } = await pack.tokens.create(tenant, { name: 'Ended', scopes, expiresAt })
  clock.advance(2_000)
  return [text, row.id] as const
}

/** What a bound caller meets: `open`, as any other; `hidden`, as if what it names were not there; `refused`. */
type Meets = 'open' | 'hidden' | 'refused'
const meets: { [bound in BoundRule]: { steps: Meets; connections: Meets; person: Meets; program: Meets } } = {
  tenant: { steps: 'open', connections: 'open', person: 'open', program: 'open' },
  step: { steps: 'refused', connections: 'hidden', person: 'hidden', program: 'open' },
  'step-and-connection': { steps: 'hidden', connections: 'hidden', person: 'hidden', program: 'open' },
  connection: { steps: 'open', connections: 'hidden', person: 'hidden', program: 'open' },
  trigger: { steps: 'refused', connections: 'hidden', person: 'hidden', program: 'open' },
  own: { steps: 'hidden', connections: 'hidden', person: 'hidden', program: 'open' },
  'not-steps': { steps: 'refused', connections: 'hidden', person: 'hidden', program: 'refused' },
  'not-connections': { steps: 'open', connections: 'refused', person: 'open', program: 'open' },
  workspace: { steps: 'open', connections: 'refused', person: 'refused', program: 'refused' },
  person: { steps: 'refused', connections: 'refused', person: 'hidden', program: 'open' },
  grant: { steps: 'hidden', connections: 'hidden', person: 'hidden', program: 'hidden' },
  unbound: { steps: 'refused', connections: 'refused', person: 'refused', program: 'refused' },
}
/** Signing in to the console, which needs a token that somebody holds. */
const forPeople = new Set(['createSignInCode'])
/**
 * Of the scopes that open it, only the first: who may attach triggers reads their choices whatever steps it is bound
 * to.
 */
const scopesFor = ({ bound }: Operation): Scope[] => (bound === 'trigger' ? ['run'] : scopes)

const expectMeeting = async (operation: Operation, answer: Answer, expected: Meets, of = scopesFor(operation)) => {
  if (expected === 'refused') return expect([answer.status, answer.code]).toEqual([403, 'not_allowed'])
  if (expected === 'hidden') {
    if (answer.status >= 300) expect([answer.status, answer.code]).toEqual([404, 'not_found'])
    return expect(namesTheirs(answer)).toEqual([])
  }
  const free = await tryAs(operation, await token({}, of))
  return expect([answer.status, answer.code]).toEqual([free.status, free.code])
}

describe('access', () => {
  it('is what is written down beside this test', () => {
    const stated: { [access: string]: string[] } = {}
    for (const { id, access } of allOperations)
      (stated[typeof access === 'string' ? access : access.join(' ')] ??= []).push(id)
    for (const ids of Object.values(stated)) ids.sort()
    expect(stated).toEqual(accessOf)
  })
})

describe.each(allOperations.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  const { access, bound } = operation
  it.runIf(access !== 'public')('is refused to an expired token, and to none', async () => {
    const [ended] = await revokedOf()
    for (const text of [ended, 'none']) expect((await tryAs(operation, text)).status).toBe(401)
  })
  it.runIf(Array.isArray(access))('is refused to a token without one of its scopes', async () => {
    const lacking = await token(
      {},
      scopes.filter((scope) => !access.includes(scope)),
    )
    expect(await tryAs(operation, lacking)).toMatchObject({ status: 403, code: 'not_allowed' })
  })
  if (endless.has(operation.id) || access === 'public') return
  it('is open to a token with any one of its scopes', async () => {
    for (const scope of access === 'any' ? scopes : access) {
      const { status, code, text } = await tryAs(operation, await token({}, [scope]))
      expect([401, 429, 500]).not.toContain(status)
      expect([status, code === 'not_allowed' && /lacks permission/.test(text)]).not.toEqual([403, true])
    }
  })
  it('goes well with a token that is bound to nothing', async () => {
    const { status, text } = await tryAs(operation, await token({}))
    expect(status < 300 ? undefined : status, text.slice(0, 400)).toBe(failing[operation.id as OperationId])
  })
  it.each([
    ['a step', { steps: ['work-board/get-card'] }],
    ['a tool set', { toolSet: 'read' }],
  ])('by a token that is bound to %s', async (_name, bounds) => {
    await expectMeeting(
      operation,
      await tryAs(operation, await token(bounds, scopesFor(operation))),
      meets[bound].steps,
    )
  })
  it('by a token that is bound to another connection', async () => {
    await expectMeeting(
      operation,
      await tryAs(operation, await token({ connections: [spare] }, scopesFor(operation))),
      meets[bound].connections,
    )
  })
  it('by a token that acts for another person', async () => {
    await expectMeeting(
      operation,
      await tryAs(operation, await token({ person: 'ann' }, scopesFor(operation))),
      meets[bound].person,
    )
  })
  it('by a program that somebody let do all that they may', async () => {
    const of = scopesFor(operation).filter((scope) => ofPrograms.includes(scope))
    const isOpen = access === 'any' || access.some((scope) => of.includes(scope))
    const expected = isOpen && !forPeople.has(operation.id) ? meets[bound].program : 'refused'
    await expectMeeting(operation, await tryAs(operation, await programToken(of)), expected, of)
  })
  it.runIf(bound !== 'tenant')('by another tenant', async () => {
    const { text } = await pack.tokens.create('blue', {
      name: 'Blue',
      scopes: scopes.filter((scope) => scope !== 'admin' && scope !== 'metrics'),
    })
    const answer = await tryAs(operation, text)
    expect(namesTheirs(answer)).toEqual([])
    if (/[a-z]\/\{id\}/.test(operation.path) && !operation.path.includes('/integrations/{id}'))
      expect(answer.status).toBe(404)
  })
})
