import type { BulkJobView, BulkPreview, Consent, NewBulkJob } from '../../runtime/bulk-jobs/bulk-jobs.ts'
import type { Listed } from '../../runtime/ports/index.ts'
import type { Ask } from './request.ts'
import { query } from './trigger-client.ts'
import type { Paging } from './trigger-client.ts'

const slow = { timeout: 120_000 }

/** The verbs about jobs over files of rows. All throw Failure. */
export const jobVerbs = (ask: Ask) => {
  const at = (id: string, verb = '') => `v1/jobs/${encodeURIComponent(id)}${verb}`
  const post = { method: 'post', ...slow }
  return {
    create: ({ idempotencyKey, ...json }: NewBulkJob): Promise<BulkJobView> =>
      ask('v1/jobs', { ...post, json, headers: { 'idempotency-key': idempotencyKey } }),
    list: (page: Paging): Promise<Listed<BulkJobView>> => ask('v1/jobs', query({ ...page })),
    get: (id: string): Promise<BulkJobView> => ask(at(id)),
    preview: (id: string): Promise<BulkPreview> => ask(at(id, '/preview'), slow),
    resume: (id: string, json: Consent): Promise<BulkJobView> => ask(at(id, '/resume'), { ...post, json }),
    pause: (id: string): Promise<BulkJobView> => ask(at(id, '/pause'), post),
    cancel: (id: string): Promise<BulkJobView> => ask(at(id, '/cancel'), post),
  }
}
export type JobVerbs = ReturnType<typeof jobVerbs>
