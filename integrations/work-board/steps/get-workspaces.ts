import { defineStep, path, readRows, z } from '#kit'
import { listOutput } from '../outputs.ts'
import { workspaces } from '../records.ts'

export default defineStep({
  id: 'get-workspaces',
  title: 'Get Workspaces',
  group: 'Boards and lists',
  purpose: 'Returns the workspaces of the account, to which boards belong.',
  keywords: ['organizations', 'workspace ids'],
  icon: 'board',
  oauthScopes: ['read'],
  effect: 'read',
  input: () => z.strictObject({}),
  output: () => listOutput('workspaces', workspaces('The workspaces of the account.')),
  agentFields: [...['id', 'displayName', 'name', 'desc', 'url'].map((name) => `workspaces.${name}`), 'count'],
  async run(ctx) {
    const query = { fields: 'name,displayName,desc,url' }
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/members/me/organizations`, query }),
      'workspaces',
    )
    return { workspaces: rows, count: rows.length }
  },
})
