/**
 * What each trigger makes of what the board reports, or says when it is polled: decided by tables, of a board that is
 * played.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { PollItem, PollTime, ProviderRequest } from '#kit'
import { actionTypes, kindOf, webhookOnly } from '../../integrations/work-board/action-types.ts'
import { sampleProblems } from '../../scripts/webhook-samples.ts'
import { fakeContext, ids, idOf, workBoard } from './fake.ts'
import { eventOf, needsOf, noneEarlier, start, startedBy, triggerOf, triggers, webhooks } from './starts.ts'
import {
  actionTable,
  board,
  card,
  cases,
  deliveryOf,
  list,
  madeAt,
  millisecondsAt,
  organization,
  otherBoard,
  sampleTable,
  triggerCases,
} from './trigger-tables.ts'
import type { PollCase, PollRow, Scan, WebhookCase, WebhookRow } from './trigger-tables.ts'

const onBoard = { boards: [ids.board] }
/** Settings without filters; two triggers watch no boards. */
const configFor = (id: string, more: Record<string, unknown> = {}) =>
  triggerOf(id).config.parse({ ...(['new-board', 'new-notification'].includes(id) ? {} : onBoard), ...more })
const nameOf = ({ type, of }: { type: string; of?: string }) => (of === undefined ? type : `${type}, ${of}`)
const actions = { ...Object.fromEntries(actionTable.map((row) => [nameOf(row), row])), ...cases.events }
const eventFor = (action: WebhookCase['event']) => {
  const { type, data, model } = typeof action === 'string' ? { model: undefined, ...actions[action]! } : action
  return eventOf(deliveryOf(type, data, model ? { model } : {}))
}
const run = (trigger: string, config: Record<string, unknown>, event: ReturnType<typeof eventOf>, facts = {}) =>
  start(triggerOf(trigger), { ...onBoard, ...config }, event, facts) as any

describe('every type of action', () => {
  it('has a row in the table', () => {
    expect(Object.keys(actionTypes).filter((type) => !actionTable.some((row) => row.type === type))).toEqual([])
    expect(actionTable.filter((row) => !(row.type in actionTypes))).toEqual([])
  })

  it.each(actionTable.map((row) => [nameOf(row), row] as const))(
    '%s starts what it should, and nothing else',
    (_, row) => {
      const delivery = deliveryOf(row.type, row.data)
      const event = eventOf(delivery)
      expect(event.type).toBe(row.type)
      expect(startedBy(event, { boards: [ids.board], idOrganization: idOf(72) }).sort()).toEqual(row.starts.toSorted())
      const recovered = eventOf({ action: delivery.action, model: { kind: 'board', id: ids.board } }, 'recovery')
      expect({ ...recovered, via: event.via }, 'however it reached us').toEqual(event)
      if (row.data.board !== undefined) {
        const stray = eventOf(deliveryOf(row.type, { ...row.data, board: otherBoard }))
        expect(stray.models, "reported by the board's hook").toContainEqual({ kind: 'board', id: ids.board })
        expect(startedBy(stray, onBoard), 'for another board').toEqual([])
      }
      for (const id of row.starts) {
        const types = triggerOf(id).webhook!.types(triggerOf(id).config.parse(onBoard))
        expect(types.includes('*') || types.includes(row.type), `${id} is not asked for ${row.type}`).toBe(true)
        expect(start(triggerOf(id), onBoard, recovered), id).toEqual(start(triggerOf(id), onBoard, event))
      }
    },
  )

  it("follows from a type's first word where the type is unknown", () => {
    expect(
      ['createGadget', 'copyGadget', 'updateGadget', 'deleteGadget', 'addGadget', 'toString', 'Create', ''].map(kindOf),
    ).toEqual(['create', 'create', 'update', 'delete', 'other', 'other', 'other', 'other'])
  })

  it.each(Object.entries(cases.kinds))('of the kind %s comes when that kind is chosen, and no other', (kind, types) => {
    for (const trigger of ['new-board-activity', 'custom-webhook-events'])
      for (const type of Object.values(cases.kinds).flat()) {
        const data = run(trigger, { kinds: [kind] }, eventFor({ type, data: { board, card, list } }))
        const started = data === undefined ? 'nothing' : data.kind
        expect(started, `${trigger}, ${type}`).toBe(types.includes(type) ? kind : 'nothing')
      }
  })

  it('by name is left out before it is read', () => {
    expect(triggerOf('new-board-activity').webhook!.types({ types: ['commentCard'] })).toEqual(['commentCard'])
    expect(triggerOf('new-card').webhook!.types({ ways: ['copied'] })).toEqual(['copyCard'])
  })
})

/** What a trigger polls, unless the row says otherwise: each minute, for a subscription of ten days ago. */
const steady = { since: -14_400, scanned: -1, now: 0 }
const momentsOf = (time: PollRow['time']): PollTime => {
  const { since, scanned, now } = { ...steady, ...time }
  return {
    since: millisecondsAt(since),
    scanned: scanned === null ? undefined : millisecondsAt(scanned),
    now: millisecondsAt(now),
  }
}
/** Answers as the board does; notifications newest first, `since` with its own item, `before` without. */
const boardOf =
  ({ answer, unsorted }: Scan) =>
  ({ path, query }: ProviderRequest) => {
    const { since = '', before = 'z', limit = Infinity } = query as { since?: string; before?: string; limit?: number }
    if (unsorted || !path.endsWith('/notifications')) return answer
    const newestFirst = answer.toSorted((a, b) => (a.id < b.id ? 1 : -1))
    return newestFirst.filter(({ id }) => id >= since && id < before).slice(0, limit)
  }
const scan = async (trigger: string, resource: string, cursor: string | undefined, answers: Scan) => {
  const { ctx, sent } = fakeContext(boardOf(answers))
  return { ...(await triggerOf(trigger).poll!.fetch(ctx, resource, cursor)), sent }
}

const matches = (trigger: string, { event: action }: WebhookCase, row: WebhookRow) => {
  const { config = {}, starts, lacks = [], facts, needs } = row
  const event = eventFor(action)
  const data = run(trigger, config, event, facts)
  if (typeof starts === 'boolean') expect(data !== undefined).toBe(starts)
  else expect(data).toMatchObject(starts)
  for (const field of lacks) expect(data).not.toHaveProperty(field)
  if (needs) expect(needsOf(triggerOf(trigger), { ...onBoard, ...config }, event)).toEqual(needs)
}
const picks = async (id: string, { resource = '', cursor, scans = [], items = [] }: PollCase, row: PollRow) => {
  const trigger = triggerOf(id)
  let [polled, mark] = [items as PollItem[], cursor]
  for (const [n, step] of scans.entries()) {
    const { sent, ...result } = await scan(id, resource, mark, step)
    ;[polled, mark] = [result.items, result.cursor]
    if (step.items) expect(polled).toMatchObject(step.items)
    if (step.cursor !== undefined) expect(mark).toBe(step.cursor)
    if (n < scans.length - 1) expect(mark, 'a cursor nobody takes for none').toMatch(/./)
    if (step.sent) expect(sent).toEqual(step.sent)
  }
  const config = configFor(id, row.config)
  if (row.resources) expect(trigger.poll!.resources(config)).toEqual(row.resources)
  if (!row.starts) return
  const starts = trigger.poll!.pick(polled, config, momentsOf(row.time)).map(({ fireAt, ...start }) => ({
    ...start,
    ...(fireAt === undefined ? {} : { fireAt: new Date(fireAt).toISOString() }),
    data: JSON.parse(JSON.stringify(trigger.data.parse(start.data))) as unknown,
  }))
  const expected = row.starts.map((start) => ({ ...start, key: [start.key].flat().join(':') }))
  expect(starts.map(({ key, fireAt, late, missed }) => ({ key, fireAt, late, missed }))).toEqual(
    expected.map(({ key, fireAt, late, missed }) => ({ key, fireAt, late, missed })),
  )
  for (const [n, start] of expected.entries()) if (start.data) expect(starts[n]).toEqual(start)
}

const rows = triggerCases.flatMap((group) =>
  group.triggers.flatMap((trigger) =>
    (group.rows ?? [{}]).map((row) => {
      const { why, config = {} } = row as PollRow
      const name = `${trigger} (${group.delivery}), ${group.what}: ${why ?? JSON.stringify(config)}`
      return [name, trigger, group, row] as const
    }),
  ),
)
it.each(rows)('%s', (_, trigger, group, row) =>
  group.delivery === 'webhook' ? matches(trigger, group, row as WebhookRow) : picks(trigger, group, row as PollRow),
)

describe('each recorded kind of delivery, in fictional words', () => {
  const folder = new URL('samples/', import.meta.url)
  const read = (file: string) =>
    JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as {
      action: { id: string; date: string }
      model: { id: string }
    }
  const orchard = '66f10a2c9b7d4e0012ab0001'
  const tamsin = { id: '66f1000a9b7d4e0012ab0e01', name: 'Tamsin Verrall', username: 'tamsinverrall' }
  const dataOf = (trigger: string, file: string) =>
    start(triggerOf(trigger), { boards: [orchard] }, eventOf(read(file)))

  it('has a row in the table, and each row a file', () => {
    expect(readdirSync(folder).sort()).toEqual(Object.keys(sampleTable).sort())
  })

  it.each(Object.entries(sampleTable))('%s decodes, keeps what it says, and starts what it should', (file, row) => {
    const delivery = read(file)
    expect(sampleProblems(delivery, row)).toEqual([])
    const event = eventOf(delivery)
    expect(event).toMatchObject({
      id: delivery.action.id,
      at: delivery.action.date,
      actor: tamsin,
      board: { id: orchard, name: 'Orchard plan', shortLink: 'oRc4rDpL' },
      via: 'webhook',
      causedByUs: 'unknown',
    })
    expect(event.model.id).toBe(delivery.model.id)
    expect(event.models).toContainEqual({ kind: 'board', id: orchard })
    // null where the sample says that no app did it, absent where it does not say.
    expect(event.app).toBe(Object.hasOwn(delivery.action, 'appCreator') ? null : undefined)
    expect(event.raw).not.toHaveProperty('display')
    expect(eventOf({ action: event.raw, model: event.model }), 'read again from what is stored').toEqual(event)
    expect(startedBy(event, { boards: ['66f10a2c9b7d4e0012ab0002'] }), 'for another board').toEqual([])
    const hook = { id: '66f10a2c9b7d4e0012ab0f01', idModel: delivery.model.id, active: true, consecutiveFailures: 0 }
    expect(eventOf({ ...delivery, webhook: hook }), 'with the key that newer deliveries carry').toEqual(event)
    const { model: _, ...without } = delivery
    expect(eventOf({ ...without, webhook: hook }).model.id, 'without the model').toBe(delivery.model.id)
  })

  it.each(cases.samples)('$file gives $trigger what an agent needs', ({ file, trigger, data, whole }) => {
    if (whole) expect(dataOf(trigger, file)).toEqual(data)
    else expect(dataOf(trigger, file)).toMatchObject(data)
  })

  it('one label put on starts Card Updated once, with the labels before and after', () => {
    expect(dataOf('card-updated', 'addLabelToCard.json')).toBeUndefined()
    const { changed, before, after } = dataOf('card-updated', 'updateCard-5.json') as any
    expect([changed, after.idLabels.filter((id: string) => !before.idLabels.includes(id))]).toEqual([
      ['idLabels'],
      ['66f10a2c9b7d4e0012ab0204'],
    ])
  })

  it("gives nobody the private record that a member's hook carries", () => {
    const delivery = read('updateCard-7.json')
    expect(JSON.stringify(delivery)).toContain('tamsin.verrall@orchard.example')
    const event = eventOf(delivery)
    expect(event.model).toEqual({ kind: 'member', id: tamsin.id })
    for (const trigger of ['card-updated', 'custom-webhook-events', 'new-board-activity'])
      expect(JSON.stringify([event, dataOf(trigger, 'updateCard-7.json')])).not.toMatch(
        /orchard\.example|loginTypes|gravatar|Grows pears|nonPublic/,
      )
  })
})

describe('Mentioned in a Comment', () => {
  const taken = (text: string) =>
    run(
      'mentioned-in-a-comment',
      { member: 'tamsinreed' },
      eventFor({ type: 'commentCard', data: { board, card, list, text } }),
    )

  it('takes the user name as a word of its own, in any case', () => {
    for (const text of cases.mentions.told) expect(taken(text), text).toMatchObject({ text, mentioned: 'tamsinreed' })
    for (const text of cases.mentions.others) expect(taken(text), text).toBeUndefined()
  })

  it('"me" and ids become the user name when the subscription is made', async () => {
    const paths: string[] = []
    const send = ({ path }: { path: string }) => {
      paths.push(path)
      return Promise.resolve({ id: ids.board, username: 'tamsinreed' })
    }
    for (const member of ['me', ids.member, '@tamsinreed'])
      expect(
        await triggerOf('mentioned-in-a-comment').resolve!({ send } as never, { ...onBoard, member }),
      ).toMatchObject({ ...onBoard, member: 'tamsinreed' })
    expect(paths).toEqual(['/1/members/me', `/1/members/${ids.member}`, '/1/members/tamsinreed'])
  })
})

describe('Checklist Completed', () => {
  const tick = (n: number, item: number, state: string, second = n) => ({
    id: `698c3001${n.toString(16).padStart(16, '0')}`,
    type: 'updateCheckItemStateOnCard',
    date: new Date(Date.parse('2026-02-11T07:30:00.000Z') + second * 1000).toISOString(),
    data: {
      board,
      card,
      checklist: { id: ids.checklist, name: 'Steps' },
      checkItem: { id: idOf(item), name: `Item ${item}`, state },
    },
  })
  type Action = ReturnType<typeof tick>
  const eventOfTick = (action: Action) => eventOf({ action, model: { id: ids.board, prefs: {} } })
  const read = (
    event: ReturnType<typeof eventOf>,
    history: Action[],
    items: (typeof cases.checklists)[number]['items'],
  ) => {
    const checklist = { id: ids.checklist, checkItems: items.map(([id, state]) => ({ id, state })) }
    const send = ({ path }: { path: string }) => Promise.resolve(path.endsWith('/actions') ? history : checklist)
    return webhooks.facts({ send } as never, event, 'completed', noneEarlier)
  }

  it.each(cases.checklists)('starts $what, whenever it is looked at', async ({ items, ticks, starts }) => {
    const history = ticks.map((step) => tick(...step))
    for (const [n, action] of history.entries()) {
      const event = eventOfTick(action)
      const isRead = needsOf(triggerOf('checklist-completed'), onBoard, event).includes('completed')
      const completed = isRead ? await read(event, history.toReversed(), items) : undefined
      expect([n, run('checklist-completed', {}, event, { completed }) !== undefined]).toEqual([n, starts[n]])
    }
  })

  it('starts nothing where the history does not reach back to the event', async () => {
    const [first, second] = [tick(1, 32, 'complete'), tick(2, 33, 'complete')]
    const items = [32, 33].map((n): [string, string] => [idOf(n), 'complete'])
    expect(await read(eventOfTick(first), [second], items)).toBeUndefined()
  })
})

describe('New Board in a workspace', () => {
  const made = Number.parseInt(ids.board.slice(0, 8), 16) * 1000
  const at = (ms: number, type: string, data: Record<string, unknown> = {}) => {
    const delivery = deliveryOf(type, { board, ...data }, { model: { id: organization.id, displayName: 'Works' } })
    return eventOf({ ...delivery, action: { ...delivery.action, date: new Date(made + ms).toISOString() } })
  }
  const config = { idOrganization: organization.id }
  const trigger = triggerOf('new-board')
  const keyOf = (event: ReturnType<typeof at>) => trigger.webhook!.key!(event, config)

  it('is reported as two actions and has one key', () => {
    const [created, added] = [at(0, 'createBoard'), at(50, 'addToOrganizationBoard', { organization })]
    const data = { way: 'created', board: { id: ids.board, name: 'Launch plan' }, idOrganization: organization.id }
    for (const event of [created, added]) expect(start(trigger, config, event)).toMatchObject(data)
    expect(keyOf(created)).toBe(keyOf(added))
    expect(keyOf(at(0, 'createBoard', { board: otherBoard }))).not.toBe(keyOf(created))
  })

  it('an older board that comes in says so; one of another workspace starts nothing', () => {
    const added = (ms: number) => at(ms, 'addToOrganizationBoard', { organization })
    expect(start(trigger, config, added(86_400_000))).toMatchObject({ way: 'added' })
    expect(start(trigger, { idOrganization: idOf(72) }, added(0))).toBeUndefined()
    expect(start(trigger, config, at(0, 'updateBoard', { old: { name: 'x' } }))).toBeUndefined()
  })

  it('without a workspace there is nothing to watch: it is polled', () => {
    expect(trigger.webhook!.watch({})).toEqual([])
    expect(trigger.poll!.resources({})).toEqual(['boards:mine'])
    expect(trigger.poll!.resources(config)).toEqual([`boards:organization:${organization.id}`])
  })
})

describe('New Notification', () => {
  const answer = Array.from({ length: 2500 }, (_, n) => ({
    id: madeAt(n / 60, n),
    date: new Date(millisecondsAt(n / 60)).toISOString(),
  }))

  it('walks back page by page when more came than one answer holds', async () => {
    const { items, sent } = await scan('new-notification', 'notifications', answer[0]!.id, { answer })
    expect(items.map(({ id }) => id)).toEqual(answer.map(({ id }) => id))
    expect(sent.map(({ query }) => query?.before !== undefined)).toEqual([false, true, true])
  })

  it('says so when the board gives the same page again', async () => {
    const samePage = { answer: answer.slice(0, 1000), unsorted: true } as const
    await expect(scan('new-notification', 'notifications', answer[0]!.id, samePage)).rejects.toMatchObject({
      code: 'bad_reply',
    })
  })
})

describe('what triggers say of themselves', () => {
  it('has the 15 of the document, in its order, with its titles, and others between them', () => {
    const all = triggers.map(({ title }) => title)
    expect(all.filter((title) => cases.titles.includes(title))).toEqual(cases.titles)
    expect(all).toHaveLength(28)
  })

  it('says of each what is assumed', () => {
    for (const { id } of triggers) expect(workBoard.wire.assumed[`triggers.${id}`]?.length ?? 0, id).toBeGreaterThan(30)
  })

  it('is instant but for the two, and New Board without a workspace', () => {
    const polled = triggers.filter(({ id, webhook }) => !webhook || webhook.watch(configFor(id)).length === 0)
    expect(polled.map(({ title }) => title)).toEqual(['Card Due Date Reminder', 'New Board', 'New Notification'])
  })

  it('what can be found again follows from which types histories hold', () => {
    for (const { id, webhook, recoverable, caveat, webhookOnly: own } of triggers) {
      if (!webhook) continue
      const types = webhook.types(configFor(id))
      const all = types.includes('*') ? Object.keys(actionTypes) : types
      const lost = all.filter((name) => webhookOnly.includes(name))
      expect(own ?? [], id).toEqual(lost)
      expect(recoverable, id).toBe(lost.length === 0 ? 'all' : lost.length === all.length ? 'none' : 'some')
      if (lost.length > 0) expect(caveat, id).toMatch(/webhook only/i)
    }
    expect(webhooks.webhookOnly).toBe(webhookOnly)
    expect([...webhookOnly].sort()).toEqual(cases.webhookOnly.toSorted())
  })

  it('refuses more boards than an account could watch, naming the field', () => {
    const boards = Array.from({ length: 10_000 }, (_, n) => idOf(n))
    const refused = triggerOf('custom-webhook-events').config.safeParse({ boards })
    expect(refused.error?.issues.map(({ path: at }) => at.join('.'))).toEqual(['boards'])
    expect(triggerOf('custom-webhook-events').config.safeParse({ boards: boards.slice(0, 200) }).success).toBe(true)
    expect(triggerOf('card-moved').config.safeParse({ boards: [] }).success).toBe(false)
  })
})
