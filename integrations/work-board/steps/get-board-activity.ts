import { defineStep, path, z } from '#kit'
import {
  activityAgentFields,
  activityFields,
  activityInput,
  activityOutput,
  readActivity,
  readActivityOf,
} from '../activity.ts'
import { boardOrDefault, idOf } from '../inputs.ts'
import { boards, members } from '../options.ts'

export default defineStep({
  id: 'get-board-activity',
  title: 'Get Board Activity',
  group: 'Boards and lists',
  purpose: 'Returns what happened on a board, newest first: who changed what and when.',
  keywords: ['history', 'audit', 'changes', 'log', 'recent activity', 'what happened', 'who changed'],
  icon: 'activity',
  oauthScopes: ['read'],
  effect: 'read',
  input: () =>
    z.strictObject({
      idBoard: boardOrDefault(),
      idMember: idOf(
        'member',
        'By',
        'Id of a member: only what they did; Get Members returns it.',
        'Only what this person did.',
      ).optional(),
      ...activityInput(),
    }),
  output: activityOutput,
  agentFields: activityAgentFields,
  container: 'idBoard',
  fields: {
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    idMember: { options: members({ boards: ['idBoard'] }), names: 'member', dependsOn: ['idBoard'] },
    ...activityFields,
  },
  async run(ctx, { idBoard, idMember, ...wanted }) {
    const at = path`/1/boards/${idBoard}/actions`
    return idMember === undefined
      ? await readActivity(ctx, at, wanted)
      : await readActivityOf(ctx, idMember, at, wanted)
  },
})
