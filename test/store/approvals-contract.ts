import { describe, expect, test } from 'vitest'
import type { Approval, ApprovalFilter, ApprovalState, Notice, Store } from '../../shared/runtime/ports/index.ts'
import { approval, approvalRule } from './make-approvals.ts'
import { t0 } from './make.ts'

const page = { limit: 9 }
const day = 86_400_000
const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)

/** Rules, and the runs that they hold: each row changes as it was read, or not at all. */
export const approvalsContract = (store: () => Store): void => {
  const add = async (tenant: string, id: string, over: Partial<Approval> = {}, max = 99) =>
    store().approvals.add(approval(tenant, id, over), max)
  const get = (tenant: string, id: string) => store().approvals.get(tenant, id)
  const noticesOf = async (tenant: string) =>
    (await store().starts.list(tenant, page, { subscription: 'notifications' })).items.map(({ data }) => data)
  const wantNotices = (tenant: string) =>
    store().notifications.put({
      tenant,
      url: 'https://platform.example/notices',
      types: null,
      secrets: {},
      previousUntil: null,
      createdAt: t0,
      updatedAt: t0,
    })
  const notice = (tenant: string, id: string): Notice => ({
    tenant,
    type: 'approval.requested',
    about: id,
    windowMs: 1000,
    at: t0,
    connection: '',
    data: { id },
  })

  describe('rules of approvals', () => {
    test('are at most so many, listed oldest first by their own tenant, changed and removed by it', async () => {
      const { approvalRules } = store()
      const second = approvalRule('rul', 'r1', { name: null, by: 'caller', when: {}, createdAt: t0 + 1 })
      const first = approvalRule('rul', 'r2')
      expect(await approvalRules.add(second, 2)).toBe(true)
      expect(await approvalRules.add(first, 2)).toBe(true)
      expect(await approvalRules.add(approvalRule('rul', 'r3'), 2)).toBe(false)
      expect(await approvalRules.add(approvalRule('rul-other', 'r1'), 2)).toBe(true)
      expect(await approvalRules.list('rul')).toEqual([first, second])
      expect((await approvalRules.list()).filter(({ tenant }) => tenant.startsWith('rul'))).toEqual([
        first,
        approvalRule('rul-other', 'r1'),
        second,
      ])
      const changed = { ...first, name: null, when: {}, by: 'approvers' as const, expiresMinutes: 5, updatedAt: t0 + 9 }
      expect(await approvalRules.change({ ...changed, createdAt: 0 })).toBe(true)
      expect(await approvalRules.get('rul', 'r2')).toEqual(changed)
      expect(await approvalRules.change({ ...changed, tenant: 'rul-none' })).toBe(false)
      expect(await approvalRules.remove('rul-none', 'r2')).toBe(false)
      expect(await approvalRules.remove('rul', 'r2')).toBe(true)
      expect(await approvalRules.get('rul', 'r2')).toBeUndefined()
      expect(await approvalRules.get('rul-other', 'r1')).toEqual(approvalRule('rul-other', 'r1'))
    })
  })

  describe('approvals', () => {
    test('every field comes back, and a call has one: of those added at once, the first', async () => {
      const results = await Promise.all(['a1', 'a2', 'a3'].map((id) => add('app-one', id, { identity: 'same' })))
      expect(results.toSorted()).toEqual(['added', 'present', 'present'])
      const id = ['a1', 'a2', 'a3'][results.indexOf('added')]!
      expect(await get('app-one', id)).toEqual(approval('app-one', id, { identity: 'same' }))
      expect(await store().approvals.byIdentity('app-one', 'same')).toMatchObject({ id })
      expect(await store().approvals.byIdentity('app-other', 'same')).toBeUndefined()
      expect(await get('app-other', id)).toBeUndefined()
      const nothing = {
        identity: null,
        connection: null,
        token: null,
        person: null,
        startId: null,
        credits: null,
        by: { people: ['ann'] },
        runId: null,
        attempt: null,
        code: null,
        decidedBy: null,
        decidedAt: null,
        nextAt: null,
      }
      for (const plain of ['n1', 'n2']) expect(await add('app-one', plain, nothing)).toBe('added')
      expect(await get('app-one', 'n2')).toEqual(approval('app-one', 'n2', nothing))
    })

    test('those that wait are at most so many, and a call that has one is told so first', async () => {
      expect(await add('app-full', 'a1', {}, 2)).toBe('added')
      expect(await add('app-full', 'a2', { state: 'done' }, 2)).toBe('added')
      expect(await add('app-full', 'a3', {}, 2)).toBe('added')
      expect(await add('app-full', 'a4', {}, 2)).toBe('full')
      expect(await add('app-full', 'a5', { identity: 'identity-a1' }, 2)).toBe('present')
      expect(await add('app-full-other', 'a4', {}, 2)).toBe('added')
      await store().approvals.change(approval('app-full', 'a1'), { state: 'approved' })
      expect(await add('app-full', 'a4', {}, 2)).toBe('added')
    })

    test('a change is of the row as it was read: a later one is refused, and tells nobody', async () => {
      await wantNotices('app-cas')
      const { approvals } = store()
      const row = approval('app-cas', 'a1')
      expect(await approvals.add(row, 9, [notice('app-cas', 'added')])).toBe('added')
      expect(await approvals.add({ ...row, id: 'a2' }, 9, [notice('app-cas', 'present')])).toBe('present')
      expect(await approvals.add(approval('app-cas', 'a3'), 1, [notice('app-cas', 'full')])).toBe('full')
      const states: ApprovalState[] = ['approved', 'denied']
      const results = await Promise.all(
        states.map((state) => approvals.change(row, { state }, [notice('app-cas', state)])),
      )
      expect(results.toSorted()).toEqual([false, true])
      const state = states[results.indexOf(true)]!
      expect(await get('app-cas', 'a1')).toEqual({ ...row, state, revision: 1 })
      expect(await noticesOf('app-cas')).toEqual(expect.arrayContaining([{ id: 'added' }, { id: state }]))
      expect(await noticesOf('app-cas')).toHaveLength(2)
      expect(await approvals.change({ ...row, tenant: 'app-none', revision: 1 }, { state: 'done' })).toBe(false)
    })

    test('a change makes null what is null, and leaves the rest', async () => {
      const row = approval('app-null', 'a1')
      await add('app-null', 'a1')
      const nulls = {
        identity: null,
        connection: null,
        token: null,
        person: null,
        startId: null,
        credits: null,
        runId: null,
        attempt: null,
        code: null,
        decidedBy: null,
        decidedAt: null,
        nextAt: null,
      }
      expect(await store().approvals.change(row, nulls)).toBe(true)
      expect(await get('app-null', 'a1')).toEqual({ ...row, ...nulls, revision: 1 })
      const again = { by: 'caller' as const, secrets: { outcome: 'v1.k.d.e.f' }, credits: 0.25, endedAt: t0 + 5 }
      expect(await store().approvals.change({ ...row, revision: 1 }, again)).toBe(true)
      expect(await store().approvals.change({ ...row, revision: 2 }, {})).toBe(true)
      expect(await get('app-null', 'a1')).toEqual({ ...row, ...nulls, ...again, revision: 3 })
    })

    test('what is due comes the longest due first, and no tenant takes the place of another', async () => {
      // Before every other row of these tests.
      const due = t0 - 1000 * day
      for (const n of [3, 1, 2, 4]) await add('app-due', `a${n}`, { nextAt: due + n })
      await add('app-due-2', 'b5', { nextAt: due + 5 })
      await add('app-due-2', 'never', { nextAt: null })
      await add('app-due-2', 'later', { nextAt: due + 7 })
      const dueBy = async (now: number, limit: number, ofTenant: number) =>
        idsOf(await store().approvals.due(due + now, limit, ofTenant))
      expect(await dueBy(6, 9, 9)).toEqual(['a1', 'a2', 'a3', 'a4', 'b5'])
      expect(await dueBy(6, 9, 2)).toEqual(['a1', 'a2', 'b5'])
      expect(await dueBy(6, 2, 9)).toEqual(['a1', 'a2'])
      expect(await dueBy(2, 9, 9)).toEqual(['a1', 'a2'])
      expect(await dueBy(0, 9, 9)).toEqual([])
      const [first] = await store().approvals.due(due + 1, 9, 9)
      expect(first).toEqual(approval('app-due', 'a1', { nextAt: due + 1 }))
    })

    test('are listed newest first in pages, without what is sealed, and narrowed by state, person and token', async () => {
      const rows: [string, Partial<Approval>][] = [
        ['a1', { state: 'open', person: 'ann' }],
        ['a2', { state: 'denied', person: 'ann', token: 'tok2' }],
        ['a3', { state: 'open', person: 'bea' }],
        ['a4', { state: 'done', person: null }],
        ['a5', { state: 'open', person: null, token: 'tok2' }],
      ]
      for (const [n, [id, over]] of rows.entries())
        await add('app-list', id, { ...over, createdAt: t0 + Math.floor(n / 2) })
      const { list } = store().approvals
      const first = await list('app-list', { limit: 3 })
      expect(idsOf(first.items)).toEqual(['a5', 'a4', 'a3'])
      expect(first.items[2]).toEqual(approval('app-list', 'a3', { person: 'bea', createdAt: t0 + 1 }))
      expect(idsOf((await list('app-list', { limit: 3, cursor: first.next })).items)).toEqual(['a2', 'a1'])
      const ids = async (filter: ApprovalFilter) => idsOf((await list('app-list', page, filter)).items)
      expect(await ids({ states: ['open'] })).toEqual(['a5', 'a3', 'a1'])
      expect(await ids({ states: ['denied', 'done'] })).toEqual(['a4', 'a2'])
      expect(await ids({ states: [] })).toEqual([])
      expect(await ids({ person: 'ann' })).toEqual(['a2', 'a1'])
      expect(await ids({ person: 'ann', states: ['open'] })).toEqual(['a1'])
      expect(await ids({ token: 'tok2' })).toEqual(['a5', 'a2'])
      expect(await ids({ token: 'tok2', states: ['open'] })).toEqual(['a5'])
      expect(await ids({ token: 'tok2', person: 'ann' })).toEqual(['a2'])
      const open = await list('app-list', { limit: 1 }, { states: ['open'] })
      expect(idsOf((await list('app-list', { limit: 1, cursor: open.next }, { states: ['open'] })).items)).toEqual([
        'a3',
      ])
      expect((await list('app-list-other', page)).items).toEqual([])
    })

    test('a list leaves out contents that are long', async () => {
      const secrets = { content: `v1.k.${'a'.repeat(40_000)}` }
      await add('app-long', 'a1', { secrets })
      expect((await store().approvals.list('app-long', { limit: 3 })).items[0]!.secrets).toEqual({})
      expect((await get('app-long', 'a1'))!.secrets).toEqual(secrets)
    })

    test('tenants are those with rules, or with a row that a repeat of a call finds', async () => {
      await add('app-ten-1', 'a1')
      await add('app-ten-1', 'a2')
      await add('app-ten-2', 'a1', { identity: null })
      await store().approvalRules.add(approvalRule('app-ten-3', 'r'), 9)
      await store().approvalRules.add(approvalRule('app-ten-1', 'r'), 9)
      const tenants = async () => (await store().approvals.tenants()).filter((tenant) => tenant.startsWith('app-ten'))
      expect((await tenants()).toSorted()).toEqual(['app-ten-1', 'app-ten-3'])
      await store().approvalRules.remove('app-ten-3', 'r')
      expect(await tenants()).toEqual(['app-ten-1'])
    })
  })
  keepingContract(store)
}

/** What is kept of them, and for how long. */
const keepingContract = (store: () => Store): void => {
  const add = (tenant: string, id: string, over: Partial<Approval> = {}) =>
    store().approvals.add(approval(tenant, id, over), 99)
  const get = (tenant: string, id: string) => store().approvals.get(tenant, id)

  describe('approvals that are kept', () => {
    test('lose their content a while after they ended, and go later; nothing that has not ended does', async () => {
      const never = { payloads: 0, starts: 0, deleted: 0, runs: 0, ownWrites: 0, audit: 0, gaps: 0, now: 0, limit: 99 }
      const long = t0 - 2000 * day
      const ended = { state: 'done' as const, nextAt: null, createdAt: long, endedAt: long }
      await add('app-old', 'ended', ended)
      await add('app-old', 'erased', { ...ended, secrets: {} })
      await add('app-old', 'later', { ...ended, endedAt: long + 5 })
      for (const state of ['open', 'approved', 'sending'] as const)
        await add('app-old', state, { ...ended, state, endedAt: null })
      const prune = async (approvals: number | undefined, runs: number) =>
        (await store().prune({ ...never, runs, ...(approvals === undefined ? {} : { approvals }) })).approvals
      expect(await prune(undefined, long)).toBe(0)
      expect(await prune(long, long + 9)).toBe(0)
      expect(await prune(long + 1, long)).toBe(2)
      expect(await prune(long + 1, long)).toBe(0)
      expect(await get('app-old', 'ended')).toEqual(
        approval('app-old', 'ended', { ...ended, identity: null, secrets: {}, revision: 1 }),
      )
      expect(await get('app-old', 'erased')).toMatchObject({ identity: null, revision: 1 })
      expect(await get('app-old', 'later')).toMatchObject({ identity: 'identity-later', revision: 0 })
      // Even where runs go sooner, as in a database that is too large.
      expect(await prune(long + 1, t0)).toBe(2)
      expect([await get('app-old', 'ended'), await get('app-old', 'erased')]).toEqual([undefined, undefined])
      // Where nothing is said of their content, it goes with them.
      expect(await prune(undefined, long + 6)).toBe(2)
      const left = (await store().approvals.list('app-old', { limit: 9 })).items
      expect(left.map(({ id, revision }) => [id, revision])).toEqual([
        ['sending', 0],
        ['open', 0],
        ['approved', 0],
      ])
    })

    test('erased, one that waits ends; one that is sent goes on; one that ended is still found by its call', async () => {
      const { personal } = store()
      const rows: [string, Partial<Approval>][] = [
        ['open', { state: 'open', code: null, decidedAt: null }],
        ['approved', { state: 'approved', code: null }],
        ['sending', { state: 'sending', code: null }],
        ['done', { state: 'done', nextAt: null, endedAt: t0 + 9 }],
        ['empty', { state: 'done', nextAt: null, endedAt: t0 + 9, secrets: {} }],
      ]
      for (const [id, over] of rows) await add('app-era', id, over)
      const listed = await personal.rows('app-era', 'approval', 9)
      expect(listed.map(({ key }) => key)).toEqual([['approved'], ['done'], ['open'], ['sending']])
      const [first] = listed
      expect(first).toMatchObject({ at: t0, texts: [], content: null, secrets: { content: 'v1.k.a.b.c' } })
      expect((await personal.rows('app-era', 'approval', 1, ['done'])).map(({ key }) => key)).toEqual([['open']])
      expect(await personal.erase({ ...first!, tenant: 'app-other' })).toBe(false)
      for (const row of listed) expect(await personal.erase(row)).toBe(true)
      expect(await personal.rows('app-era', 'approval', 9)).toEqual([])
      const over = Object.fromEntries(rows)
      const erased = { secrets: {}, revision: 1 }
      const ended = { ...erased, state: 'expired', code: 'approval_expired', identity: null, nextAt: null } as const
      expect(await get('app-era', 'open')).toEqual(
        approval('app-era', 'open', { ...over['open'], ...ended, endedAt: t0 }),
      )
      expect(await get('app-era', 'approved')).toEqual(approval('app-era', 'approved', { ...ended, endedAt: t0 + 1 }))
      for (const id of ['sending', 'done'])
        expect(await get('app-era', id)).toEqual(approval('app-era', id, { ...over[id], ...erased }))
      expect((await get('app-era', 'empty'))!.revision).toBe(0)
    })

    test('what is sealed can be sealed anew, unless it changed meanwhile', async () => {
      await add('app-seal', 'a1')
      await add('app-seal', 'a2', { secrets: {} })
      const rows = (await store().sealed.all()).filter(({ tenant }) => tenant === 'app-seal')
      expect(rows).toEqual([{ kind: 'approval', tenant: 'app-seal', id: 'a1', sealed: { content: 'v1.k.a.b.c' } }])
      const next = { content: 'v1.l.a.b.c' }
      expect(await store().sealed.replace(rows[0]!, next)).toBe(true)
      expect(await store().sealed.replace(rows[0]!, next)).toBe(false)
      expect((await get('app-seal', 'a1'))!.secrets).toEqual(next)
    })
  })
}
