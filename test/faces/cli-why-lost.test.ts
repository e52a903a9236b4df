import { beforeAll, expect, it } from 'vitest'
import type { Integration } from '#kit'
import { integrations } from '../../integrations/index.ts'
import { findIds } from '../sandbox/board-client.ts'
import { linesOver } from '../support/command-line.ts'
import { openHttpWorld } from '../support/http-world.ts'

const why = { addLabelToCard: 'The board keeps no list of labels.', other: 'No trigger has it.' }
const withReasons = (integration: Integration): Integration =>
  integration.webhooks ? { ...integration, webhooks: { ...integration.webhooks, whyWebhookOnly: why } } : integration

const face = await openHttpWorld({ integrations: integrations.map(withReasons) })
const { command, json } = linesOver(face, { width: 160 })
let board: string
beforeAll(async () => {
  const { key, appSecret } = face.sandbox.board.credentials
  await face.pack.apps.put({ tenant: 'default' }, 'work-board', { key, secret: appSecret })
  board = findIds(face.sandbox.board).board
  await face.pack.start()
})

it('a trigger, its new subscription and an old one say why their events are not recovered', async () => {
  const subscribe = ['subscribe', 'work-board', 'new-label-added-to-card', '-f', `boards=${board}`]
  const more = ['--agent', 'https://agent.example/start']
  const { id, whyWebhookOnly } = await json([...subscribe, ...more], 'remote')
  expect(whyWebhookOnly).toEqual({ addLabelToCard: why.addLabelToCard })
  for (const argv of [
    ['describe', 'work-board', 'new-label-added-to-card'],
    [...subscribe, ...more],
    ['subscriptions', 'show', id],
  ]) {
    const { out } = await command(argv, 'remote')
    expect(out).toContain(`addLabelToCard: ${why.addLabelToCard}\n`)
    expect(out).not.toContain(why.other)
  }
})
