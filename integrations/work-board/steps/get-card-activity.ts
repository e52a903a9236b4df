import { defineStep, path, z } from '#kit'
import { activityAgentFields, activityFields, activityInput, activityOutput, readActivity } from '../activity.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'get-card-activity',
  title: 'Get Card Activity',
  group: 'Cards',
  purpose: 'Returns what happened to a card, newest first: who changed what and when.',
  keywords: ['history', 'audit', 'changes', 'log', 'what happened', 'who changed'],
  icon: 'activity',
  oauthScopes: ['read'],
  effect: 'read',
  input: () => z.strictObject({ ...cardInput(), ...activityInput() }),
  output: activityOutput,
  agentFields: activityAgentFields,
  fields: { ...cardFields, ...activityFields },
  async run(ctx, { types, since, limit, cursor, ...card }) {
    await checkCard(ctx, card)
    return await readActivity(ctx, path`/1/cards/${card.idCard}/actions`, { types, since, limit, cursor })
  },
})
