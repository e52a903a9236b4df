import type { jobOperations } from '../../../api/operations/jobs.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const jobHandlers = ({ pack }: HttpDependencies): Handlers<typeof jobOperations> => ({
  createJob: async (request, reply) => {
    const made = await pack.jobs.create(request.caller, {
      ...request.body,
      idempotencyKey: request.headers['idempotency-key'],
    })
    return reply.code(201).header('location', `/v1/jobs/${made.id}`).send(made)
  },
  listJobs: async ({ caller, query: { limit, cursor } }) =>
    await pack.jobs.list(caller, { limit, ...(cursor === undefined ? {} : { cursor }) }),
  getJob: async ({ caller, params: { id } }) => await pack.jobs.get(caller, id),
  previewJob: async ({ caller, params: { id } }) => await pack.jobs.preview(caller, id),
  resumeJob: async ({ caller, params: { id }, body }) => await pack.jobs.resume(caller, id, body ?? {}),
  pauseJob: async ({ caller, params: { id } }) => await pack.jobs.pause(caller, id),
  cancelJob: async ({ caller, params: { id } }) => await pack.jobs.cancel(caller, id),
})
