import type { HttpWorld } from '../support/http-world.ts'
import { heldIn } from '../approvals/world.ts'
import { findIds } from '../sandbox/board-client.ts'

/** Values for paths that exist: what can be spent is made here, so that no request takes away what the others need. */
export const knownIn = async (face: HttpWorld): Promise<Record<string, string[]>> => {
  const caller = { tenant: 'default' }
  const { key, secondToken, appSecret } = face.sandbox.board.credentials
  await face.pack.apps.put(caller, 'work-board', { key, secret: appSecret })
  const spare = await face.pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Spare',
    secrets: { key, token: secondToken },
  })
  face.pack.servedAt('http://127.0.0.1:9')
  const subscription = await face.pack.subscriptions.create(caller, {
    integration: 'work-board',
    trigger: 'card-due-date-reminder',
    connection: spare.id,
    config: { boards: [findIds(face.sandbox.board).board] },
    agent: { url: 'https://agent.example/start' },
  })
  await face.pack.steps.run(caller, { integration: 'work-board', step: 'get-boards', connection: spare.id, input: {} })
  const [run] = (await face.pack.runs.list(caller, { limit: 1 })).items
  const holding = 'tok_holding'
  const { id: ruleId } = await face.pack.approvalRules.create(caller, {
    when: { tokens: [holding] },
    by: 'approvers',
    expiresMinutes: 60,
  })
  const list = { idBoard: findIds(face.sandbox.board).board, name: 'Held' }
  const held = heldIn(
    await face.pack.steps.run(
      { ...caller, token: holding },
      { integration: 'work-board', step: 'create-list', connection: spare.id, input: list },
    ),
  )
  return {
    integration: face.pack.registry.all.map(({ integration }) => integration.id),
    step: ['get-boards', 'create-card', 'api-call', 'find-contact', 'people-search', 'enrich-companies'],
    trigger: ['card-moved', 'new-card', 'card-due-date-reminder', 'new-notification'],
    id: [spare.id, subscription.id, run!.id, ruleId, held, 'work-board', 'none'],
  }
}
