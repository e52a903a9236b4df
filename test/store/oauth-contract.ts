import { describe, expect, test } from 'vitest'
import type { OAuthClient, Store } from '../../shared/runtime/ports/index.ts'
import { code, granted, t0, token } from './make.ts'

const page = { limit: 9 }
const most = { open: 9, unredeemed: 9 }
const client = (id: string, over: Partial<OAuthClient> = {}): OAuthClient => ({
  id,
  name: 'Host',
  redirectUris: ['http://127.0.0.1/callback'],
  secretHash: 'ab',
  createdAt: t0,
  expiresAt: t0 + 100,
  ...over,
})

const first = (n: string) => ({ family: `fam-${n}`, newest: `n${n}`, expiresAt: t0 + 2e12 })
const access = (tenant: string, hash: string) => ({ hash, tenant, grantId: 'g', expiresAt: t0 + 600_000 })

/** Clients, what people let them do, and their codes and tokens: each is used once, and found until it ends. */
export const oauthContract = (store: () => Store): void => {
  describe('clients that people let in', () => {
    test('are kept until they expire, unless they are used, and are at most so many', async () => {
      const { oauthClients } = store()
      await oauthClients.add(client('unused', { expiresAt: t0 + 50 }), 2)
      await oauthClients.add(client('two'), 2)
      expect(await oauthClients.get('unused', t0)).toBeDefined()
      await oauthClients.extend('two', t0 + 900)
      // What expires first makes room: nobody has used it for longest.
      await oauthClients.add(client('one'), 2)
      expect(await oauthClients.get('unused', t0)).toBeUndefined()
      expect(await oauthClients.get('two', t0)).toEqual(client('two', { expiresAt: t0 + 900 }))
      expect(await oauthClients.get('one', t0)).toEqual(client('one'))
      expect(await oauthClients.get('one', t0 + 100)).toBeUndefined()
      await oauthClients.extend('one', t0 + 900)
      await oauthClients.extend('one', t0 + 500)
      expect((await oauthClients.get('one', t0 + 800))!.expiresAt).toBe(t0 + 900)
    })

    test('have grants with their rights, listed newest first until they end, each by its own tenant', async () => {
      const { grants, tokens } = store()
      for (const [n, person] of ['ann', 'bea', null].entries())
        await grants.add(granted('gr', `g${n}`, { person }, { createdAt: t0 + n }), code('gr', `g${n}`), most)
      const present = granted('gr', 'g1', { person: 'bea' }, { createdAt: t0 + 1 })
      expect(await grants.get('gr', 'g1')).toEqual(present)
      expect(await grants.get('gr-other', 'g1')).toBeUndefined()
      const idsOf = (listed: Awaited<ReturnType<typeof grants.list>>) => listed.items.map(({ grant }) => grant.id)
      const first = await grants.list('gr', { limit: 2 }, t0)
      expect(idsOf(first)).toEqual(['g2', 'g1'])
      expect(idsOf(await grants.list('gr', { limit: 2, cursor: first.next! }, t0))).toEqual(['g0'])
      expect(idsOf(await grants.list('gr', page, t0, { person: 'bea' }))).toEqual(['g1'])
      await grants.add(
        granted('gr', 'g3', { person: 'cem' }, { createdAt: t0 + 3, signedBy: 'tok' }),
        code('gr', 'g3'),
        most,
      )
      const ownOf = async (token: string, owner?: string, of = {}) =>
        idsOf(await grants.list('gr', page, t0, { own: { token, person: owner }, ...of }))
      expect(await ownOf('tok')).toEqual(['g3'])
      expect(await ownOf('g2')).toEqual(['g2'])
      expect(await ownOf('tok', 'bea')).toEqual(['g3', 'g1'])
      expect(await ownOf('tok', 'bea', { person: 'bea' })).toEqual(['g1'])
      expect(await ownOf('none')).toEqual([])
      await tokens.revoke('gr', 'g3', t0)
      expect(idsOf(await grants.list('gr-other', page, t0))).toEqual([])
      await tokens.revoke('gr', 'g1', t0)
      expect(idsOf(await grants.list('gr', page, t0))).toEqual(['g2', 'g0'])
      expect(idsOf(await grants.list('gr', page, t0 + 2e12))).toEqual([])
      await grants.touch('gr', 'g2', t0 + 5)
      expect((await grants.get('gr', 'g2'))!.grant.lastUsedAt).toBe(t0 + 5)
    })

    test('whose codes nobody redeems are so many for each signer: older ones are forgotten, and what hangs on them', async () => {
      const { grants, tokens, budgets } = store()
      const max = { open: 9, unredeemed: 2 }
      const add = (id: string, n: number, signedBy: string | null = 'ann') =>
        grants.add(granted('un', id, {}, { signedBy, createdAt: t0 + n }), code('un', id), max)
      await add('redeemed', 0)
      await grants.begin(code('un', 'redeemed'), first('un'), { ...access('un', 'access-un'), grantId: 'redeemed' }, t0)
      await add('of-bea', 1, 'bea')
      await add('of-nobody', 2, null)
      await add('first', 3)
      const about = {
        scope: 'token' as const,
        subject: 'first',
        integration: null,
        credits: 1,
        period: 'month' as const,
      }
      const budget = {
        tenant: 'un',
        id: 'limit',
        ...about,
        timeZone: 'UTC',
        warnAt: null,
        createdAt: t0,
        updatedAt: t0,
      }
      await budgets.put(budget)
      await budgets.open(budget, { startsAt: t0 - 5, endsAt: t0 + 5 })
      expect([await add('second', 4), await add('third', 5), await add('fourth', 6, null)]).toEqual([true, true, true])
      const { items } = await grants.list('un', page, t0)
      expect(items.map(({ grant }) => grant.id)).toEqual([
        'fourth',
        'third',
        'second',
        'of-nobody',
        'of-bea',
        'redeemed',
      ])
      expect(await tokens.get('un', 'first')).toBeUndefined()
      expect(await grants.code(code('un', 'first').hash, t0)).toBeUndefined()
      expect(await grants.code(code('un', 'second').hash, t0)).toBeDefined()
      expect([await budgets.list('un'), await budgets.periods('un', t0)]).toEqual([[], []])
    })

    test('are at most so many for each signer until they end, of however many that are added at once', async () => {
      const { grants, tokens } = store()
      const max = { open: 2, unredeemed: 9 }
      const add = (id: string, signedBy = 'ann') => grants.add(granted('ma', id, {}, { signedBy }), code('ma', id), max)
      const added = await Promise.all(['g0', 'g1', 'g2', 'g3'].map((id) => add(id)))
      expect(added).toEqual([true, true, false, false])
      expect(await tokens.get('ma', 'g2')).toBeUndefined()
      expect(await grants.get('ma', 'g2')).toBeUndefined()
      expect(await grants.code(code('ma', 'g2').hash, t0)).toBeUndefined()
      expect(await add('of-bea', 'bea')).toBe(true)
      await tokens.revoke('ma', 'g0', t0)
      expect(await add('g4')).toBe(true)
    })

    test('are narrowed, but not once they have ended', async () => {
      const { grants, tokens } = store()
      await grants.add(granted('na', 'g'), code('na', 'g'), most)
      const former = { tenant: 'na', id: 'g', revision: 0 }
      const scopes: ['run'] = ['run']
      const narrowed = await Promise.all([
        grants.narrow(former, { steps: ['work-board/get-card'], scopes }, { scopes }),
        grants.narrow(former, { steps: ['work-board/get-board'] }, { scopes: ['read'] }),
      ])
      expect(narrowed).toEqual([true, false])
      expect(await grants.get('na', 'g')).toMatchObject({
        token: { steps: ['work-board/get-card'], scopes },
        grant: { scopes, revision: 1 },
      })
      expect(await grants.narrow(former, { steps: [] }, {})).toBe(false)
      const present = { ...former, revision: 1 }
      expect(await grants.narrow({ ...present, tenant: 'na-other' }, { steps: [] }, {})).toBe(false)
      await tokens.revoke('na', 'g', t0)
      expect(await grants.narrow(present, { steps: [] }, {})).toBe(false)
      expect(await grants.narrow(present, {}, { scopes: [] })).toBe(false)
      expect((await grants.get('na', 'g'))!.token.steps).toEqual(['work-board/get-card'])
    })

    test('leave no limit of credits behind when they end, nor its periods; others stay', async () => {
      const { grants, tokens, budgets, prune } = store()
      await tokens.add(token('bu', 'tok', { revokedAt: null, expiresAt: t0 - 1 }))
      await grants.add(granted('bu', 'over', { expiresAt: t0 - 1 }), code('bu', 'over'), most)
      await grants.add(granted('bu', 'used'), code('bu', 'used'), most)
      const ended = { ...first('bu'), expiresAt: t0 - 1 }
      await grants.begin(code('bu', 'used'), ended, { ...access('bu', 'access-bu'), grantId: 'used' }, t0)
      await grants.add(granted('bu', 'open'), code('bu', 'open'), most)
      for (const subject of ['over', 'used', 'open', 'tok']) {
        const about = { scope: 'token' as const, subject, integration: null, credits: 1, period: 'month' as const }
        const budget = { tenant: 'bu', id: `of-${subject}`, ...about, timeZone: 'UTC', warnAt: null }
        await budgets.put({ ...budget, createdAt: t0, updatedAt: t0 })
        await budgets.open({ ...budget, createdAt: t0, updatedAt: t0 }, { startsAt: t0 - 5, endsAt: t0 + 5 })
      }
      const kept = { payloads: 0, starts: 0, deleted: 0, runs: 0, ownWrites: 0, audit: 0, gaps: 0 }
      for (let more = true; more;) ({ more } = await prune({ now: t0, ...kept, limit: 2000 }))
      expect((await budgets.list('bu')).map(({ id }) => id).toSorted()).toEqual(['of-open', 'of-tok'])
      expect((await budgets.periods('bu', t0)).map(({ budget }) => budget).toSorted()).toEqual(['of-open', 'of-tok'])
      // Nobody redeemed its code, so no run names it.
      expect(await grants.get('bu', 'over')).toBeUndefined()
      expect(await tokens.get('bu', 'over')).toBeUndefined()
      expect(await grants.get('bu', 'used')).toBeDefined()
    })

    test('a code gives tokens once, and its second use is seen as long as the first access token lasts', async () => {
      const { grants, prune } = store()
      await grants.add(granted('co', 'g'), code('co', 'g'), most)
      await grants.add(granted('co', 'late'), code('co', 'late'), most)
      expect(await grants.code(code('co', 'late').hash, t0 + 60_000)).toBeUndefined()
      const present = code('co', 'g')
      expect(await grants.code(present.hash, t0)).toEqual({ code: present, isUsed: false })
      const both = await Promise.all(
        ['1', '2'].map((n) => grants.begin(present, first(n), access('co', `access-co-${n}`), t0)),
      )
      expect(both).toEqual([true, false])
      expect((await grants.get('co', 'g'))!.grant).toMatchObject({ family: 'fam-1', newest: 'n1' })
      expect(await grants.byAccess('access-co-1', t0)).toBeDefined()
      expect(await grants.byAccess('access-co-2', t0)).toBeUndefined()
      expect((await grants.code(present.hash, t0))!.isUsed).toBe(true)
      const prunedAt = async (now: number) => {
        const kept = { payloads: 0, starts: 0, deleted: 0, runs: 0, ownWrites: 0, audit: 0, gaps: 0 }
        for (let more = true; more;) ({ more } = await prune({ now, ...kept, limit: 2000 }))
        return grants.code(present.hash, now)
      }
      expect(await prunedAt(t0 + 599_999)).toMatchObject({ isUsed: true })
      expect(await prunedAt(t0 + 600_000)).toBeUndefined()
      expect(await grants.code('none', t0)).toBeUndefined()
    })

    test('the newest refresh token is replaced once, with an access token', async () => {
      const { grants, tokens } = store()
      await grants.add(granted('re', 'g'), code('re', 'g'), most)
      expect(await grants.begin(code('re', 'g'), first('re'), access('re', 'access-re'), t0)).toBe(true)
      expect((await grants.byFamily('fam-re'))!.grant).toMatchObject({ id: 'g', newest: 'nre' })
      expect((await grants.get('re', 'g'))!.token.expiresAt).toBe(t0 + 2e12)
      expect(await grants.byFamily('fam-none')).toBeUndefined()
      const rotated = await Promise.all(
        ['n2', 'n3'].map((newest) =>
          grants.rotate('nre', { newest, expiresAt: t0 + 3e12 }, access('re', `access-${newest}`)),
        ),
      )
      expect(rotated).toEqual([true, false])
      expect((await grants.get('re', 'g'))!.token.expiresAt).toBe(t0 + 3e12)
      expect(await grants.byAccess('access-n2', t0)).toBeDefined()
      expect(await grants.byAccess('access-n3', t0)).toBeUndefined()
      await grants.add(granted('re', 'ended'), code('re', 'ended'), most)
      await tokens.revoke('re', 'ended', t0)
      expect(
        await grants.begin(code('re', 'ended'), first('end'), { ...access('re', 'access-end'), grantId: 'ended' }, t0),
      ).toBe(false)
    })

    test('what cannot be written as a whole uses up neither a code nor a refresh token', async () => {
      const { grants } = store()
      await grants.add(granted('wh', 'g'), code('wh', 'g'), most)
      const taken = access('wh', 'access-wh')
      expect(await grants.begin(code('wh', 'g'), first('wh'), taken, t0)).toBe(true)
      await grants.add(granted('wh', 'other'), code('wh', 'other'), most)
      const ofOther = { ...taken, grantId: 'other' }
      await expect(grants.begin(code('wh', 'other'), first('wh2'), ofOther, t0)).rejects.toThrow()
      expect((await grants.code(code('wh', 'other').hash, t0))!.isUsed).toBe(false)
      const next = { newest: 'n2', expiresAt: t0 + 3e12 }
      await expect(grants.rotate('nwh', next, taken)).rejects.toThrow()
      expect(await grants.get('wh', 'g')).toMatchObject({ grant: { newest: 'nwh' }, token: { expiresAt: t0 + 2e12 } })
      expect(await grants.rotate('nwh', next, access('wh', 'access-wh-2'))).toBe(true)
    })

    test('an access token leads to its grant and to the end of who signed it, until it expires or is removed', async () => {
      const { grants, tokens } = store()
      await tokens.add(token('ac', 'signer', { revokedAt: null, expiresAt: null }))
      await grants.add(granted('ac', 'g', {}, { signedBy: 'signer' }), code('ac', 'g'), most)
      await grants.begin(code('ac', 'g'), first('ac'), { ...access('ac', 'access-ac'), expiresAt: t0 + 10 }, t0)
      const present = await grants.byAccess('access-ac', t0)
      expect(present).toMatchObject({ grant: { id: 'g' }, token: { id: 'g' }, signer: { revokedAt: null } })
      await tokens.revoke('ac', 'signer', t0 + 1)
      expect((await grants.byAccess('access-ac', t0))!.signer).toEqual(
        token('ac', 'signer', { revokedAt: t0 + 1, expiresAt: null }),
      )
      expect(await grants.byAccess('access-ac', t0 + 10)).toBeUndefined()
      await grants.removeAccess('ac-other', 'access-ac')
      expect(await grants.byAccess('access-ac', t0)).toBeDefined()
      await grants.removeAccess('ac', 'access-ac')
      expect(await grants.byAccess('access-ac', t0)).toBeUndefined()
    })
  })
}
