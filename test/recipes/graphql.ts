import { defineStep, path, readPage, z } from '#kit'
import type { PagingRule } from '#kit'
import { recipe } from './recipe.ts'

const issuesQuery = `query Issues($first: Int, $after: String) {
  issues(first: $first, after: $after) { nodes { id title } pageInfo { endCursor hasNextPage } }
}`

export const paging: PagingRule = {
  style: 'cursor',
  in: 'body',
  parameter: 'variables.after',
  at: 'data.issues.pageInfo.endCursor',
  more: 'data.issues.pageInfo.hasNextPage',
  size: { parameter: 'variables.first', max: 50 },
}

const listIssues = defineStep({
  id: 'list-issues',
  title: 'List Issues',
  purpose: 'Reads a page of issues.',
  effect: 'read',
  input: () =>
    z.strictObject({
      cursor: z.string().optional().meta({ title: 'Cursor', description: '"next" of the page before.' }),
    }),
  output: () => z.object({ issues: z.array(z.looseObject({ id: z.string() })), next: z.string().optional() }),
  async run(ctx, { cursor }) {
    const request = {
      method: 'POST' as const,
      path: path`/graphql`,
      body: { query: issuesQuery },
      // Without this a POST counts as a write: it would not be repeated.
      effect: 'read' as const,
      effectSource: 'https://api.example/docs/graphql#queries',
      // 50 issues of 3 points each.
      points: 150,
    }
    const page = await readPage(ctx, request, paging, { items: 'data.issues.nodes', next: cursor })
    return { issues: page.items as { id: string }[], next: page.next }
  },
})

export default recipe({
  id: 'graphql',
  steps: [listIssues],
  wire: {
    pace: {
      limits: [
        { per: 'connection', max: 5000, windowMs: 3_600_000 },
        { per: 'connection', counts: 'points', max: 250_000, windowMs: 3_600_000 },
      ],
      points: { default: 100, actual: { header: 'x-complexity' } },
      concurrency: 4,
      remaining: [
        {
          header: 'x-complexity-remaining',
          per: 'connection',
          counts: 'points',
          windowMs: 3_600_000,
          reset: { header: 'x-complexity-reset', as: 'epoch-ms' },
        },
      ],
    },
    errors: [
      { path: 'errors.0.extensions.code', equals: 'RATELIMITED', failure: 'rate_limited' },
      { path: 'errors.0.extensions.code', equals: 'AUTHENTICATION_ERROR', failure: 'not_connected' },
      { path: 'errors.0', is: 'present', failure: 'rejected' },
    ],
    errorDetails: { message: ['errors.0.message'] },
  },
})
