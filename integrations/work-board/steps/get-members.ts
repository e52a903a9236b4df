import { defineStep, path, readRows, z } from '#kit'
import { listOutput } from '../outputs.ts'
import { boardOrDefault } from '../inputs.ts'
import { boards } from '../options.ts'
import { members } from '../records.ts'

export default defineStep({
  id: 'get-members',
  title: 'Get Members',
  group: 'Members',
  purpose: 'Returns the members of a board.',
  keywords: ['people', 'team', 'users', 'member ids', 'assignees', 'who is on the board', 'team members'],
  icon: 'person-add',
  oauthScopes: ['read'],
  effect: 'read',
  input: () => z.strictObject({ idBoard: boardOrDefault() }),
  output: () => listOutput('members', members('The members of the board.')),
  agentFields: [...['id', 'fullName', 'username'].map((name) => `members.${name}`), 'count'],
  container: 'idBoard',
  fields: { idBoard: { options: boards, names: 'board', accepts: 'id-or-url' } },
  async run(ctx, { idBoard }) {
    const rows = readRows(await ctx.send({ method: 'GET', path: path`/1/boards/${idBoard}/members` }), 'members')
    return { members: rows, count: rows.length }
  },
})
