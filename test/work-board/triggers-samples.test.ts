import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sampleProblems } from '../../scripts/webhook-samples.ts'
import { sampleTable } from './sample-table.ts'
import { eventOf, start, startedBy, triggerOf } from './starts.ts'

const folder = new URL('samples/', import.meta.url)
const read = (file: string) =>
  JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as {
    action: { id: string; date: string }
    model: { id: string }
  }
const board = '66f10a2c9b7d4e0012ab0001'
const pruning = { id: '66f10a2c9b7d4e0012ab0011', name: 'Pruning' }
const harvest = { id: '66f10a2c9b7d4e0012ab0012', name: 'Harvest' }
const tamsin = { id: '66f1000a9b7d4e0012ab0e01', name: 'Tamsin Verrall', username: 'tamsinverrall' }
const onBoard = { boards: [board] }

describe('each recorded kind of delivery, in fictional words', () => {
  it('has a row in the table, and each row a file', () => {
    expect(readdirSync(folder).sort()).toEqual(Object.keys(sampleTable).sort())
  })

  it.each(Object.entries(sampleTable))('%s decodes and starts what it should, and nothing else', (file, row) => {
    expect(sampleProblems(read(file), row)).toEqual([])
  })

  it.each(Object.keys(sampleTable))('%s keeps id, time, person and place', (file) => {
    const delivery = read(file)
    const event = eventOf(delivery)
    expect(event).toMatchObject({
      id: delivery.action.id,
      at: delivery.action.date,
      actor: tamsin,
      board: { id: board, name: 'Orchard plan', shortLink: 'oRc4rDpL' },
      via: 'webhook',
      causedByUs: 'unknown',
    })
    expect(event.model.id).toBe(delivery.model.id)
    expect(event.models).toContainEqual({ kind: 'board', id: board })
    // null where the sample says that no app did it, absent where it does not say.
    expect(event.app).toBe(Object.hasOwn(delivery.action, 'appCreator') ? null : undefined)
    expect(event.raw).not.toHaveProperty('display')
  })

  it.each(Object.keys(sampleTable))('%s can be read again from what is stored of it', (file) => {
    const event = eventOf(read(file))
    expect(eventOf({ action: event.raw, model: event.model })).toEqual(event)
  })

  it('starts nothing for another board', () => {
    for (const file of Object.keys(sampleTable))
      expect(startedBy(eventOf(read(file)), { boards: ['66f10a2c9b7d4e0012ab0002'] }), file).toEqual([])
  })

  it('has the same shape with the key `webhook` that newer deliveries carry', () => {
    for (const file of Object.keys(sampleTable)) {
      const delivery = read(file)
      const hook = {
        id: '66f10a2c9b7d4e0012ab0f01',
        description: 'x',
        idModel: delivery.model.id,
        callbackURL: 'https://tools.example/hooks/x',
        active: true,
        consecutiveFailures: 0,
        firstConsecutiveFailDate: null,
      }
      expect(eventOf({ ...delivery, webhook: hook })).toEqual(eventOf(delivery))
      const { model: _, ...without } = delivery
      expect(eventOf({ ...without, webhook: hook }).model.id, 'the watched id is known without the model').toBe(
        delivery.model.id,
      )
    }
  })
})

describe('what agents get', () => {
  const dataOf = (trigger: string, file: string, config: Record<string, unknown> = onBoard) =>
    start(triggerOf(trigger), config, eventOf(read(file)))
  const ladders = { id: '66f10b3d9b7d4e0012ab0101', name: 'Order new ladders', shortLink: 'lAdd3rsX' }
  const where = { by: tamsin, board: { id: board, name: 'Orchard plan', shortLink: 'oRc4rDpL' }, card: ladders }

  it('a move: from, to, not across boards', () => {
    expect(dataOf('card-moved', 'updateCard-1.json')).toEqual({
      actionId: '698c30009b7d4e0012ac0011',
      at: '2026-02-11T08:00:09.410Z',
      ...where,
      list: harvest,
      from: { board: where.board, list: pruning },
      to: { board: where.board, list: harvest },
      acrossBoards: false,
    })
  })

  it('an update: what changed, before and after', () => {
    expect(dataOf('card-updated', 'updateCard-3.json')).toMatchObject({
      changed: ['due'],
      before: { due: '2026-03-01T05:00:00.000Z' },
      after: { due: '2026-03-04T05:00:00.000Z' },
      list: pruning,
      card: ladders,
    })
    expect(dataOf('card-updated', 'updateCard-1.json')).toMatchObject({
      changed: ['idList'],
      before: { idList: pruning.id },
      after: { idList: harvest.id },
      from: { list: pruning },
      to: { list: harvest },
    })
    expect(dataOf('card-updated', 'addMemberToCard.json')).toMatchObject({
      changed: ['idMembers'],
      before: {},
      after: { member: tamsin },
    })
    expect(dataOf('card-updated', 'removeMemberFromCard.json')).toMatchObject({
      changed: ['idMembers'],
      before: { member: tamsin },
      after: {},
    })
    expect(dataOf('card-updated', 'addAttachmentToCard.json')).toMatchObject({
      changed: ['attachments'],
      after: { attachment: { name: 'ladder plan.png' } },
    })
    expect(dataOf('card-updated', 'addChecklistToCard.json')).toMatchObject({
      changed: ['checklists'],
      after: { checklist: { name: 'Before we buy' } },
    })
    expect(dataOf('card-updated', 'updateCheckItemStateOnCard.json')).toMatchObject({
      changed: ['checkItems'],
      after: { checkItem: { name: 'Ask for the price', state: 'complete' } },
    })
  })

  it('one label put on starts Card Updated once, with the labels before and after', () => {
    const [first, second] = ['addLabelToCard.json', 'updateCard-5.json'].map((file) => dataOf('card-updated', file))
    expect(first).toBeUndefined()
    const [before, after] = [(second as any).before.idLabels, (second as any).after.idLabels] as [string[], string[]]
    expect([(second as any).changed, after.filter((id) => !before.includes(id))]).toEqual([
      ['idLabels'],
      ['66f10a2c9b7d4e0012ab0204'],
    ])
  })

  it('a comment, a member, a label, a checklist, an attachment', () => {
    expect(dataOf('new-comment-added-to-card', 'commentCard.json')).toMatchObject({
      text: 'The long ones are sold out until March.',
      commentId: '698c30009b7d4e0012ac0007',
      card: ladders,
      list: pruning,
    })
    expect(dataOf('new-member-on-card', 'addMemberToCard.json')).toMatchObject({ member: tamsin, joined: true })
    expect(dataOf('new-label-added-to-card', 'addLabelToCard.json')).toMatchObject({
      label: { id: '66f10a2c9b7d4e0012ab0204', name: '', color: 'purple' },
    })
    expect(dataOf('new-checklist', 'addChecklistToCard.json')).toMatchObject({ checklist: { name: 'Before we buy' } })
    expect(dataOf('new-attachment', 'addAttachmentToCard.json')).toMatchObject({
      kind: 'file',
      attachment: { name: 'ladder plan.png' },
    })
  })

  it("never the private record that a member's hook carries", () => {
    const delivery = read('updateCard-7.json')
    expect(JSON.stringify(delivery)).toContain('tamsin.verrall@orchard.example')
    const event = eventOf(delivery)
    expect(event.model).toEqual({ kind: 'member', id: tamsin.id })
    for (const trigger of ['card-updated', 'custom-webhook-events', 'new-board-activity']) {
      expect(JSON.stringify([event, start(triggerOf(trigger), onBoard, event)])).not.toMatch(
        /orchard\.example|loginTypes|gravatar|Grows pears|nonPublic/,
      )
    }
  })
})
